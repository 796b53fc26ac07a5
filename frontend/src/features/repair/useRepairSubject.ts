import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { batchQuery, definitionQuery, scheduleQuery } from '@/api/queries';
import { type Batch, differing, type RepairRequest } from './plan';
import type { RepairState } from './repairMachine';

/** What a repair is about: its batch, and the later revision by which the batch may go on. */
export interface RepairSubject {
  batch?: Batch;
  /** Why the batch cannot be read. */
  error: unknown;
  /** Everything is loaded that the dialog needs before it shows a plan. */
  ready: boolean;
  /** The schedule is loaded and offers no later revision. */
  upToDate: boolean;
  /** The zone of the schedule. Undefined until the schedule is loaded. */
  zone?: string;
  /** A later revision, with the keys of the tasks that it defines in another way. */
  later?: { revision: number; different: ReadonlySet<string> };
}

type Revised = Pick<Batch, 'revision'>;

const offersRevision = ({ action }: RepairRequest) => action !== 'cancel' && action !== 'close';

const isLater = (schedule?: Revised, batch?: Revised) =>
  schedule !== undefined && batch !== undefined && schedule.revision > batch.revision;

/** Loads the subject of a repair. The batch is read again if the plan was replaced: its other runs changed too. */
export function useRepairSubject(id: number, { request, moved }: RepairState): RepairSubject {
  const { data: batch, error, refetch } = useQuery({ ...batchQuery(id), refetchOnMount: 'always' });
  useEffect(() => {
    if (moved) void refetch();
  }, [moved, refetch]);
  const { data: schedule, isFetchedAfterMount: scheduleChecked } = useQuery({
    ...scheduleQuery(batch?.schedule ?? ''),
    enabled: !!batch?.schedule,
    staleTime: 0, // a revision may just have been published
  });
  const choice = offersRevision(request);
  const scheduleKnown = ({ schedule: name }: Batch) => !choice || !name || scheduleChecked;
  const newest = choice && isLater(schedule, batch) ? schedule : undefined;
  const { data: own, isLoading: comparing } = useQuery({
    ...definitionQuery(id, batch?.revision ?? 0),
    enabled: !!newest,
  });
  return {
    batch,
    error,
    // The choice of the revision must not appear under the pointer after the plan.
    ready: !!batch && scheduleKnown(batch) && !comparing,
    upToDate: !!schedule && !newest,
    zone: schedule ? schedule.timezone || 'UTC' : undefined,
    later: own && newest && laterRevision(own, newest),
  };
}

function laterRevision(own: Definition, newest: Schemas['Schedule']): RepairSubject['later'] {
  return { revision: newest.revision, different: differing(own, newest.definition as unknown as Definition) };
}
