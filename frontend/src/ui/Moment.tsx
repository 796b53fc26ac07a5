import { Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { scheduleQuery } from '@/api/queries';
import { useExact, useViewClock, zonesOf } from './shownZone';
import { exact } from './time';
import styles from './ZoneMenu.module.css';

interface Props {
  at: string | number;
  seconds?: boolean;
  /** The schedule that the moment belongs to, in a view of many. Its zone is read when the tooltip opens. */
  schedule?: string;
  /** A shorter text than the exact time. */
  children?: ReactNode;
}

/** A moment in the zone of the view. The tooltip has it in the other zones, too. */
export function Moment({ at, seconds, schedule, children }: Props) {
  const write = useExact();
  return (
    <Tooltip label={<Zones at={at} schedule={schedule} />}>
      <time dateTime={new Date(at).toISOString()}>{children ?? write(at, { seconds })}</time>
    </Tooltip>
  );
}

/** A moment in each zone, for a tooltip. */
export function Zones({ at, schedule = '', zone }: { at: string | number; schedule?: string; zone?: string }) {
  const { scheduleZone = zone } = useViewClock();
  const { data } = useQuery({
    ...scheduleQuery(schedule),
    enabled: schedule !== '' && scheduleZone === undefined,
    staleTime: 60_000,
  });
  return (
    <span className={styles.zones}>
      {zonesOf(scheduleZone ?? (data && (data.timezone || 'UTC'))).map((one) => (
        <span key={one}>
          {exact(at, { zone: one, seconds: true })} {one}
        </span>
      ))}
    </span>
  );
}
