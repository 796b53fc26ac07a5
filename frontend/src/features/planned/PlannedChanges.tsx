import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { usePollInterval } from '@/live';
import { exact, NeedsServer, useNow } from '@/ui';
import { useChangeText } from './ChangeText';
import styles from './Planned.module.css';
import { useUndo } from './useUndo';

/** The planned changes of a schedule whose moments are not decided; nothing if there are none. */
export function PlannedChanges({ schedule, zone }: { schedule: string; zone: string }) {
  const { t } = useTranslation('planned');
  const id = useId();
  const refetchInterval = usePollInterval();
  const now = useNow();
  const text = useChangeText(zone);
  const undo = useUndo(schedule);
  const { data: list } = useQuery({
    queryKey: [...keys.schedule(schedule), 'planned'],
    queryFn: ({ signal }) =>
      data(api.GET('/api/v1/schedules/{name}/planned-changes', { params: { path: { name: schedule } }, signal })),
    refetchInterval,
  });
  const open = (list?.items ?? [])
    .filter((c) => c.state === 'planned' || (c.state === 'void' && Date.parse(c.moment) > now))
    .reverse();
  if (open.length === 0) return null;
  return (
    <section className={styles.list} aria-labelledby={id}>
      <h2 id={id}>{t('list')}</h2>
      <ul>
        {open.map((change) => {
          const at = exact(change.moment, { zone });
          return (
            <li key={change.moment}>
              <span>
                <time dateTime={change.moment}>{at}</time> {text(change)}
                {change.state === 'void' && <span className={styles.void}> {t('void')}</span>}
              </span>
              <NeedsServer>
                <Button
                  size="compact-sm"
                  aria-label={t('undoOf', { at })}
                  loading={undo.isPending && undo.variables === change.moment}
                  onClick={() => {
                    undo.mutate(change.moment);
                  }}
                >
                  {t('undo')}
                </Button>
              </NeedsServer>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
