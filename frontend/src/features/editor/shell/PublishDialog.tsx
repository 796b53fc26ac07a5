import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { diff } from '@/document';
import { Dialog, ErrorNote } from '@/ui';
import { useDoc, useEditor, useFaults } from '../context';
import { ChangeList } from './ChangeList';
import { Conflicts } from './Conflicts';
import type { Walk } from './faultGroups';
import { FaultList } from './FaultList';
import { nextNumber, useSession } from './session';
import { type MergedRevision, publicationTarget, usePublish } from './usePublish';
import styles from './Publish.module.css';

interface Props {
  opened: boolean;
  /** The schedule runs after the publication. */
  run: boolean;
  onClose: () => void;
  onPublished: (revision: number) => void;
  onRun: (schedule: string) => void;
  /** The user begins to go through equal faults. */
  onWalk: (walk: Walk) => void;
}

/** The longest note on a revision, in characters. */
const NOTE_LENGTH = 200;

/** Shows the changes and faults of a new revision, and publishes it. Conflicts must be resolved first. */
export function PublishDialog({ opened, run, onClose, onPublished, onRun, onWalk }: Props) {
  const { t } = useTranslation(['editor', 'common']);
  const { name } = useEditor();
  const session = useSession();
  const { base, conflicts } = session.draft;
  const doc = useDoc((s) => s.doc);
  const faults = useFaults();
  const form = useId();
  const [note, setNote] = useState('');
  const next = nextNumber(session);
  const { renamed } = publicationTarget(doc, name, base?.revision);
  const { sending, error, merged, submit } = usePublish({
    onClose,
    onPublished: (revision) => {
      onPublished(revision);
      if (run) onRun(name);
    },
  });
  const blocked = faults.some((f) => !f.warning) || conflicts.length > 0;
  const titles = renamed
    ? {
        title: t('editor:publish.titleNew', { name: doc.name }),
        summary: t(base ? 'editor:publish.renamed' : 'editor:publish.first', { name: doc.name, old: name }),
      }
    : {
        title: t('editor:publish.title', { name, revision: next }),
        summary: base ? undefined : t('editor:publish.first'),
      };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      {...titles}
      focusInside
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          {run && base && (
            <Button
              onClick={() => {
                onClose();
                onRun(name);
              }}
            >
              {t('editor:publish.runOld', { revision: base.revision })}
            </Button>
          )}
          <Button type="submit" form={form} variant="filled" loading={sending} disabled={blocked}>
            {t(run ? 'editor:publish.goRun' : 'editor:publish.go', { revision: renamed ? 1 : next })}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className={styles.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          if (!sending && !blocked) submit(note);
        }}
      >
        {error !== undefined && <ErrorNote error={error} />}
        {merged && <Merged revision={merged} />}
        {conflicts.length > 0 && (
          <section>
            <h3 className={styles.head}>{t('editor:conflict.title', { count: conflicts.length })}</h3>
            <Conflicts />
          </section>
        )}
        <FaultList faults={faults} onGo={onClose} onWalk={onWalk} />
        <Changes onClose={onClose} />
        <TextInput
          data-autofocus
          label={t('editor:publish.note')}
          placeholder={t('editor:publish.noteHint')}
          maxLength={NOTE_LENGTH}
          value={note}
          onChange={(event) => {
            setNote(event.currentTarget.value);
          }}
        />
      </form>
    </Dialog>
  );
}

/** Shows whose revision was merged, and its changes. */
function Merged({ revision: { revision, by, diff: theirs } }: { revision: MergedRevision }) {
  const { t } = useTranslation('editor');
  const { conflicts } = useSession().draft;
  return (
    <section className={styles.merged} role="status">
      <p>
        <b>{t('merge.met', { revision, by })}</b> {t(conflicts.length > 0 ? 'merge.settle' : 'merge.clean')}
      </p>
      <details>
        <summary>{t('merge.theirs', { count: theirs.count })}</summary>
        <ChangeList diff={theirs} />
      </details>
    </section>
  );
}

/** The changes of the new revision; nothing for the first one. */
function Changes({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('editor');
  const { goTo } = useEditor();
  const { base } = useSession().draft;
  const doc = useDoc((s) => s.doc);
  const changes = useMemo(() => base && diff(base.doc, doc), [base, doc]);
  if (!changes) return null;
  return (
    <section>
      <h3 className={styles.head}>{t('publish.changes', { count: changes.count, revision: base?.revision })}</h3>
      <ChangeList
        diff={changes}
        onPick={({ task, job }) => {
          onClose();
          goTo({ view: undefined, task, job });
        }}
      />
    </section>
  );
}
