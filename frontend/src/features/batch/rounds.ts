import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';

type PastRun = Schemas['PastRun'];

/**
 * The task runs as they stood when a round ended. Each repair keeps the rows that it changes under the round in which
 * they were; so a run in round n is its row of the latest round up to n. Tasks that a later round brought are left out.
 */
export function runsOfRound(runs: readonly TaskRun[], past: readonly PastRun[], round: number): (TaskRun | PastRun)[] {
  const rows = new Map<number, TaskRun | PastRun>();
  for (const row of [...past, ...runs]) {
    const best = rows.get(row.number);
    if (row.round <= round && (!best || row.round >= best.round)) rows.set(row.number, row);
  }
  return [...rows.values()].sort((a, b) => a.number - b.number);
}

/** A run of the past in the shape of a run, for what shows runs. */
export function asRun(row: TaskRun | PastRun): TaskRun {
  return 'executor' in row ? row : { ...row, executor: '', error: row.state === 'failed' ? (row.detail ?? '') : '' };
}
