import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import type { Definition } from '@/api/definition';
import { executorsQuery, keys } from '@/api/queries';
import { exact } from '@/ui';
import { unmanned } from './params';
import styles from './Run.module.css';

interface Props {
  schedule: string;
  definition: Definition;
  task?: string;
  zone: string;
}

/** What a person should know before a run. It is said, never refused. */
export function Cautions({ schedule, definition, task, zone }: Props) {
  const { t } = useTranslation('run');
  const { data: live } = useQuery({
    queryKey: [...keys.batches, 'live', schedule],
    queryFn: () => data(api.GET('/api/v1/batches', { params: { query: { schedule, live: true, limit: 20 } } })),
    enabled: task === undefined, // one task by itself is no batch of the schedule
    refetchOnMount: 'always',
  });
  const { data: executors } = useQuery(executorsQuery);
  const running = live?.items[0];
  const missing = executors ? unmanned(definition, executors.items, task) : [];
  if (!running && missing.length === 0) return null;
  return (
    <div className={styles.cautions}>
      {running && (
        <p>
          {t(running.state === 'queued' ? 'oneQueued' : 'oneRuns', {
            at: exact(running.startedAt ?? running.createdAt, { zone }),
          })}{' '}
          <Link to="/batches/$id" params={{ id: running.id }}>
            {t('look')}
          </Link>
        </p>
      )}
      {missing.map((m) => (
        <p key={`${m.handler} ${m.group} ${m.executor ?? ''}`}>
          {t(m.executor ? 'nobodyNamed' : 'nobody', {
            handler: m.handler,
            group: m.group,
            executor: m.executor,
            count: m.tasks.length,
            tasks: m.tasks.slice(0, 5).join(', ') + (m.tasks.length > 5 ? ' …' : ''),
          })}
        </p>
      ))}
    </div>
  );
}
