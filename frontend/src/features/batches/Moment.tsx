import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { scheduleQuery } from '@/api/queries';
import { exact } from '@/ui';
import styles from './Batches.module.css';

/** A logical time by the reader's clock, as batches of several zones stand in one list; on hover by the schedule's too, and in UTC. */
export function Moment({ at, schedule }: { at: string; schedule: string }) {
  return (
    <Tooltip label={<Zones at={at} schedule={schedule} />}>
      <time dateTime={at}>{exact(at)}</time>
    </Tooltip>
  );
}

/** The same moment in each zone, with its name. The schedule's is asked for only when somebody looks. */
function Zones({ at, schedule }: { at: string; schedule: string }) {
  const { data } = useQuery({ ...scheduleQuery(schedule), enabled: schedule !== '', staleTime: 60_000 });
  const zones = new Set([
    Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(data?.timezone ? [data.timezone] : []),
    'UTC',
  ]);
  return (
    <span className={styles.zones}>
      {[...zones].map((zone) => (
        <span key={zone}>
          {exact(at, { zone, seconds: true })} {zone}
        </span>
      ))}
    </span>
  );
}
