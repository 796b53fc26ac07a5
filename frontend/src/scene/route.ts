import { CARD, GAP, ROW_GAP, TRACK, TRACKS } from './dimensions';
import type { Box, Point } from './types';

/** A lane while it is laid out: columns of cards, with channels left of, between and right of them. */
export interface LaneLayout {
  /** Tasks by column, from the top. */
  columns: readonly (readonly number[])[];
  rows: number;
  top: number;
  height: number;
  firstRow: number;
  /** The width of its cards. */
  card: number;
  /** Left edges of the columns. */
  xs: number[];
  /** The least width of the channel right of each column. */
  gaps: number[];
  /** The columns must not move. */
  pinned?: boolean;
  /** The left edges of columns before an edit that did not touch their tasks. */
  formerXs?: readonly (number | undefined)[];
}

/** The position of a task: its lane, and the column and row there. */
export interface Cell {
  lane: number;
  column: number;
  row: number;
}

/**
 * An edge that passes rows of a lane in a channel; channel 0 is left of the first column. `x` is the wanted position
 * until `placeTracks` sets the final one.
 */
export interface Passage {
  lane: number;
  channel: number;
  first: number;
  last: number;
  from: number;
  x: number;
}

/** The range of x for edges: between the left and right edge of the lanes. */
type Range = readonly [low: number, high: number];

/** The passages of an edge: in each lane, it takes the channel that is nearest to the straight line. */
export function choosePassages(
  lanes: readonly LaneLayout[],
  cells: readonly Cell[],
  from: number,
  to: number,
  range: Range,
): Passage[] {
  const [a, b] = [cells[from], cells[to]];
  if (!a || !b) return [];
  const [start, end] = [centre(lanes, a), centre(lanes, b)];
  const out: Passage[] = [];
  for (let index = a.lane; index <= b.lane; index++) {
    const lane = lanes[index];
    const first = index === a.lane ? a.row + 1 : 0;
    const last = index === b.lane ? b.row - 1 : (lane?.rows ?? 0) - 1;
    if (!lane || first > last) continue;
    const y = (rowTop(lane, first) + rowTop(lane, last) + CARD.height) / 2;
    const wanted = start.x + ((end.x - start.x) * (y - start.y)) / (end.y - start.y);
    const channel = nearestChannel(lane, wanted, range);
    out.push({ lane: index, channel, first, last, from, x: wanted });
  }
  return out;
}

/** Widens channels that several edges share, as far as the lanes have room. Returns whether a channel was widened. */
export function widenChannels(lanes: readonly LaneLayout[], passages: readonly Passage[], room: number): boolean {
  let widened = false;
  for (const [index, channels] of byChannel(lanes, passages)) {
    const lane = lanes[index];
    if (!lane || lane.pinned) continue;
    const slack = room - lane.columns.length * (lane.card + GAP) + GAP;
    const extras = lane.columns.map((_, column) => {
      const edges = new Set(channels.get(column + 1)?.map((p) => p.from)).size;
      return column + 1 < lane.columns.length ? Math.max(0, (Math.min(edges, TRACKS) + 1) * TRACK - GAP) : 0;
    });
    const extraSum = extras.reduce((sum, extra) => sum + extra, 0);
    if (extraSum === 0 || slack <= 0) continue;
    lane.gaps = extras.map((extra) => GAP + Math.floor(extra * Math.min(1, slack / extraSum)));
    widened = true;
  }
  return widened;
}

/**
 * Sets the x of passages in their channels. Edges from one task share a track; tracks are apart if there is room.
 */
export function placeTracks(lanes: readonly LaneLayout[], passages: readonly Passage[], range: Range): void {
  for (const [index, channels] of byChannel(lanes, passages)) {
    const lane = lanes[index];
    if (!lane) continue;
    for (const [channel, users] of channels) {
      const tracks = new Map<number, Passage[]>();
      for (const user of users) {
        const track = tracks.get(user.from);
        if (track) track.push(user);
        else tracks.set(user.from, [user]);
      }
      const meanX = (track: readonly Passage[]) => track.reduce((sum, p) => sum + p.x, 0) / track.length;
      const sorted = [...tracks.values()].map((track) => ({ track, x: meanX(track) })).sort((a, b) => a.x - b.x);
      const [left, right] = channelRange(lane, channel, range);
      const pitch = Math.min(TRACK, (right - left) / Math.max(1, sorted.length - 1));
      const xs = spread(
        sorted.map(({ x }) => x),
        () => pitch,
        left,
        right,
      );
      sorted.forEach(({ track }, i) => {
        for (const p of track) p.x = Math.round((xs[i] ?? left) * 2) / 2;
      });
    }
  }
}

/** The points of an edge from card to card. */
export function edgePoints(from: Box, to: Box, passages: readonly Passage[], lanes: readonly LaneLayout[]): Point[] {
  const points: Point[] = [{ x: from.x + from.width / 2, y: from.y + from.height }];
  for (const { lane: index, first, last, x } of passages) {
    const lane = lanes[index];
    if (lane) points.push({ x, y: rowTop(lane, first) }, { x, y: rowTop(lane, last) + CARD.height });
  }
  points.push({ x: to.x + to.width / 2, y: to.y });
  return points;
}

function rowTop(lane: LaneLayout, row: number): number {
  return lane.firstRow + row * (CARD.height + ROW_GAP);
}

function centre(lanes: readonly LaneLayout[], cell: Cell): Point {
  const lane = lanes[cell.lane];
  return lane
    ? { x: (lane.xs[cell.column] ?? 0) + lane.card / 2, y: rowTop(lane, cell.row) + CARD.height / 2 }
    : { x: 0, y: 0 };
}

/** The range of x for edges in a channel. */
function channelRange(lane: LaneLayout, channel: number, [low, high]: Range): Range {
  const left = channel === 0 ? low : (lane.xs[channel - 1] ?? 0) + lane.card;
  const right = lane.xs[channel] ?? high;
  return [left + TRACK - 1, right - TRACK + 1];
}

function nearestChannel(lane: LaneLayout, x: number, range: Range): number {
  // A binary search for the first column whose middle is right of x. A channel beside it is the nearest.
  let a = 0;
  let b = lane.columns.length;
  while (a < b) {
    const mid = (a + b) >> 1;
    if ((lane.xs[mid] ?? 0) + lane.card / 2 < x) a = mid + 1;
    else b = mid;
  }
  const distance = (channel: number) => {
    const [left, right] = channelRange(lane, channel, range);
    return Math.max(left - x, x - right, 0);
  };
  return [a - 1, a, a + 1]
    .filter((c) => c >= 0 && c <= lane.columns.length)
    .reduce((best, c) => (distance(c) < distance(best) ? c : best), a);
}

/** Passages by lane and channel. */
function byChannel(lanes: readonly LaneLayout[], passages: readonly Passage[]): Map<number, Map<number, Passage[]>> {
  const out = new Map<number, Map<number, Passage[]>>(lanes.map((_, index) => [index, new Map<number, Passage[]>()]));
  for (const passage of passages) {
    const channels = out.get(passage.lane);
    const users = channels?.get(passage.channel);
    if (users) users.push(passage);
    else channels?.set(passage.channel, [passage]);
  }
  return out;
}

/**
 * Returns positions as near as possible to the wanted ones: with the least sum of squared differences that keeps the
 * order and the distances (pool adjacent violators). `pitch(i)` is the least distance from i to i+1. All positions are
 * within [low, high] if that is wide enough, otherwise the first is at low.
 */
export function spread(wanted: readonly number[], pitch: (i: number) => number, low: number, high: number): number[] {
  const offset: number[] = [];
  let sum = 0;
  wanted.forEach((_, i) => {
    offset.push(sum);
    sum += pitch(i);
  });
  // After subtracting the distances, positions must not decrease: neighbours that would are pooled at their mean.
  const pools: { mean: number; size: number }[] = [];
  wanted.forEach((want, i) => {
    let pool = { mean: want - (offset[i] ?? 0), size: 1 };
    for (let last = pools.at(-1); last && last.mean > pool.mean; last = pools.at(-1)) {
      pools.pop();
      const size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  });
  const most = high - (offset.at(-1) ?? 0);
  const out: number[] = [];
  for (const pool of pools) {
    const at = Math.max(low, Math.min(most, pool.mean));
    for (let k = 0; k < pool.size; k++) out.push(at + (offset[out.length] ?? 0));
  }
  return out;
}
