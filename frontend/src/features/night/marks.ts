import type { Schemas } from '@/api/client';
import { type NightRow, placeOf, type Scale } from './scale';

type Bar = Schemas['NightBar'];
type Tick = Schemas['NightTick'];

/** How a mark looks: the state of a batch, or how a coming one will start. */
export type Look = 'succeeded' | 'failed' | 'settled' | 'running' | 'queued' | 'canceled' | 'due' | 'waits' | 'late';

/** A batch or a coming one, as it is drawn in a row. */
export interface Mark {
  look: Look;
  from: number;
  to: number;
  /** Its moment, at which a dot is drawn if it waits. */
  moment: number;
  bar?: Bar;
  tick?: Tick;
}

/** The length of a coming batch whose duration nobody knows. */
const UNKNOWN_LENGTH = 60_000;

/** The marks of a row, by their begin. A live batch reaches to now. */
export function marksOf(row: NightRow, now: number): Mark[] {
  const bars = row.bars.map((bar): Mark => {
    const from = Date.parse(bar.begin);
    const to = bar.end === undefined ? Math.max(now, from) : Date.parse(bar.end);
    return { look: lookOf(bar), from, to, moment: Date.parse(bar.moment), bar };
  });
  const usual = row.usualSeconds === undefined ? UNKNOWN_LENGTH : row.usualSeconds * 1000;
  const ticks = row.ticks.map((tick): Mark => {
    const moment = Date.parse(tick.moment);
    const known = tick.begin === undefined ? undefined : Date.parse(tick.begin);
    const from = known ?? Math.max(moment, now);
    const look: Look = tick.late ? 'late' : tick.waits ? 'waits' : 'due';
    return { look, from, to: tick.end === undefined ? from + usual : Date.parse(tick.end), moment, tick };
  });
  return [...bars, ...ticks].sort((a, b) => a.from - b.from);
}

const known = new WeakMap<NightRow, { now: number; marks: readonly Mark[] }>();

/** The marks of a row as `marksOf`, the same ones until the row or the time is another. */
export function marksAt(row: NightRow, now: number): readonly Mark[] {
  const before = known.get(row);
  if (before?.now === now) return before.marks;
  const marks = marksOf(row, now);
  known.set(row, { now, marks });
  return marks;
}

function lookOf(bar: Bar): Look {
  if (bar.late) return 'late';
  if (bar.state === 'failed' && !bar.open) return 'settled';
  return bar.state;
}

/** Marks that are this near to the pointer can be clicked. */
const NEAR = 6;

/** The index of the mark at a place: the nearest one, or the shorter of two that are there. Undefined if none is. */
export function markAt(marks: readonly Mark[], x: number, scale: Scale): number | undefined {
  let best: number | undefined;
  let bestDistance = NEAR + 1;
  let bestLength = Infinity;
  marks.forEach((mark, i) => {
    const [from, to] = [placeOf(mark.from, scale), placeOf(mark.to, scale)];
    const distance = Math.max(0, from - x, x - to);
    if (distance > NEAR || distance > bestDistance) return;
    if (distance === bestDistance && to - from > bestLength) return;
    [best, bestDistance, bestLength] = [i, distance, to - from];
  });
  return best;
}

/** A place of the cursor: a row, and a mark of it. */
export interface Cursor {
  row: number;
  mark: number;
}

/** A chosen row and its mark. Rows and marks come and go around them, so they are not known by their places. */
export interface Choice {
  schedule: string;
  /** Its batch or its moment; undefined in a row without marks. */
  mark?: string;
  /** Its begin: if it has gone, the mark that begins the nearest to it takes its place. */
  from: number;
}

const markKey = ({ bar, moment }: Mark): string => (bar ? `batch ${String(bar.id)}` : `tick ${String(moment)}`);

type Rows = readonly Pick<NightRow, 'schedule'>[];
type Marks = readonly (readonly Mark[])[];

/** The choice of a place; undefined outside the rows. */
export function choiceOf(cursor: Cursor | undefined, rows: Rows, marks: Marks): Choice | undefined {
  const schedule = cursor && rows[cursor.row]?.schedule;
  const mark = cursor && marks[cursor.row]?.[cursor.mark];
  return schedule === undefined ? undefined : { schedule, mark: mark && markKey(mark), from: mark?.from ?? 0 };
}

/** The present place of a choice; undefined if its row has gone. */
export function placeOfChoice(choice: Choice | undefined, rows: Rows, marks: Marks): Cursor | undefined {
  const row = choice ? rows.findIndex(({ schedule }) => schedule === choice.schedule) : -1;
  const own = marks[row];
  if (!choice || !own) return undefined;
  const mark = own.findIndex((one) => markKey(one) === choice.mark);
  return { row, mark: mark < 0 ? nearest(own, choice.from) : mark };
}

/** The next place of the cursor for a key. Undefined if the key does not move it. */
export function moveCursor(key: string, { row, mark }: Cursor, rows: readonly (readonly Mark[])[]): Cursor | undefined {
  const clamp = (n: number, most: number) => Math.max(0, Math.min(n, most));
  const last = (of: number) => Math.max(0, (rows[of]?.length ?? 0) - 1);
  switch (key) {
    case 'ArrowLeft':
      return { row, mark: clamp(mark - 1, last(row)) };
    case 'ArrowRight':
      return { row, mark: clamp(mark + 1, last(row)) };
    case 'Home':
      return { row, mark: 0 };
    case 'End':
      return { row, mark: last(row) };
    case 'ArrowUp':
    case 'ArrowDown': {
      const next = clamp(row + (key === 'ArrowUp' ? -1 : 1), rows.length - 1);
      const at = rows[row]?.[mark]?.from ?? 0;
      return { row: next, mark: nearest(rows[next] ?? [], at) };
    }
    default:
      return undefined;
  }
}

/** The index of the mark that begins the nearest to a moment. */
function nearest(marks: readonly Mark[], at: number): number {
  let best = 0;
  marks.forEach((mark, i) => {
    if (Math.abs(mark.from - at) < Math.abs((marks[best]?.from ?? 0) - at)) best = i;
  });
  return best;
}
