import { GLYPHS, type ShownState } from '@/ui';
import { type Cell, shares, type Row } from './grid';

// Draws single cells. Each state has its own colour, and its own sign or outline: a cell can be read without colours.

/** The colours of the picture, from the tokens of the page. */
export interface Colours {
  paper: string;
  surface: string;
  line: string;
  lineStrong: string;
  ink: string;
  ink2: string;
  ink3: string;
  focus: string;
  honeyInk: string;
  honeyWash: string;
  state: Record<ShownState, string>;
  font: string;
}

const STATES = Object.keys(GLYPHS) as ShownState[];

/** Reads the colours of the present theme. */
export function readColours(element: Element): Colours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const colour = (state: ShownState) => token(state === 'queued' ? 'waiting' : state);
  return {
    paper: token('paper'),
    surface: token('surface'),
    line: token('line'),
    lineStrong: token('line-strong'),
    ink: token('ink'),
    ink2: token('ink-2'),
    ink3: token('ink-3'),
    focus: token('focus'),
    honeyInk: token('honey-ink'),
    honeyWash: token('honey-wash'),
    state: Object.fromEntries(STATES.map((state) => [state, colour(state) || token('ink-3')])) as Colours['state'],
    font: style.fontFamily,
  };
}

/** Mixes two colours written as `#rrggbb`: so much of the first one. */
export function mix(a: string, b: string, share: number): string {
  const parts = (text: string) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  const [x, y] = [parts(a), parts(b.length === 4 ? b.replace(/[^#]/g, '$&$&') : b)];
  return `rgb(${x.map((v, i) => Math.round(v * share + (y[i] ?? 0) * (1 - share))).join(',')})`;
}

type Context = CanvasRenderingContext2D;

const paths = new Map<string, Path2D>();
/** A palm: a person marked the task. */
const PALM =
  'M5.4 8.6V4.9a.9.9 0 0 1 1.8 0v2.6V3.9a.9.9 0 0 1 1.8 0v3.6V4.9a.9.9 0 0 1 1.8 0v4.6a3.4 3.4 0 0 1-6 2.2L3.6 9.4';

/** Draws a path of a square of 16 around a point. */
export function stroke(
  c: Context,
  path: string,
  x: number,
  y: number,
  size: number,
  colour: string,
  width = 1.8,
): void {
  let shape = paths.get(path);
  if (!shape) paths.set(path, (shape = new Path2D(path)));
  c.save();
  c.translate(x - size / 2, y - size / 2);
  c.scale(size / 16, size / 16);
  c.strokeStyle = colour;
  c.lineWidth = (width * 16) / size / 1.2;
  c.lineCap = 'round';
  c.lineJoin = 'round';
  c.stroke(shape);
  c.restore();
}

/** Fills a rectangle with round corners. */
export function fill(c: Context, x: number, y: number, w: number, h: number, colour: string, radius = 3): void {
  c.fillStyle = colour;
  c.beginPath();
  c.roundRect(x, y, w, h, Math.min(radius, w / 2, h / 2));
  c.fill();
}

/** Draws the outline of a rectangle, within it. */
export function outline(
  c: Context,
  [x, y, w, h]: readonly [number, number, number, number],
  colour: string,
  { width = 1.2, dash = [] as number[], radius = 3 } = {},
): void {
  c.save();
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.setLineDash(dash);
  c.beginPath();
  c.roundRect(x + width / 2, y + width / 2, w - width, h - width, Math.min(radius, w / 2, h / 2));
  c.stroke();
  c.restore();
}

type Draw = (c: Context, colours: Colours, x: number, y: number, n: number) => void;

const pale = ({ state, surface }: Colours) => mix(state.succeeded, surface, 0.3);

/** An outlined cell with the sign of its state. */
const framed =
  (state: ShownState, dash: number[] = []): Draw =>
  (c, { state: colour, surface }, x, y, n) => {
    fill(c, x, y, n, n, mix(colour[state], surface, 0.1));
    outline(c, [x, y, n, n], colour[state], { dash });
    stroke(c, GLYPHS[state], x + n / 2, y + n / 2, n - 3, colour[state], 1.5);
  };

const DRAW: Record<Exclude<Cell, '.'>, Draw> = {
  s: (c, colours, x, y, n) => {
    fill(c, x, y, n, n, pale(colours));
  },
  r: (c, colours, x, y, n) => {
    fill(c, x, y, n, n, pale(colours));
    stroke(c, GLYPHS.retrying, x + n / 2, y + n / 2, n - 2, colours.state.retrying, 1.7);
  },
  m: (c, { state }, x, y, n) => {
    outline(c, [x, y, n, n], state.succeeded, { width: 1.4, dash: [2, 1.6] });
    stroke(c, PALM, x + n / 2, y + n / 2, n - 2, state.succeeded, 1.3);
  },
  f: (c, { state, surface }, x, y, n) => {
    fill(c, x, y, n, n, state.failed);
    stroke(c, GLYPHS.failed, x + n / 2, y + n / 2, n - 3, surface, 2);
  },
  c: (c, { state, surface }, x, y, n) => {
    fill(c, x, y, n, n, mix(state.canceled, surface, 0.12));
    outline(c, [x, y, n, n], mix(state.canceled, surface, 0.6), { width: 1 });
    fill(c, x + n / 2 - 2, y + n / 2 - 2, 4, 4, state.canceled, 1);
  },
  k: (c, { state }, x, y, n) => {
    outline(c, [x, y, n, n], state.skipped, { width: 1, dash: [2.5, 2] });
    stroke(c, GLYPHS.skipped, x + n / 2, y + n / 2, n - 4, state.skipped, 1.6);
  },
  n: (c, { state }, x, y, n) => {
    dash(c, x, y, n, state.ignored);
  },
  i: (c, { state }, x, y, n) => {
    outline(c, [x, y, n, n], state.ignored, { width: 1, dash: [1, 2] });
    dash(c, x, y, n, state.ignored);
  },
  w: framed('waiting'),
  y: framed('ready'),
  u: (c, { state, surface }, x, y, n) => {
    fill(c, x, y, n, n, mix(state.running, surface, 0.16));
    outline(c, [x, y, n, n], state.running, { width: 1.6 });
    stroke(c, GLYPHS.running, x + n / 2, y + n / 2, n - 3, state.running, 1.6);
  },
  x: framed('unknown', [3, 2]),
};

function dash(c: Context, x: number, y: number, n: number, colour: string): void {
  fill(c, x + n / 2 - 3, y + n / 2 - 0.8, 6, 1.6, colour, 0.8);
}

/** Draws the cell of a task in a square of n pixels. */
export function drawCell(c: Context, colours: Colours, cell: Cell, x: number, y: number, n: number): void {
  if (cell !== '.') DRAW[cell](c, colours, x, y, n);
}

/** The colours of the parts of a folded job. Successes are pale. */
function partColour({ state, surface }: Colours, cell: Cell): string {
  switch (cell) {
    case 'f':
      return state.failed;
    case 'u':
      return state.running;
    case 'x':
      return state.unknown;
    case 'c':
      return mix(state.canceled, surface, 0.6);
    case 'k':
      return mix(state.skipped, surface, 0.5);
    case 'w':
    case 'y':
      return mix(state.waiting, surface, 0.25);
    default:
      return mix(state.succeeded, surface, 0.3);
  }
}

const PALE: ReadonlySet<Cell> = new Set(['s', 'r', 'm', 'n', 'i']);

/**
 * Draws the cell of a job: a bar of its tasks by state, so that a failed part is at the right and has a line below, and
 * a dot if a task needed a retry.
 */
export function drawShares(
  c: Context,
  colours: Colours,
  rows: readonly Row[],
  column: number,
  x: number,
  y: number,
  n: number,
): void {
  const parts = shares(rows, column);
  const sum = parts.reduce((total, { count }) => total + count, 0);
  if (sum === 0) return;
  const top = y + 3;
  const height = n - 6;
  if (parts.every(({ cell }) => PALE.has(cell))) {
    fill(c, x, top, n, height, pale(colours), 2);
    if (parts.some(({ cell }) => cell === 'r')) {
      c.fillStyle = colours.state.retrying;
      c.beginPath();
      c.arc(x + n - 1, top, 2.2, 0, 2 * Math.PI);
      c.fill();
    }
    return;
  }
  let right = x + n;
  for (const { cell, count } of parts) {
    const width = Math.max(2, (count / sum) * n);
    const left = Math.max(x, right - width);
    fill(
      c,
      left,
      cell === 'f' ? top - 2 : top,
      right - left,
      cell === 'f' ? height + 4 : height,
      partColour(colours, cell),
      1,
    );
    right = left - 0.8;
    if (right <= x) return;
  }
}
