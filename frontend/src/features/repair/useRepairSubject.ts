import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { batchQuery, definitionQuery, scheduleQuery } from '@/api/queries';
import { type Batch, differingTasks, type RepairRequest } from './plan';
import type { RepairState } from './repairMachine';

/** The batch that a repair changes, and the later revision that the batch may continue with. */
export interface RepairSubject {
  batch?: Batch;
  /** Why the batch cannot be read. */
  error: unknown;
  /** Everything that the dialog needs before it shows a plan is loaded. */
  ready: boolean;
  /** The schedule is loaded and offers no later revision. */
  upToDate: boolean;
  /** A later revision, with the keys of the tasks that it defines in another way. */
  later?: { revision: number; different: ReadonlySet<string> };
}

type WithRevision = Pick<Batch, 'revision'>;

const offersRevision = ({ action }: RepairRequest) => action !== 'cancel' && action !== 'close';

const isLater = (schedule?: WithRevision, batch?: WithRevision) =>
  schedule !== undefined && batch !== undefined && schedule.revision > batch.revision;

/** Loads the subject of a repair. If the plan was replaced, the batch is loaded again, because its runs changed too. */
export function useRepairSubject(id: number, { request, difference }: RepairState): RepairSubject {
  const { data: batch, error, refetch } = useQuery({ ...batchQuery(id), refetchOnMount: 'always' });
  useEffect(() => {
    if (difference) void refetch();
  }, [difference, refetch]);
  const { data: schedule, isFetchedAfterMount: scheduleChecked } = useQuery({
    ...scheduleQuery(batch?.schedule ?? ''),
    enabled: !!batch?.schedule,
    staleTime: 0, // a revision may just have been published
  });
  const canChoose = offersRevision(request);
  const scheduleReady = ({ schedule: name }: Batch) => !canChoose || !name || scheduleChecked;
  const newest = canChoose && isLater(schedule, batch) ? schedule : undefined;
  const { data: own, isLoading: comparing } = useQuery({
    ...definitionQuery(id, batch?.revision ?? 0),
    enabled: !!newest,
  });
  return {
    batch,
    error,
    // The choice of the revision must not appear later than the plan: it would move the buttons under the pointer.
    ready: !!batch && scheduleReady(batch) && !comparing,
    upToDate: !!schedule && !newest,
    later: own && newest && laterRevision(own, newest),
  };
}

function laterRevision(own: Definition, newest: Schemas['Schedule']): RepairSubject['later'] {
  return { revision: newest.revision, different: differingTasks(own, newest.definition as unknown as Definition) };
}
