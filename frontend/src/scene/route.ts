import { CARD, GAP, ROW_GAP, TRACK, TRACKS } from './measures';
import { spread } from './spread';
import type { Box, Point } from './types';

/** A lane while it is laid out: columns of cards, with channels left of, between and right of them. */
export interface Rack {
  /** Tasks by column, from the top. */
  columns: readonly (readonly number[])[];
  rows: number;
  top: number;
  height: number;
  firstRow: number;
  /** Left edges of the columns. */
  xs: number[];
  /** Least width of the channel right of each column. */
  gaps: number[];
  /** It stays where it is. */
  held?: boolean;
  /** Where columns stood, if their tasks were not touched. */
  stood?: readonly (number | undefined)[];
}

/** Where a task stands in its lane. */
export interface Spot {
  lane: number;
  column: number;
  row: number;
}

/** A edge passing rows of a lane in a channel: channel 0 is left of the first column. `x` is where it wants to be, then where it is. */
export interface Passage {
  lane: number;
  channel: number;
  first: number;
  last: number;
  from: number;
  x: number;
}

/** The inner edges of the lanes: edges stay between them. */
type Range = readonly [low: number, high: number];

/** The rows that a edge passes on its way, and the channel of each lane nearest to the straight line. */
export function choosePassages(
  racks: readonly Rack[],
  spots: readonly Spot[],
  from: number,
  to: number,
  range: Range,
): Passage[] {
  const [a, b] = [spots[from], spots[to]];
  if (!a || !b) return [];
  const [start, end] = [centre(racks, a), centre(racks, b)];
  const out: Passage[] = [];
  for (let lane = a.lane; lane <= b.lane; lane++) {
    const rack = racks[lane];
    const first = lane === a.lane ? a.row + 1 : 0;
    const last = lane === b.lane ? b.row - 1 : (rack?.rows ?? 0) - 1;
    if (!rack || first > last) continue;
    const y = (rowTop(rack, first) + rowTop(rack, last) + CARD.height) / 2;
    const wanted = start.x + ((end.x - start.x) * (y - start.y)) / (end.y - start.y);
    const channel = nearestChannel(rack, wanted, range);
    out.push({ lane, channel, first, last, from, x: wanted });
  }
  return out;
}

/** Widens channels that several edges share, as far as the lane has room. Says whether it did. */
export function widenChannels(racks: readonly Rack[], passages: readonly Passage[], room: number): boolean {
  let widened = false;
  for (const [lane, channels] of byChannel(racks, passages)) {
    const rack = racks[lane];
    if (!rack || rack.held) continue;
    const slack = room - rack.columns.length * (CARD.width + GAP) + GAP;
    const wishes = rack.columns.map((_, column) => {
      const edges = new Set(channels.get(column + 1)?.map((p) => p.from)).size;
      return column + 1 < rack.columns.length ? Math.max(0, (Math.min(edges, TRACKS) + 1) * TRACK - GAP) : 0;
    });
    const wished = wishes.reduce((sum, wish) => sum + wish, 0);
    if (wished === 0 || slack <= 0) continue;
    rack.gaps = wishes.map((wish) => GAP + Math.floor(wish * Math.min(1, slack / wished)));
    widened = true;
  }
  return widened;
}

/** Gives each passage its place in its channel: edges of one task share one, others stand apart where there is room. */
export function settleTracks(racks: readonly Rack[], passages: readonly Passage[], range: Range): void {
  for (const [lane, channels] of byChannel(racks, passages)) {
    const rack = racks[lane];
    if (!rack) continue;
    for (const [channel, users] of channels) {
      const tracks = new Map<number, Passage[]>();
      for (const user of users) {
        const track = tracks.get(user.from);
        if (track) track.push(user);
        else tracks.set(user.from, [user]);
      }
      const wish = (track: readonly Passage[]) => track.reduce((sum, p) => sum + p.x, 0) / track.length;
      const sorted = [...tracks.values()].map((track) => ({ track, x: wish(track) })).sort((a, b) => a.x - b.x);
      const [left, right] = channelRange(rack, channel, range);
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

/** The points of a edge from card to card. */
export function edgePoints(from: Box, to: Box, passages: readonly Passage[], racks: readonly Rack[]): Point[] {
  const points: Point[] = [{ x: from.x + from.width / 2, y: from.y + from.height }];
  for (const { lane, first, last, x } of passages) {
    const rack = racks[lane];
    if (rack) points.push({ x, y: rowTop(rack, first) }, { x, y: rowTop(rack, last) + CARD.height });
  }
  points.push({ x: to.x + to.width / 2, y: to.y });
  return points;
}

function rowTop(rack: Rack, row: number): number {
  return rack.firstRow + row * (CARD.height + ROW_GAP);
}

function centre(racks: readonly Rack[], spot: Spot): Point {
  const rack = racks[spot.lane];
  return rack
    ? { x: (rack.xs[spot.column] ?? 0) + CARD.width / 2, y: rowTop(rack, spot.row) + CARD.height / 2 }
    : { x: 0, y: 0 };
}

/** Where edges may be in a channel. */
function channelRange(rack: Rack, channel: number, [low, high]: Range): Range {
  const left = channel === 0 ? low : (rack.xs[channel - 1] ?? 0) + CARD.width;
  const right = rack.xs[channel] ?? high;
  return [left + TRACK - 1, right - TRACK + 1];
}

function nearestChannel(rack: Rack, x: number, range: Range): number {
  // The first column whose middle lies right of x ends the search: the channel left or right of it is nearest.
  let a = 0;
  let b = rack.columns.length;
  while (a < b) {
    const mid = (a + b) >> 1;
    if ((rack.xs[mid] ?? 0) + CARD.width / 2 < x) a = mid + 1;
    else b = mid;
  }
  const away = (channel: number) => {
    const [left, right] = channelRange(rack, channel, range);
    return Math.max(left - x, x - right, 0);
  };
  return [a - 1, a, a + 1]
    .filter((c) => c >= 0 && c <= rack.columns.length)
    .reduce((best, c) => (away(c) < away(best) ? c : best), a);
}

/** Passages by lane and channel. */
function byChannel(racks: readonly Rack[], passages: readonly Passage[]): Map<number, Map<number, Passage[]>> {
  const out = new Map<number, Map<number, Passage[]>>(racks.map((_, lane) => [lane, new Map<number, Passage[]>()]));
  for (const passage of passages) {
    const channels = out.get(passage.lane);
    const users = channels?.get(passage.channel);
    if (users) users.push(passage);
    else channels?.set(passage.channel, [passage]);
  }
  return out;
}
