import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api, data } from '@/api/client';
import { keys } from '@/api/queries';
import { type TaskRun, useLiveBatch, usePollInterval, useThrottledRuns, useTopic } from '@/live';
import { momentsOf } from '@/ui/Days';
import { type Answer, type Batch, type Grid, type LiveRuns, merge, toGrid, withLive } from './grid';
import type { RunsSearch } from './search';

/** Milliseconds between two reads of the whole grid without the live connection. */
const POLL_INTERVAL = 30_000;
/** The most live batches whose tasks the page follows. */
const MOST_LIVE = 8;

/** The grid of a schedule, with live changes. `follow` has to be rendered: it follows the live batches. */
export function useGrid(name: string, zone: string | undefined, search: RunsSearch) {
  const client = useQueryClient();
  const poll = usePollInterval();
  const { n = 30, kind, failed, before, executor, by, param } = search;
  const range = momentsOf(search, zone ?? 'UTC');
  const key = [...keys.schedule(name), 'runs', { n, kind, failed, before, executor, by, param, ...range }];
  const state: Batch['state'][] | undefined = failed && ['failed'];
  const fetchGrid = (limit: number, below: number | undefined, signal?: AbortSignal) =>
    data(
      api.GET('/api/v1/schedules/{name}/runs', {
        params: { path: { name }, query: { limit, kind, state, before: below, executor, by, param, ...range } },
        querySerializer: { array: { style: 'form', explode: false } },
        signal,
      }),
    );
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => fetchGrid(n, before, signal),
    enabled: zone !== undefined,
    // Live changes update only the shown grid. Grids with other filters are read again when they are shown.
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchInterval: poll && POLL_INTERVAL,
    placeholderData: keepPreviousData,
  });

  const [live, setLive] = useState<LiveRuns>(new Map());
  const update = (change: (old: Answer) => Answer) => {
    client.setQueryData<Answer>(key, (old) => old && change(old));
  };
  /** Reads one batch again, and takes its column into the grid. */
  const reread = async (id: number) => {
    const fresh = await fetchGrid(1, id + 1).catch(() => undefined); // the next change or poll tries again
    if (fresh?.batches[0]?.id !== id) return;
    update((old) => merge(old, fresh, n));
    if (!fresh.batches[0].live) setLive((runs) => without(runs, id));
  };
  const answer = query.data;
  const take = (changes: readonly Batch[]) => {
    for (const batch of changes) {
      const known = answer?.batches.find(({ id }) => id === batch.id);
      if (known && batch.live && known.live) {
        if (known.state !== batch.state || known.wish !== batch.wish)
          update((old) => ({ ...old, batches: old.batches.map((b) => (b.id === batch.id ? batch : b)) }));
      } else if (known || isNew(batch, answer, search)) void reread(batch.id);
    }
  };
  // An answer replaces the grid, and may be older than a change that arrives before it.
  const early = useRef<Batch[]>([]);
  useEffect(() => {
    if (!query.isFetching && early.current.length > 0) take(early.current.splice(0));
  });
  const follows = useRef(false);
  useTopic({ topic: 'batches' }, (frame) => {
    const changes = (frame.batches ?? []).filter((batch) => batch.schedule === name);
    if (client.isFetching({ queryKey: key, exact: true }) > 0) early.current.push(...changes);
    else take(changes);
    // A snapshot after the first one follows a gap, in which batches may have been added or have ended.
    if (frame.op === 'snapshot' && follows.current) void query.refetch();
    if (frame.op === 'snapshot') follows.current = true;
  });
  const onRuns = useCallback((id: number, runs: readonly TaskRun[]) => {
    setLive((all) => new Map(all).set(id, runs));
  }, []);

  const stored = useMemo(() => answer && toGrid(answer), [answer]);
  const grid = useMemo<Grid | undefined>(() => stored && withLive(stored, live), [stored, live]);
  const followed = answer?.batches.filter((batch) => batch.live).slice(0, MOST_LIVE) ?? [];
  const follow = followed.map(({ id }) => <FollowBatch key={id} id={id} onRuns={onRuns} />);
  return { grid, answer, query, follow, reread };
}

/** Whether a batch that the grid does not have belongs to it. */
function isNew(batch: Batch, answer: Answer | undefined, { kind, before, to, failed }: RunsSearch): boolean {
  if (!answer || before !== undefined || to !== undefined || failed) return false;
  return (kind === undefined || kind === batch.kind) && batch.id > (answer.batches[0]?.id ?? 0);
}

function without(runs: LiveRuns, id: number): LiveRuns {
  const next = new Map(runs);
  next.delete(id);
  return next;
}

/** Follows the tasks of one live batch. */
function FollowBatch({ id, onRuns }: { id: number; onRuns: (id: number, runs: readonly TaskRun[]) => void }) {
  const { store } = useLiveBatch(id);
  const runs = useThrottledRuns(store);
  useEffect(() => {
    if (runs.length > 0) onRuns(id, runs);
  }, [id, runs, onRuns]);
  return null;
}
