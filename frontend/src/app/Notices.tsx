import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys, meQuery, noticesQuery } from '@/api/queries';
import { ErrorNote, NeedsServer, useExact } from '@/ui';

import styles from './Notices.module.css';

type Notice = Schemas['Notice'];

/** The notices of the server on every page: the database was restored to an earlier state. */
export function Notices() {
  const { t } = useTranslation();
  const { data: list } = useQuery(noticesQuery);
  if (!list || list.items.length === 0) return null;
  return (
    <section className={styles.notices} aria-label={t('wentBack.label')}>
      {list.items.map((notice) => (
        <RestoredNotice key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function RestoredNotice({ notice }: { notice: Notice }) {
  const { t } = useTranslation();
  const exact = useExact();
  const { data: me } = useQuery(meQuery);
  const client = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => data(api.DELETE('/api/v1/notices/{notice}', { params: { path: { notice: notice.id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: keys.notices }),
  });
  const attemptCount = notice.running + notice.ended;
  return (
    <div className={styles.notice}>
      <div className={styles.text}>
        <strong>{t('wentBack.title', { at: exact(notice.at) })}</strong>
        {notice.heard !== undefined && (
          <p>
            {t('wentBack.heard', {
              heard: notice.heard,
              session: notice.session,
              executors: notice.executors.join(t('listComma')),
            })}
          </p>
        )}
        {attemptCount > 0 && (
          <p>{t('wentBack.attempts', { count: attemptCount, running: notice.running, ended: notice.ended })}</p>
        )}
        <p>{t('wentBack.todo')}</p>
        {notice.attempts.length > 0 && (
          <details>
            <summary>{t('wentBack.which')}</summary>
            <ul>
              {notice.attempts.map((a) => (
                <li key={`${a.executor} ${String(a.id)} ${a.key ?? ''}`}>
                  {t(a.running ? 'wentBack.ran' : 'wentBack.over', {
                    what:
                      [a.schedule, a.task, a.batchId && t('wentBack.batch', { id: a.batchId })]
                        .filter(Boolean)
                        .join(' · ') || t('wentBack.attempt', { id: a.id }),
                    executor: a.executor,
                  })}
                </li>
              ))}
              {attemptCount > notice.attempts.length && (
                <li>{t('wentBack.rest', { count: attemptCount - notice.attempts.length })}</li>
              )}
            </ul>
          </details>
        )}
        {dismiss.isError && <ErrorNote error={dismiss.error} />}
      </div>
      {me?.admin && (
        <NeedsServer>
          <button
            type="button"
            className={styles.dismiss}
            disabled={dismiss.isPending}
            onClick={() => {
              dismiss.mutate();
            }}
          >
            {t('dismiss')}
          </button>
        </NeedsServer>
      )}
    </div>
  );
}
