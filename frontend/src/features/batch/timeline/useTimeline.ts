import { effectiveTasks } from '@/api/defaults';
import { useMemo, useState } from 'react';
import type { Definition } from '@/api/definition';
import type { TaskGraph } from '@/graph';
import { type Batch, type RunStore, useThrottledRuns } from '@/live';
import { type UsualRun, useNow } from '@/ui';
import { useUsualRuns } from '../useUsualRuns';
import { type CriticalPath, criticalPathOf, slackOf, type Step } from './critical';
import { millisOf, newRows, nowOf, type Row, shardRows } from './rows';
import { useAttempts } from './useAttempts';
import { retryPauses, roundsOf, Waits } from './waits';

/** What the timeline shows of a batch, except its lines and its axis. */
export interface TimelineData {
  /** The number of the batch. */
  batch: number;
  rows: readonly Row[];
  /** The rows of the shards of a task, which are not among the rows. */
  shardsOf: (row: Row) => readonly Row[];
  /** Milliseconds since 1970; 0 if the batch is over. */
  now: number;
  /** The start of the batch. */
  begin?: number;
  waits: Waits;
  usual: ReadonlyMap<string, UsualRun>;
  path?: CriticalPath;
  /** The steps of the path by the number of their row. */
  steps: ReadonlyMap<number, Step>;
  /** How much later a row could have ended; undefined if that is not known. */
  slack: (row: number) => number | undefined;
  /** The group of a task. */
  groupOf: (task: string) => string;
}

interface Source {
  batch: Batch;
  store: RunStore;
  definition?: Definition;
  graph?: TaskGraph;
  allowed: ReadonlySet<string>;
}

const DEFAULT_GROUP = 'default';

/** Loads and computes what the timeline shows. */
export function useTimeline({ batch, store, definition, graph, allowed }: Source): TimelineData {
  const runs = useThrottledRuns(store);
  const attempts = useAttempts(batch.id, store);
  const usual = useUsualRuns(batch.id);
  const [rowsOf] = useState(newRows);
  const rows = useMemo(() => rowsOf(runs, attempts), [rowsOf, runs, attempts]);
  const shardsOf = useMemo(() => shardRows(attempts), [attempts]);
  const clockNow = useNow();
  const { live, startedAt, round, roundAt } = batch;
  const now = live ? nowOf(rows, clockNow) : 0;
  const pauseOf = useMemo(() => retryPauses(definition), [definition]);
  const groupOf = useMemo(() => groupsOf(definition), [definition]);
  const waits = useMemo(
    () => new Waits({ rows, graph, rounds: roundsOf(rows, { startedAt, round, roundAt }), pauseOf, live, now }),
    [rows, graph, startedAt, round, roundAt, pauseOf, live, now],
  );
  const path = useMemo(
    () => criticalPathOf(waits, { round, live, allowed, usual }),
    [waits, round, live, allowed, usual],
  );
  const steps = useMemo(() => new Map(path?.steps.map((step) => [step.row, step])), [path]);
  const slack = useMemo(() => {
    let all: ReturnType<typeof slackOf> | undefined;
    return (row: number) => (live ? undefined : (all ??= slackOf(waits, round))[row]);
  }, [waits, round, live]);
  const begin = millisOf(startedAt);
  return useMemo(
    () => ({ batch: batch.id, rows, shardsOf, now, begin, waits, usual, path, steps, slack, groupOf }),
    [batch.id, rows, shardsOf, now, begin, waits, usual, path, steps, slack, groupOf],
  );
}

function groupsOf(definition: Definition | undefined): (task: string) => string {
  const groups = new Map(effectiveTasks(definition).map((task) => [task.key, task.group]));
  return (task) => groups.get(task) ?? DEFAULT_GROUP;
}
