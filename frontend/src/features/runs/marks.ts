import { cellAt, type Grid, type Line, rowsOf } from './grid';

/** The marked tasks by the number of their batch. */
export type Marks = ReadonlyMap<number, ReadonlySet<string>>;

/** A place in the grid: the number of the column, and that of the line. */
export interface Place {
  x: number;
  y: number;
}

/** No mark. */
export const NO_MARKS: Marks = new Map();

/** The tasks of a line that a batch has. */
function tasksAt(line: Line | undefined, x: number): string[] {
  return line ? rowsOf(line).flatMap((row) => (cellAt(row, x) === '.' ? [] : [row.task])) : [];
}

/** Adds the cells of a rectangle to marks. */
export function markArea(marks: Marks, grid: Grid, lines: readonly Line[], from: Place, to: Place): Marks {
  const next = new Map(marks);
  for (let x = Math.min(from.x, to.x); x <= Math.max(from.x, to.x); x++) {
    const batch = grid.batches[x];
    if (!batch) continue;
    const tasks = new Set(next.get(batch.id));
    for (let y = Math.min(from.y, to.y); y <= Math.max(from.y, to.y); y++)
      tasksAt(lines[y], x).forEach((task) => tasks.add(task));
    if (tasks.size > 0) next.set(batch.id, tasks);
  }
  return next;
}

/** Marks a cell, or takes its mark away. The cell of a job stands for its tasks. */
export function toggle(marks: Marks, grid: Grid, lines: readonly Line[], at: Place): Marks {
  const batch = grid.batches[at.x];
  const tasks = tasksAt(lines[at.y], at.x);
  if (!batch || tasks.length === 0) return marks;
  if (!isMarked(marks, grid, lines, at)) return markArea(marks, grid, lines, at, at);
  const left = new Set([...(marks.get(batch.id) ?? [])].filter((task) => !tasks.includes(task)));
  const next = new Map(marks);
  if (left.size > 0) next.set(batch.id, left);
  else next.delete(batch.id);
  return next;
}

/** Whether all tasks of a cell are marked. */
export function isMarked(marks: Marks, grid: Grid, lines: readonly Line[], { x, y }: Place): boolean {
  const marked = marks.get(grid.batches[x]?.id ?? 0);
  const line = lines[y];
  if (!marked || !line) return false;
  if (line.kind === 'task') return marked.has(line.row.task);
  const tasks = tasksAt(line, x);
  return tasks.length > 0 && tasks.every((task) => marked.has(task));
}

/** Marks all failed tasks. */
export function markFailed(grid: Grid): Marks {
  const next = new Map<number, Set<string>>();
  for (const row of grid.rows)
    for (let x = row.cells.indexOf('f'); x >= 0; x = row.cells.indexOf('f', x + 1)) {
      const id = grid.batches[x]?.id ?? 0;
      next.set(id, (next.get(id) ?? new Set()).add(row.task));
    }
  return next;
}

/** The number of marked tasks. */
export const countMarks = (marks: Marks): number => [...marks.values()].reduce((sum, tasks) => sum + tasks.size, 0);
