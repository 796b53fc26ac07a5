import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas } from '@/api/client';
import { problemText } from '@/api/problem';
import { Ago, Dialog, toast } from '@/ui';
import { draftsQuery } from './calls';
import styles from './Create.module.css';

type Draft = Schemas['DraftHead'];

/** The drafts of the user, of new and of published schedules. Renders nothing if there are none. */
export function Drafts() {
  const { t } = useTranslation('editor');
  const { data: drafts = [] } = useQuery(draftsQuery);
  const [selected, setSelected] = useState<Draft>();
  const [opened, setOpened] = useState(false);
  return (
    <>
      {drafts.length > 0 && (
        <section className={styles.drafts} aria-label={t('drafts.title')}>
          <b>{t('drafts.title')}</b>
          <ul>
            {drafts.map((draft) => (
              <li key={draft.name}>
                <Link to="/schedules/$name" params={{ name: draft.name }} search={{}} preload={false}>
                  {draft.name}
                </Link>
                <small>
                  {draft.base === 0 ? t('drafts.new') : t('drafts.since', { revision: draft.base })}
                  {' · '}
                  <Ago at={draft.updatedAt} />
                </small>
                <button
                  type="button"
                  aria-label={t('drafts.discardOf', { name: draft.name })}
                  title={t('drafts.discard')}
                  onClick={() => {
                    setSelected(draft);
                    setOpened(true);
                  }}
                >
                  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
                    <path d="M4 4l8 8M12 4l-8 8" />
                  </svg>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {selected && (
        <DiscardDialog
          key={`${selected.name} ${String(selected.version)}`}
          draft={selected}
          opened={opened}
          onClose={() => {
            setOpened(false);
          }}
        />
      )}
    </>
  );
}

/** Asks for a confirmation before a draft is deleted, which cannot be undone. */
function DiscardDialog({ draft, opened, onClose }: { draft: Draft; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation(['editor', 'common']);
  const { t: problems } = useTranslation('problems');
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const discard = async () => {
    setBusy(true);
    try {
      await api.DELETE('/api/v1/drafts/{name}', {
        params: { path: { name: draft.name }, query: { version: draft.version } },
      });
      toast(t('editor:drafts.gone', { name: draft.name }));
    } catch (error) {
      const { title, detail } = problemText(error, problems);
      toast(`${title}. ${detail}`, { error: true });
    }
    setBusy(false);
    onClose();
    await client.invalidateQueries({ queryKey: draftsQuery.queryKey });
  };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t('editor:drafts.ask', { name: draft.name })}
      footer={
        <>
          <Button onClick={onClose} data-autofocus>
            {t('editor:drafts.keep')}
          </Button>
          <Button color="var(--failed)" variant="outline" loading={busy} onClick={() => void discard()}>
            {t('editor:drafts.discard')}
          </Button>
        </>
      }
    >
      <p>{draft.base === 0 ? t('editor:drafts.askNew') : t('editor:drafts.askSince', { revision: draft.base })}</p>
    </Dialog>
  );
}
