import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keys } from '@/api/queries';
import { diff } from '@/document';
import { ErrorNote, Dialog, toast } from '@/ui';
import { useDoc, useEditor, useFaults } from '../context';
import { ChangeList } from './ChangeList';
import { Conflicts } from './Conflicts';
import { FaultList } from './FaultList';
import { isOvertaken, publish, targetOf } from './publish';
import { nextNumber, useSession } from './session';
import { useMerge } from './useMerge';
import styles from './Publish.module.css';

interface Props {
  opened: boolean;
  /** It shall run then. */
  run: boolean;
  onClose: () => void;
  onPublished: (revision: number) => void;
  onRun: (schedule: string) => void;
}

/** How long may be what is said about a revision. */
const NOTE = 200;

/** Says what a new revision changes and what is wrong with it, and makes it. Where somebody was quicker it shows both sides first. */
export function PublishDialog({ opened, run, onClose, onPublished, onRun }: Props) {
  const { t } = useTranslation(['editor', 'common']);
  const { name, store, goTo } = useEditor();
  const session = useSession();
  const {
    draft: { base, conflicts, published, discard },
  } = session;
  const doc = useDoc((s) => s.doc);
  const faults = useFaults();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useId();
  const [note, setNote] = useState('');
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  const { met, merge, error: unmerged } = useMerge();
  const changes = useMemo(() => base && diff(base.doc, doc), [base, doc]);
  const next = nextNumber(session);
  const { renamed } = targetOf(doc, name, base?.revision);
  const held = faults.some((f) => !f.warning) || conflicts.length > 0;

  const send = async () => {
    const { doc: sent } = store.getState();
    const target = targetOf(sent, name, base?.revision);
    let saved;
    try {
      saved = await publish(sent, target.base, note);
    } catch (failed) {
      if (target.renamed || !isOvertaken(failed)) throw failed;
      await merge();
      return;
    }
    for (const queryKey of [keys.schedules, keys.schedule(name), ['drafts']])
      void client.invalidateQueries({ queryKey });
    onClose();
    toast(t('editor:publish.done', { name: saved.name, revision: saved.revision }));
    if (target.renamed) {
      await discard();
      await navigate({ to: '/schedules/$name', params: { name: saved.name }, search: {} });
      return;
    }
    published(saved.revision, sent);
    onPublished(saved.revision);
    if (run) onRun(name);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (sending || held) return;
    setSending(true);
    setError(undefined);
    send()
      .catch((failed: unknown) => {
        setError(failed);
      })
      .finally(() => {
        setSending(false);
      });
  };
  const pick = (where: { task?: string; job?: string }) => {
    onClose();
    goTo({ view: undefined, task: where.task, job: where.job });
  };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={
        renamed ? t('editor:publish.titleNew', { name: doc.name }) : t('editor:publish.title', { name, revision: next })
      }
      summary={
        renamed && base
          ? t('editor:publish.renamed', { name: doc.name, old: name })
          : base
            ? undefined
            : t('editor:publish.first')
      }
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
          <Button type="submit" form={form} variant="filled" loading={sending} disabled={held}>
            {t(run ? 'editor:publish.goRun' : 'editor:publish.go', { revision: renamed ? 1 : next })}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        {(error ?? unmerged) !== undefined && <ErrorNote error={error ?? unmerged} />}
        {met && (
          <section className={styles.met} role="status">
            <p>
              <b>{t('editor:merge.met', { revision: met.revision, by: met.by })}</b>{' '}
              {t(conflicts.length > 0 ? 'editor:merge.settle' : 'editor:merge.clean')}
            </p>
            <details>
              <summary>{t('editor:merge.theirs', { count: met.diff.count })}</summary>
              <ChangeList diff={met.diff} />
            </details>
          </section>
        )}
        {conflicts.length > 0 && (
          <section>
            <h3 className={styles.head}>{t('editor:conflict.title', { count: conflicts.length })}</h3>
            <Conflicts />
          </section>
        )}
        <FaultList faults={faults} onGo={onClose} />
        {changes && (
          <section>
            <h3 className={styles.head}>
              {t('editor:publish.changes', { count: changes.count, revision: base?.revision })}
            </h3>
            <ChangeList diff={changes} onPick={pick} />
          </section>
        )}
        <TextInput
          data-autofocus
          label={t('editor:publish.note')}
          placeholder={t('editor:publish.noteHint')}
          maxLength={NOTE}
          value={note}
          onChange={(event) => {
            setNote(event.currentTarget.value);
          }}
        />
      </form>
    </Dialog>
  );
}
