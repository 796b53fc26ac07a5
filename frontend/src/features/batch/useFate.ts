import { useQuery } from '@tanstack/react-query';
import { api, ApiError, data } from '@/api/client';
import { keys } from '@/api/queries';
import type { Batch } from '@/live';

/**
 * Why the server no longer has a batch: its schedule keeps batches only for a time (`expired`), or the schedule was
 * deleted with all of them (`scheduleDeleted`), and perhaps made again since.
 */
type Fate = 'expired' | 'scheduleDeleted';

/**
 * What has become of a deleted batch; undefined while that is not known, and for a batch without a schedule. It asks
 * nothing while the batch is there.
 */
export function useFate({ id, schedule: name, createdAt }: Batch, deleted: boolean): Fate | undefined {
  const { data: schedule, error } = useQuery({
    queryKey: [...keys.batch(id), 'fate'],
    queryFn: () => data(api.GET('/api/v1/schedules/{name}', { params: { path: { name } } })),
    enabled: deleted && name !== '',
    retry: false,
  });
  if (!deleted) return undefined;
  if (error instanceof ApiError && error.status === 404) {
    // Under its new name the schedule is there, and the page of its former name leads to it.
    return error.problem.reason === 'schedule_renamed' ? 'expired' : 'scheduleDeleted';
  }
  if (!schedule) return undefined;
  // A schedule that is younger than the batch was made under the name of a deleted one.
  const isYounger = new Date(schedule.createdAt).getTime() > new Date(createdAt).getTime();
  return isYounger || schedule.deleting ? 'scheduleDeleted' : 'expired';
}
