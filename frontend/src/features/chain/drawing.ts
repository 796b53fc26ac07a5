import type { ShownState } from '@/ui/states';
import {
  type Bar,
  barsByMoment,
  type Chain,
  type Edge,
  isLate,
  type Link,
  mainBar,
  type Place,
  placeOf,
  stateOf,
} from './chain';

/** Height of the axis, in pixels. */
export const HEAD = 36;
/** Height of a row, in pixels. */
export const ROW = 66;
const HALF = 7; // of a bar
/** Pixels of an expected bar whose end is not known. */
const OPEN_WIDTH = 22;
/** From so many pixels on, an edge leaves a bar to the right. Otherwise it goes down at its end. */
const ASIDE = 26;

/** A rectangle in pixels. */
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Text {
  x: number;
  y: number;
  anchor: 'start' | 'end';
  words: string;
}

/** A bar in pixels. */
export interface DrawnBar {
  key: string;
  schedule: string;
  state: ShownState;
  /** It does not belong to the present moments. */
  quiet: boolean;
  late: boolean;
  usual?: Box;
  ran?: Box;
  ahead?: Box;
  begins?: { rect: Box; tick: string; text: Text };
  text?: Text;
  /** The tone of the text. */
  note?: 'bad' | 'warn';
}

/** An edge as paths. */
export interface DrawnEdge {
  key: string;
  path: string;
  arrow: string;
  met: boolean;
  critical: boolean;
}

/** A chain in pixels. */
export interface Drawing {
  width: number;
  x: (at: number) => number;
  /** Of the mark of now; undefined outside. */
  now?: number;
  bars: DrawnBar[];
  edges: DrawnEdge[];
}

/** The words that a drawing needs. */
interface Words {
  fact: (link: Link, bar: Bar) => string;
  expires: (at: string) => string;
}

/** Computes the drawing of a chain, `width` pixels wide, at the time `now`. */
export function draw(chain: Chain, width: number, now: number, critical: readonly Edge[], words: Words): Drawing {
  const [from, until] = [Date.parse(chain.from), Date.parse(chain.until)];
  const x = (at: number) => Math.round(((at - from) / (until - from)) * width * 10) / 10;
  const row = new Map(chain.schedules.map((link, i) => [link.name, HEAD + ROW * i + ROW / 2]));
  const find = barsByMoment(chain);
  const leaving = new Set<Bar>(); // bars with an edge that leaves them to the right: their text stands above it
  const edges = chain.edges.flatMap((edge): DrawnEdge[] => {
    const [source, target] = [find(edge.from, edge.fromMoment), find(edge.to, edge.toMoment)];
    const [y1, y2] = [row.get(edge.from), row.get(edge.to)];
    if (!source || !target || y1 === undefined || y2 === undefined || edge.from === edge.to) return [];
    const [x1, x2] = [x(placeOf(source, now).end), x(placeOf(target, now).start)];
    if (x2 - x1 >= ASIDE) leaving.add(source);
    return [
      {
        key: `${edge.from} ${edge.to} ${edge.toMoment}`,
        ...route(x1, y1, x2, y2),
        met: edge.met === edge.needed,
        critical: critical.includes(edge),
      },
    ];
  });
  const bars = chain.schedules.flatMap((link) =>
    link.bars.map((bar) => {
      const y = row.get(link.name) ?? 0;
      return drawBar({ link, bar, place: placeOf(bar, now), y, x, width, words, leaving: leaving.has(bar) });
    }),
  );
  edges.sort((a, b) => Number(a.critical) - Number(b.critical)); // the critical chain lies above the others
  const nowX = x(now);
  return { width, x, now: nowX >= 0 && nowX <= width ? nowX : undefined, bars, edges };
}

interface BarArgs {
  link: Link;
  bar: Bar;
  place: Place;
  y: number;
  x: Drawing['x'];
  width: number;
  words: Words;
  leaving: boolean;
}

function drawBar(args: BarArgs): DrawnBar {
  const { link, bar, place, y, x } = args;
  const box = (span: readonly [number, number | undefined] | undefined, half: number): Box | undefined =>
    span && {
      x: x(span[0]),
      y: y - half,
      width: span[1] === undefined ? OPEN_WIDTH : Math.max(2, x(span[1]) - x(span[0])),
      height: 2 * half,
    };
  const out: DrawnBar = {
    key: `${link.name} ${bar.moment}`,
    schedule: link.name,
    state: stateOf(bar),
    quiet: !bar.present,
    late: isLate(bar),
    usual: box(place.usual, HALF + 3),
    ran: box(place.ran, HALF),
    ahead: box(place.ahead, HALF),
    begins: drawBegins(args),
  };
  if (mainBar(link) === bar) {
    out.text = drawText(out, args);
    out.note = bar.outcome === 'held' || bar.outcome === 'failed' ? 'bad' : out.late ? 'warn' : undefined;
  }
  return out;
}

/** The time in which a bar may begin, as a line below it. */
function drawBegins({ bar, place: { begins }, y, x, width, words }: BarArgs): DrawnBar['begins'] {
  if (!begins || !bar.mayBeginUntil || x(begins[1]) > width) return undefined;
  const [left, right] = [x(begins[0]), x(begins[1])];
  const line = y + HALF + 11;
  const fits = right + 90 < width;
  return {
    rect: { x: left, y: line - 2, width: Math.max(1, right - left), height: 4 },
    tick: `M${String(right)} ${String(line - 6)}V${String(line + 6)}`,
    text: {
      x: fits ? right + 7 : right - 7,
      y: fits ? line + 4 : line - 6,
      anchor: fits ? 'start' : 'end',
      words: words.expires(bar.mayBeginUntil),
    },
  };
}

/** The text of a bar: behind it, above an edge that leaves it, or before it if there is no room. */
function drawText({ usual, ran, ahead }: DrawnBar, { link, bar, place, y, x, width, words, leaving }: BarArgs): Text {
  const rightOf = (box: Box | undefined) => (box ? box.x + box.width : 0);
  const right = Math.max(x(place.end), rightOf(ahead), ran || ahead ? 0 : rightOf(usual));
  const left = Math.min(x(place.start), usual?.x ?? Infinity);
  const text = words.fact(link, bar);
  const needed = textWidth(text) + 12;
  const fits = right + needed < width || left < needed;
  return {
    x: fits ? right + 9 : left - 9,
    y: leaving && fits ? y - HALF - 4 : y + 4,
    anchor: fits ? 'start' : 'end',
    words: text,
  };
}

/** A wide estimate of the width of a text, in pixels. */
const textWidth = (text: string) => [...text].reduce((sum, c) => sum + (c > '\u2e7f' ? 12.5 : 7), 0);

/** The way of an edge from the end of one bar to the start of another, and its arrow. */
export function route(x1: number, y1: number, x2: number, y2: number): { path: string; arrow: string } {
  const n = (value: number) => String(Math.round(value * 10) / 10);
  const down = Math.sign(y2 - y1) || 1;
  if (x2 - x1 >= ASIDE) {
    const turn = x2 - 16;
    const r = Math.min(10, Math.abs(y2 - y1) / 2);
    return {
      path:
        `M${n(x1)} ${n(y1)}H${n(turn - r)}Q${n(turn)} ${n(y1)} ${n(turn)} ${n(y1 + down * r)}` +
        `V${n(y2 - down * 6)}Q${n(turn)} ${n(y2)} ${n(turn + 6)} ${n(y2)}H${n(x2 - 4)}`,
      arrow: `M${n(x2 - 1)} ${n(y2)}l-7 -4v8z`,
    };
  }
  const target = x2 + 5;
  const start = Math.min(x1 - 3, Math.max(target, x1 - 16));
  const [top, bottom] = [y1 + down * HALF, y2 - down * (HALF + 4)];
  const middle = bottom - down * 14;
  const r = Math.min(5, Math.abs(target - start) / 2);
  const side = Math.sign(target - start);
  const last = n(bottom - down * 4);
  const bend =
    r < 1
      ? `V${last}`
      : `V${n(middle - down * r)}Q${n(start)} ${n(middle)} ${n(start + side * r)} ${n(middle)}` +
        `H${n(target - side * r)}Q${n(target)} ${n(middle)} ${n(target)} ${n(middle + down * r)}V${last}`;
  return {
    path: `M${n(start)} ${n(top)}${bend}`,
    arrow: `M${n(r < 1 ? start : target)} ${n(bottom)}l-4 ${n(-down * 7)}h8z`,
  };
}
