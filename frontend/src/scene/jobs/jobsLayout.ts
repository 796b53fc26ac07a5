import type { TaskGraph } from '@/graph';
import type { Size } from '../camera';
import { CARD, FOOT, INSETS, NARROW } from '../dimensions';
import type { Bars, Box, Lane, Layout } from '../types';

// The level of jobs: each job is a bar in a row of constant height. One job can be open, with its cards below its bar.

/** A job that is open, with the keys of its tasks in the order of their cards. */
export interface OpenJob {
  job: string;
  /** The tasks that are drawn as cards. */
  cards: readonly string[];
  /** The tasks that are drawn as tiles, below the cards. */
  tiles: readonly string[];
}

/** The height of a row: as large as the screen allows, but names remain legible. */
const PITCH = { least: 20, most: 36 } as const;
/** Between the cards of an open job, and around them. */
const CARD_GAP = 10;
const OPEN_PAD = 14;
/** The size of a tile, and the space between tiles. */
const TILE = { width: 92, height: 20, gap: 5 } as const;
/** The least length of the bar of a job with tasks. */
const LEAST_BAR = 6;

/** The layout of the level of jobs, for a screen. It has no edges: bundles are drawn as ribbons. */
export function layoutJobs(graph: TaskGraph, screen: Size, open?: OpenJob): Layout & { bars: Bars } {
  const width = Math.max(320, Math.floor(screen.width));
  const narrow = width < NARROW;
  const { margin } = narrow ? INSETS.narrow : INSETS.wide;
  const bars = barsOf(graph, width, screen.height - FOOT - 2 * margin, narrow);
  const lanes: Lane[] = [];
  const boxes = new Map<string, Box>();
  let top: number = margin;
  graph.jobs.forEach((job, index) => {
    const grid = open?.job === job.key ? gridOf(open, index, top + bars.pitch + 2, [margin, bars.right]) : undefined;
    for (const box of grid?.boxes ?? []) boxes.set(box.key, box);
    const height = grid ? bars.pitch + 2 + grid.height : bars.pitch;
    const waitsForAll = job.tasks.some((task) => task.waitsForAll);
    lanes.push({ key: job.key, index, x: margin, y: top, width: width - 2 * margin, height, ties: [], waitsForAll });
    top += height;
  });
  return { width, height: top + margin, narrow, lanes, boxes, edges: [], bars };
}

/** The measures of all rows. The longest bar ends where the room for ribbons begins. */
function barsOf(graph: TaskGraph, width: number, room: number, narrow: boolean): Bars {
  const count = Math.max(1, graph.jobs.length);
  const pitch = Math.max(PITCH.least, Math.min(PITCH.most, Math.floor(room / count)));
  const gutter = narrow ? 76 : Math.round(Math.max(160, Math.min(320, width * 0.24)));
  const left = narrow ? 164 : Math.round(Math.max(250, Math.min(340, width * 0.23)));
  const right = Math.max(left + 60, width - gutter);
  const most = Math.max(1, ...graph.jobs.map((job) => job.tasks.length));
  return { pitch, left, right, unit: (right - left) / most };
}

/** The length of the bar of a job with so many tasks. */
export const barLength = ({ unit }: Bars, tasks: number): number =>
  tasks === 0 ? 0 : Math.max(LEAST_BAR, tasks * unit);

/** The right end of the frame of an open job: right of it is room for ribbons. */
export const openEnd = ({ right }: Bars): number => right + OPEN_PAD;

/** The cards of an open job and the tiles below them, row by row. */
function gridOf(
  { cards, tiles }: OpenJob,
  lane: number,
  top: number,
  [left, right]: readonly [number, number],
): { boxes: Box[]; height: number } {
  const from = { lane, x: left + OPEN_PAD, room: right - left - OPEN_PAD };
  const upper = rowsOfBoxes(cards, { ...CARD, gap: CARD_GAP }, { ...from, y: top, row: 0 });
  const lower = rowsOfBoxes(tiles, TILE, { ...from, y: top + upper.height, row: upper.rows });
  const boxes = [...upper.boxes, ...lower.boxes.map((box) => ({ ...box, tile: true }))];
  return { boxes, height: boxes.length === 0 ? 0 : upper.height + lower.height - CARD_GAP + OPEN_PAD };
}

interface Place {
  lane: number;
  x: number;
  y: number;
  /** The number of rows above. */
  row: number;
  room: number;
}

/** Boxes of one size, row by row, with some space below the last row. */
function rowsOfBoxes(keys: readonly string[], size: Size & { gap: number }, { lane, x, y, row, room }: Place) {
  const { width, height, gap } = size;
  const columns = Math.max(1, Math.floor((room + gap) / (width + gap)));
  const boxes = keys.map((key, i): Box => {
    const at = Math.floor(i / columns);
    return {
      key,
      lane,
      row: row + at,
      x: x + (i % columns) * (width + gap),
      y: y + at * (height + gap),
      width,
      height,
    };
  });
  const rows = Math.ceil(keys.length / columns);
  return { boxes, rows, height: rows === 0 ? 0 : rows * (height + gap) - gap + CARD_GAP };
}

/** Up to this many tasks of a job are all cards. */
const ALL_CARDS = 40;
/** At most this many tasks of a large job are cards: those that need a person or are going on. */
const MOST_CARDS = 60;
const QUIET: ReadonlySet<string> = new Set(['waiting', 'canceled', 'skipped', 'ignored', 'succeeded', 'none']);

/**
 * How a job opens. While editing, all tasks are cards in their order. In a batch the worst states come first, and the
 * quiet tasks of a large job are tiles.
 */
export function openJob(
  { key, tasks }: TaskGraph['jobs'][number],
  stateOf: (key: string) => string,
  editing: boolean,
): OpenJob {
  const keys = tasks.map((task) => task.key);
  if (editing) return { job: key, cards: keys, tiles: [] };
  const sorted = worstFirst(keys, stateOf);
  if (keys.length <= ALL_CARDS) return { job: key, cards: sorted, tiles: [] };
  const loud = sorted.filter((each) => !QUIET.has(stateOf(each))).slice(0, MOST_CARDS);
  const isCard = new Set(loud);
  return { job: key, cards: loud, tiles: sorted.filter((each) => !isCard.has(each)) };
}

/** The severity of states, the worst first: what needs a person, what is going on, what is over. */
export const SEVERITY = [
  'failed',
  'unknown',
  'retrying',
  'canceled',
  'running',
  'ready',
  'waiting',
  'skipped',
  'ignored',
  'succeeded',
];

const severity = (state: string) => {
  const at = SEVERITY.indexOf(state);
  return at < 0 ? SEVERITY.length : at;
};

/** The worst of the states that occur; `none` if there is none. */
export function worstState(counts: Readonly<Record<string, number>>): string {
  return Object.keys(counts).sort((a, b) => severity(a) - severity(b))[0] ?? 'none';
}

/** The keys of tasks, those in the worst states first. Tasks of one state keep their order. */
export function worstFirst(keys: readonly string[], stateOf: (key: string) => string): string[] {
  return [...keys].sort((a, b) => severity(stateOf(a)) - severity(stateOf(b)));
}
