import type { Schemas } from '@/api/client';

// The grid of runs as pure data: rows of tasks, columns of batches, and what follows from them.

/** The answer of the server, newest batch first. */
export type Answer = Schemas['RunGrid'];
/** A batch: a column of the grid. */
export type Batch = Schemas['BatchSummary'];
type TaskRun = Pick<Schemas['TaskRun'], 'key' | 'state' | 'reason' | 'attempts' | 'round' | 'startedAt' | 'finishedAt'>;

/** The state of a task in a batch, as the letter of the API. */
export type Cell = 's' | 'r' | 'm' | 'f' | 'c' | 'k' | 'n' | 'i' | 'w' | 'y' | 'u' | 'x' | '.';

/** A task in all batches, oldest batch first. */
export interface Row {
  job: string;
  task: string;
  cells: string;
  /** Milliseconds; 0 if it has not ended. */
  took: readonly number[];
}

/** Batches and tasks, oldest batch first. */
export interface Grid {
  batches: readonly Batch[];
  rows: readonly Row[];
}

const reversed = (text: string) => [...text].reverse().join('');

/** The answer of the server, with the oldest batch first. */
export function toGrid(answer: Answer): Grid {
  return {
    batches: answer.batches.toReversed(),
    rows: answer.rows.map((row) => ({ ...row, cells: reversed(row.cells), took: row.took.toReversed() })),
  };
}

/** The cell of a column; `.` outside the grid. */
export const cellAt = (row: Row, x: number): Cell => (row.cells[x] as Cell | undefined) ?? '.';

/** Merges the columns of a fresh answer into an older one. At most `most` columns stay, the newest ones. */
export function merge(old: Answer, fresh: Answer, most: number): Answer {
  const place = (answer: Answer) => new Map(answer.batches.map((batch, x) => [batch.id, x]));
  const [inOld, inFresh] = [place(old), place(fresh)];
  const all = [...fresh.batches, ...old.batches.filter((batch) => !inFresh.has(batch.id))].sort((a, b) => b.id - a.id);
  const batches = all.slice(0, most);
  const freshRows = new Map(fresh.rows.map((row) => [row.task, row]));
  const columns = batches.map(({ id }) => ({ old: inOld.get(id) ?? -1, fresh: inFresh.get(id) ?? -1 }));
  const join = (row: Answer['rows'][number] | undefined, update: Answer['rows'][number] | undefined) => ({
    job: update?.job ?? row?.job ?? '',
    task: update?.task ?? row?.task ?? '',
    cells: columns.map((c) => (c.fresh >= 0 ? update?.cells[c.fresh] : row?.cells[c.old]) ?? '.').join(''),
    took: columns.map((c) => (c.fresh >= 0 ? update?.took[c.fresh] : row?.took[c.old]) ?? 0),
  });
  const known = new Set(old.rows.map((row) => row.task));
  const rows = old.rows.map((row) => join(row, freshRows.get(row.task)));
  for (const row of fresh.rows.filter(({ task }) => !known.has(task))) {
    const last = rows.findLastIndex(({ job }) => job === row.job);
    rows.splice(last < 0 ? rows.length : last + 1, 0, join(undefined, row));
  }
  const cut = batches.length < all.length ? { next: batches.at(-1)?.id } : {};
  return { ...old, ...cut, batches, rows };
}

/** The cell of a run, as the server would make it. */
export function cellOf(run: TaskRun): Cell {
  switch (run.state) {
    case 'succeeded':
      if (run.reason === 'person') return 'm';
      return run.attempts > 1 || run.round > 1 ? 'r' : 's';
    case 'ignored':
      return run.reason === 'when' ? 'n' : 'i';
    default:
      return LETTERS[run.state];
  }
}

const LETTERS = {
  failed: 'f',
  canceled: 'c',
  skipped: 'k',
  waiting: 'w',
  ready: 'y',
  running: 'u',
  unknown: 'x',
} as const;

/** The runs of live batches by the number of the batch. */
export type LiveRuns = ReadonlyMap<number, readonly TaskRun[]>;

/** Replaces the columns of live batches by their runs as they are now. Rows without a change stay the same objects. */
export function withLive(grid: Grid, live: LiveRuns): Grid {
  const columns = grid.batches.flatMap(({ id, live: isLive }, x) => {
    const runs = isLive ? live.get(id) : undefined;
    return runs ? [{ x, byTask: new Map(runs.map((run) => [run.key, run])) }] : [];
  });
  if (columns.length === 0) return grid;
  const rows = grid.rows.map((row) => {
    let next = row;
    for (const { x, byTask } of columns) {
      const run = byTask.get(row.task);
      if (run) next = withCell(next, x, cellOf(run), durationOf(run));
    }
    return next;
  });
  return { ...grid, rows };
}

function withCell(row: Row, x: number, cell: Cell, took: number): Row {
  if (row.cells[x] === cell && row.took[x] === took) return row;
  return { ...row, cells: row.cells.slice(0, x) + cell + row.cells.slice(x + 1), took: row.took.with(x, took) };
}

function durationOf({ startedAt, finishedAt }: TaskRun): number {
  return startedAt && finishedAt ? Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt)) : 0;
}

/** A line of the picture: the head of a job, or a task of an unfolded one. */
export type Line =
  { kind: 'job'; job: string; place: number; rows: readonly Row[]; open: boolean } | { kind: 'task'; row: Row };

/** The lines of a grid, job by job. */
export function linesOf({ rows }: Grid, isOpen: (job: string) => boolean): Line[] {
  const byJob = new Map<string, Row[]>();
  for (const row of rows) {
    const list = byJob.get(row.job);
    if (list) list.push(row);
    else byJob.set(row.job, [row]);
  }
  return [...byJob].flatMap(([job, list], place): Line[] => {
    const open = isOpen(job);
    return [
      { kind: 'job', job, place, rows: list, open },
      ...(open ? list.map((row): Line => ({ kind: 'task', row })) : []),
    ];
  });
}

/** The rows that a line stands for. */
export const rowsOf = (line: Line): readonly Row[] => (line.kind === 'job' ? line.rows : [line.row]);

/** The order of states in the bar of a folded job, and of the worst one. */
const SEVERITY: readonly Cell[] = ['f', 'x', 'c', 'k', 'u', 'y', 'w', 'm', 'r', 's', 'n', 'i'];

/** How many tasks of a job are in each state in a batch, the worst state first. */
export function shares(rows: readonly Row[], x: number): { cell: Cell; count: number }[] {
  const counts = new Map<Cell, number>();
  for (const row of rows) {
    const cell = cellAt(row, x);
    if (cell !== '.') counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  return SEVERITY.flatMap((cell) => {
    const count = counts.get(cell);
    return count ? [{ cell, count }] : [];
  });
}

/** What the batches say about a line. */
export interface Stats {
  /** The share of successes among the batches in which it succeeded or failed; undefined if there is none. */
  rate?: number;
  /** The median duration of its successes in milliseconds; undefined if there is none. */
  usual?: number;
  /** The durations of its latest successes, oldest first. */
  trend: readonly number[];
  /** Its latest successes take much longer than usual. */
  slower: boolean;
}

const GOOD: ReadonlySet<Cell> = new Set(['s', 'r']);
/** The number of durations that the trend shows, and of the latest ones that are compared with the usual duration. */
const TREND = 15;
const LATEST = 5;
const MUCH_LONGER = 1.25;

/** The statistics of a line. The duration of a job is that of its longest task. */
export function statsOf(line: Line): Stats {
  const rows = rowsOf(line);
  const durations: number[] = [];
  let [good, bad] = [0, 0];
  for (let x = 0; x < (rows[0]?.cells.length ?? 0); x++) {
    const { failed, succeeded, longest } = columnOf(rows, x);
    if (failed) bad++;
    else if (succeeded) good++;
    if (longest > 0 && !failed) durations.push(longest);
  }
  const usual = median(durations);
  const latest = median(durations.slice(-LATEST));
  return {
    rate: good + bad > 0 ? good / (good + bad) : undefined,
    usual,
    trend: durations.slice(-TREND),
    slower: durations.length > LATEST && latest !== undefined && usual !== undefined && latest > usual * MUCH_LONGER,
  };
}

/** What a column says about rows. There may be thousands of rows and hundreds of columns, so it makes no arrays. */
function columnOf(rows: readonly Row[], x: number): { failed: boolean; succeeded: boolean; longest: number } {
  const out = { failed: false, succeeded: false, longest: 0 };
  for (const row of rows) {
    const cell = cellAt(row, x);
    const isGood = GOOD.has(cell);
    if (cell === 'f') out.failed = true;
    if (isGood || cell === 'm') out.succeeded = true;
    if (isGood) out.longest = Math.max(out.longest, row.took[x] ?? 0);
  }
  return out;
}

/** The median of numbers; undefined if there is none. */
export function median(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const high = sorted[half];
  return sorted.length % 2 === 1 || high === undefined ? high : (high + (sorted[half - 1] ?? high)) / 2;
}

/** How long the last round of a batch took, or has taken until now; undefined if it has not begun. */
export function tookOf(batch: Batch, now: number): number | undefined {
  const start = batch.roundAt ?? batch.startedAt;
  if (!start) return undefined;
  return Math.max(0, (batch.finishedAt ? Date.parse(batch.finishedAt) : now) - Date.parse(start));
}
