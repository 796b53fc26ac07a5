import { GLYPHS } from '@/ui';
import { type Colours, drawCell, drawShares, fill, mix, outline, stroke } from './cells';
import type { DateLabel } from './dates';
import { type Batch, cellAt, type Grid, type Line, type Stats, tookOf } from './grid';
import {
  AFTER_NAME,
  columnX,
  INDENT,
  type Layout,
  lineY,
  statsAt,
  visibleColumns,
  visibleLines,
  type Window,
} from './layout';
import { isMarked, type Marks, type Place } from './marks';

/** Everything that the picture shows. */
export interface Picture {
  grid: Grid;
  lines: readonly Line[];
  layout: Layout;
  view: Window;
  colours: Colours;
  dates: readonly DateLabel[];
  marks: Marks;
  /** The place under the pointer. */
  hover?: Partial<Place>;
  /** The chosen place. */
  chosen?: Place;
  /** The usual duration of a batch in milliseconds. */
  usual?: number;
  /** Milliseconds since 1970. */
  now: number;
  texts: Texts;
}

/** The texts of the picture, in the language of the user. */
export interface Texts {
  /** The name of a line. */
  name: (line: Line) => string;
  /** The number of tasks of a job. */
  tasks: (count: number) => string;
  all: string;
  usual: string;
  heads: readonly [string, string, string];
  percent: (share: number) => string;
  took: (ms: number) => string;
}

type Context = CanvasRenderingContext2D;

/** Draws what is visible of the grid. */
export function paint(c: Context, p: Picture, stats: (line: Line) => Stats): void {
  const { view, layout, colours } = p;
  c.clearRect(0, 0, view.width, view.height);
  fill(c, 0, 0, view.width, view.height, colours.surface, 0);
  const columns = visibleColumns(layout, p.grid, view);
  const lines = visibleLines(layout, p.lines, view);
  const right = statsAt(layout, p.grid, view);
  c.save();
  c.beginPath();
  c.rect(0, layout.head, view.width, view.height - layout.head);
  c.clip();
  paintCross(c, p, right);
  for (let y = lines.from; y <= lines.to; y++) paintName(c, p, y);
  c.beginPath();
  c.rect(layout.names - 4, layout.head, right - layout.names + 4, view.height - layout.head);
  c.clip();
  for (let x = columns.from; x <= columns.to; x++) {
    if (p.dates[x]?.long) rule(c, columnX(layout, view, x) - 3, layout.head, view.height, colours.line);
    for (let y = lines.from; y <= lines.to; y++) paintCell(c, p, x, y);
  }
  if (p.chosen) paintChosen(c, p, p.chosen);
  c.restore();
  if (layout.stats > 0) for (let y = lines.from; y <= lines.to; y++) paintStats(c, p, y, right, stats);
  paintHead(c, p, columns, right);
}

const FAINT = 0.06;

/** The lines through the place under the pointer. */
function paintCross(c: Context, { view, layout, colours, hover, chosen }: Picture, right: number): void {
  const at = hover?.y === undefined && hover?.x === undefined ? chosen : hover;
  const tint = mix(colours.ink, colours.surface, FAINT);
  if (at?.y !== undefined) fill(c, 4, lineY(layout, view, at.y), right + layout.stats - 8, layout.line, tint, 4);
  if (at?.x !== undefined) {
    const x = columnX(layout, view, at.x);
    if (x >= layout.names - 4) fill(c, x - 3, layout.head, layout.column, view.height, tint, 0);
  }
}

function rule(c: Context, x: number, from: number, to: number, colour: string): void {
  c.fillStyle = colour;
  c.fillRect(Math.round(x), from, 1, to - from);
}

interface Font {
  size?: number;
  bold?: boolean;
  align?: CanvasTextAlign;
}

/** Draws a text. A text that is wider than `most` pixels is shortened. */
function write(
  c: Context,
  { font }: Colours,
  text: string,
  [x, y]: readonly [number, number],
  colour: string,
  { size = 11.5, bold = false, align = 'left', most = Infinity }: Font & { most?: number } = {},
): void {
  c.font = `${bold ? 600 : 400} ${String(size)}px ${font}`;
  c.textAlign = align;
  c.textBaseline = 'middle';
  c.fillStyle = colour;
  c.fillText(shorten(c, text, most), x, y);
}

function shorten(c: Context, text: string, most: number): string {
  if (most === Infinity || c.measureText(text).width <= most) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const half = Math.ceil((low + high) / 2);
    if (c.measureText(`${text.slice(0, half)}…`).width <= most) low = half;
    else high = half - 1;
  }
  return `${text.slice(0, low)}…`;
}

const isBad = (line: Line, columns: number) => line.kind === 'task' && cellAt(line.row, columns - 1) === 'f';

/** The name of a line, at the left of its cells. */
function paintName(c: Context, p: Picture, y: number): void {
  const { layout, view, colours, texts } = p;
  const line = p.lines[y];
  if (!line) return;
  const top = lineY(layout, view, y);
  const middle = top + layout.line / 2;
  const narrow = layout.stats === 0;
  const indent = narrow ? INDENT.narrow : INDENT.wide;
  if (line.kind === 'task') {
    const bad = isBad(line, p.grid.batches.length);
    write(c, colours, texts.name(line), [indent, middle], bad ? colours.state.failed : colours.ink, {
      size: 12.5,
      bold: bad,
      most: layout.names - indent - AFTER_NAME.task,
    });
    return;
  }
  fill(c, 0, Math.round(top), view.width, 1, colours.line, 0);
  stroke(c, line.open ? 'M4 6l4 4 4-4' : 'M6 4l4 4-4 4', narrow ? 14 : 20, middle, 12, colours.ink2, 1.5);
  hexagon(c, narrow ? 29 : 38, middle, colours.honeyWash);
  write(c, colours, String(line.place + 1), [narrow ? 29 : 38, middle + 0.5], colours.honeyInk, {
    size: 10,
    bold: true,
    align: 'center',
  });
  const count = narrow ? '' : texts.tasks(line.rows.length);
  if (count) write(c, colours, count, [layout.names - AFTER_NAME.job, middle], colours.ink2, { align: 'right' });
  c.font = `400 11.5px ${colours.font}`;
  const room = layout.names - indent - AFTER_NAME.job - (count ? c.measureText(count).width + AFTER_NAME.count : 0);
  write(c, colours, texts.name(line), [indent, middle], colours.ink, { size: 13, bold: true, most: room });
}

function hexagon(c: Context, x: number, y: number, colour: string): void {
  c.fillStyle = colour;
  c.beginPath();
  for (let i = 0; i < 6; i++) c.lineTo(x + 8 * Math.sin((i * Math.PI) / 3), y - 8 * Math.cos((i * Math.PI) / 3));
  c.fill();
}

/** The cell of a line in a batch, with its mark. */
function paintCell(c: Context, p: Picture, x: number, y: number): void {
  const { grid, lines, layout, view, colours, marks } = p;
  const line = lines[y];
  if (!line) return;
  const left = columnX(layout, view, x);
  const top = lineY(layout, view, y);
  const inset = (layout.line - layout.cell) / 2;
  if (marks.size > 0 && isMarked(marks, grid, lines, { x, y })) paintMark(c, p, x, y);
  if (line.kind === 'job') drawShares(c, colours, line.rows, x, left, top + inset, layout.cell);
  else drawCell(c, colours, cellAt(line.row, x), left, top + inset, layout.cell);
}

/** A marked cell: its ground, and a line where the marked area ends. */
function paintMark(c: Context, { grid, lines, layout, view, colours, marks }: Picture, x: number, y: number): void {
  const left = columnX(layout, view, x) - 3;
  const top = lineY(layout, view, y);
  const { column, line } = layout;
  c.fillStyle = mix(colours.focus, colours.surface, 0.16);
  c.fillRect(left, top, column, line);
  c.fillStyle = colours.focus;
  const free = (dx: number, dy: number) => !isMarked(marks, grid, lines, { x: x + dx, y: y + dy });
  if (free(-1, 0)) c.fillRect(left, top, 1.5, line);
  if (free(1, 0)) c.fillRect(left + column - 1.5, top, 1.5, line);
  if (free(0, -1)) c.fillRect(left, top, column, 1.5);
  if (free(0, 1)) c.fillRect(left, top + line - 1.5, column, 1.5);
}

function paintChosen(c: Context, { layout, view, colours }: Picture, { x, y }: Place): void {
  const size = layout.cell + 6;
  const at = [columnX(layout, view, x) - 3, lineY(layout, view, y) + (layout.line - size) / 2, size, size] as const;
  outline(c, at, colours.focus, { width: 2, radius: 5 });
}

/** The share of successes, the usual duration and the trend of a line. */
function paintStats(c: Context, p: Picture, y: number, at: number, statsOf: (line: Line) => Stats): void {
  const { layout, view, colours, texts } = p;
  const line = p.lines[y];
  const middle = lineY(layout, view, y) + layout.line / 2;
  if (!line || middle < layout.head) return;
  const { rate, usual, trend, slower } = statsOf(line);
  if (rate !== undefined)
    write(c, colours, texts.percent(rate), [at + 54, middle], rate < 1 ? colours.ink : colours.ink3, {
      align: 'right',
      bold: rate < 1,
    });
  if (usual !== undefined) write(c, colours, texts.took(usual), [at + 112, middle], colours.ink2, { align: 'right' });
  const colour = slower ? colours.state.retrying : colours.ink3;
  sparkline(c, trend, [at + 124, middle], colour);
  if (slower) stroke(c, 'M4 11l4-5 4 5', at + 178, middle, 9, colour, 1.6);
}

function sparkline(c: Context, numbers: readonly number[], [x, y]: readonly [number, number], colour: string): void {
  if (numbers.length < 2) return;
  const most = Math.max(...numbers);
  const least = Math.min(...numbers);
  const spread = Math.max(most - least, most * 0.2, 1);
  const point = (i: number): [number, number] => [
    x + (i * 44) / (numbers.length - 1),
    y + 5 - (((numbers[i] ?? 0) - least) / spread) * 10,
  ];
  c.strokeStyle = colour;
  c.lineWidth = 1.3;
  c.beginPath();
  numbers.forEach((_, i) => {
    c.lineTo(...point(i));
  });
  c.stroke();
  c.fillStyle = colour;
  c.beginPath();
  c.arc(...point(numbers.length - 1), 1.8, 0, 2 * Math.PI);
  c.fill();
}

/** The durations of the batches as bars, and their dates. */
function paintHead(c: Context, p: Picture, columns: { from: number; to: number }, right: number): void {
  const { grid, layout, view, colours, texts } = p;
  const { bars, names } = layout;
  fill(c, 0, layout.head - 1, view.width, 1, colours.line, 0);
  write(
    c,
    colours,
    layout.stats > 0 ? texts.all : texts.tasks(grid.rows.length),
    [layout.stats > 0 ? 24 : 12, bars + 14],
    colours.ink2,
    { most: names - 30 },
  );
  if (layout.stats > 0)
    texts.heads.forEach((head, i) => {
      write(c, colours, head, [right + ([54, 112, 124][i] ?? 0), bars + 14], colours.ink2, {
        align: i < 2 ? 'right' : 'left',
      });
    });
  const most = Math.max(1, p.usual ?? 0, ...grid.batches.map((batch) => tookOf(batch, p.now) ?? 0));
  const height = (ms: number) => Math.max(3, (ms / most) * (bars - 22));
  if (p.usual !== undefined) {
    const y = bars - height(p.usual);
    write(c, colours, texts.usual, [names - 12, y], colours.ink2, { align: 'right', most: names - 16 });
    c.save();
    c.strokeStyle = colours.lineStrong;
    c.setLineDash([2, 3]);
    c.beginPath();
    c.moveTo(names - 6, y);
    c.lineTo(right, y);
    c.stroke();
    c.restore();
  }
  c.save();
  c.beginPath();
  c.rect(names - 4, 0, right - names + 4, layout.head);
  c.clip();
  let free = -Infinity;
  for (let x = columns.from; x <= columns.to; x++) {
    if ((p.hover?.x ?? p.chosen?.x) === x)
      fill(
        c,
        columnX(layout, view, x) - 3,
        4,
        layout.column,
        layout.head - 5,
        mix(colours.ink, colours.surface, FAINT),
        4,
      );
    const batch = grid.batches[x];
    const ms = batch && tookOf(batch, p.now);
    if (batch && ms !== undefined) paintBar(c, p, batch, columnX(layout, view, x), height(ms));
    free = paintDate(c, p, x, free);
  }
  c.restore();
}

/** The bar of a batch. A failed one that a person closed is hollow, a running one is only an outline. */
function paintBar(c: Context, { layout, colours }: Picture, batch: Batch, x: number, height: number): void {
  const { state, surface } = colours;
  const top = layout.bars - height;
  const sign = (colour: string) => {
    if (height >= 14) stroke(c, GLYPHS[batch.state], x + 7, top + 8, 10, colour, 1.8);
  };
  if (batch.live || (batch.state === 'failed' && batch.closedNote)) {
    const colour = state[batch.live ? 'running' : 'failed'];
    fill(c, x, top, layout.cell, height, mix(colour, surface, 0.12));
    outline(c, [x, top, layout.cell, height], colour, { dash: batch.live ? [3, 2] : [] });
    sign(colour);
  } else if (batch.state === 'succeeded') fill(c, x, top, layout.cell, height, mix(state.succeeded, surface, 0.6));
  else {
    fill(c, x, top, layout.cell, height, state[batch.state]);
    sign(surface);
  }
  if (batch.round > 1)
    write(c, colours, String(batch.round), [x + 7, top - 7], colours.ink2, { size: 10, bold: true, align: 'center' });
}

/** The date of a column. `free` is where the last long date ended; the answer is where the next one may begin. */
function paintDate(
  c: Context,
  { layout, view, colours, dates, hover, chosen }: Picture,
  x: number,
  free: number,
): number {
  const date = dates[x];
  if (!date) return free;
  const left = columnX(layout, view, x);
  const current = (hover?.x ?? chosen?.x) === x;
  write(c, colours, date.short, [left + 7, layout.bars + 14], date.weekend && !current ? colours.ink3 : colours.ink2, {
    size: 10.5,
    bold: current || date.long !== undefined,
    align: 'center',
  });
  if (!date.long) return free;
  rule(c, left - 3, layout.bars + 4, layout.head, colours.line);
  if (left < free) return free;
  write(c, colours, date.long, [left, layout.bars + 28], colours.ink2, { size: 10 });
  return left + c.measureText(date.long).width + 6;
}
