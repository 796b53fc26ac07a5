import type { TaskRun } from '@/live';
import type { Bar, Row } from './rows';

/** A bar for a test: seconds of its start and end, then its round, when it was offered, and its state. */
export type TestBar = readonly [from: number, to?: number, round?: number, offered?: number, state?: Bar['state']];

const barOf = ([from, to, round = 1, offered, state]: TestBar, n: number): Bar => ({
  from: from * 1000,
  to: to === undefined ? undefined : to * 1000,
  state: state ?? (to === undefined ? 'running' : 'succeeded'),
  attempt: n + 1,
  round,
  offered: offered === undefined ? undefined : offered * 1000,
  executor: 'e',
});

/** Rows for a test, by the keys of their tasks. The state of a run follows from its bars, unless it is given. */
export function rowsWith(
  bars: Readonly<Record<string, readonly TestBar[]>>,
  runs: Readonly<Record<string, Partial<TaskRun>>> = {},
): Row[] {
  return Object.entries(bars).map(([key, list], number): Row => {
    const all = list.map(barOf);
    const last = all.at(-1);
    const state = !last ? 'waiting' : last.state === 'failed' ? 'failed' : last.to ? 'succeeded' : 'running';
    return {
      run: {
        number,
        key,
        job: 'j',
        state,
        reason: '',
        attempts: all.length,
        executor: last ? 'e' : '',
        error: '',
        round: last?.round ?? 1,
        ...runs[key],
      },
      bars: all,
    };
  });
}
