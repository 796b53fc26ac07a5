import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { scheduleQuery } from '@/api/queries';
import { Clock } from './shownZone';
import { useZone } from './zones';

interface Props {
  /** The view shows one schedule. Until its zone is known, there is `''`. */
  schedule?: string;
  children: ReactNode;
}

/**
 * All times below are in one zone: the one that the user chose. Without a choice, a view of one schedule has the zone
 * of that schedule, and every other view has the zone of the browser.
 */
export function ViewZone({ schedule, children }: Props) {
  const scheduleZone = schedule || undefined;
  const [choice, zone] = useZone(scheduleZone, schedule === undefined ? 'mine' : 'schedule');
  const clock = useMemo(() => ({ choice, zone, scheduleZone }), [choice, zone, scheduleZone]);
  return <Clock value={clock}>{children}</Clock>;
}

/** The times below belong to a schedule, whose zone is read; without a name, to many. */
export function ScheduleZone({ name, children }: { name?: string; children: ReactNode }) {
  const { data, isError } = useQuery({ ...scheduleQuery(name ?? ''), enabled: name !== undefined });
  const zone = name === undefined || isError ? undefined : data ? data.timezone || 'UTC' : '';
  return <ViewZone schedule={zone}>{children}</ViewZone>;
}
