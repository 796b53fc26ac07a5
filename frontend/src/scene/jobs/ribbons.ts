import type { JobBundle } from '@/graph';
import type { Bars, Lane, Point } from '../types';
import { barLength } from './jobsLayout';

// Ribbons: the bundled dependencies between jobs, and what was skipped because of a failure.

/** A part of a ribbon, as a path with its width. */
export interface RibbonPart {
  d: string;
  width: number;
  top: number;
  bottom: number;
}

/** The end of a ribbon at its second job, or the whole ribbon between neighbours. */
export interface Ribbon extends JobBundle, RibbonPart {
  /** The tip of its arrow, which points to the left; undefined for a ribbon between neighbours. */
  tip?: Point;
  /** The left end of its number. */
  label: Point;
}

/** What the ribbons of a job share: they leave its bar together, and become fewer on the way. */
export interface Trunk {
  from: number;
  /** The sum of its ribbons. */
  count: number;
  parts: RibbonPart[];
  /** Where it turns down. */
  corner: Point;
}

/** Ribbons with their trunks. */
export interface Ribbons {
  ribbons: Ribbon[];
  trunks: Trunk[];
}

/** At most this many quiet ribbons are drawn, the widest ones. The others are drawn for the job under the pointer. */
export const QUIET_RIBBONS = 60;

/** The widths of ribbons, in pixels. The largest one is for `full` or more. */
const WIDTH = { least: 1.5, most: 11, full: 60 } as const;
const RADIUS = 9;

/** The scale of widths: in proportion to numbers, so that the widest trunk has the largest width. */
export function widthOf(bundles: readonly JobBundle[]): (count: number) => number {
  const sums = new Map<number, number>();
  for (const { from, count } of bundles) sums.set(from, (sums.get(from) ?? 0) + count);
  const most = Math.max(WIDTH.full, ...sums.values());
  return (count) => WIDTH.least + ((WIDTH.most - WIDTH.least) * count) / most;
}

/** The bundles that are drawn quietly: the widest ones, in the order of the list. */
export function quietBundles(bundles: readonly JobBundle[]): readonly JobBundle[] {
  if (bundles.length <= QUIET_RIBBONS) return bundles;
  const widest = [...bundles].sort((a, b) => b.count - a.count).slice(0, QUIET_RIBBONS);
  const kept = new Set(widest);
  return bundles.filter((bundle) => kept.has(bundle));
}

/** Where ribbons are drawn: the room right of the bars, and where each bar ends. */
export interface Room {
  lanes: readonly Lane[];
  bars: Bars;
  /** The number of tasks of each job. */
  tasks: readonly number[];
  /** The left and right end of the room for trunks. */
  from: number;
  to: number;
  /** A ribbon between adjacent jobs is a band from bar to bar. */
  bands: boolean;
}

/**
 * Ribbons that leave a bar at its right end, share a trunk with the others of that bar, and end at the right ends of
 * other bars.
 */
export function ribbonsOf(bundles: readonly JobBundle[], room: Room, width = widthOf(bundles)): Ribbons {
  const isBand = ({ from, to }: JobBundle) => room.bands && to === from + 1;
  const routed = bundles.filter((bundle) => !isBand(bundle) && room.lanes[bundle.from] && room.lanes[bundle.to]);
  const xs = trunkPositions(routed, room);
  const bySource = new Map<number, JobBundle[]>();
  for (const bundle of routed) bySource.set(bundle.from, [...(bySource.get(bundle.from) ?? []), bundle]);
  const trunks = [...bySource].map(([from, own]) => trunkOf(from, own, room, { x: xs.get(from) ?? room.to, width }));
  const ends = routed.map((bundle) => branch(bundle, room, xs.get(bundle.from) ?? room.to, width(bundle.count)));
  const between = bundles.filter(isBand).flatMap((bundle) => band(bundle, room, width(bundle.count)));
  return { ribbons: [...between, ...ends], trunks };
}

/** The middle of the bar of a lane. */
const barMiddle = (lane: Lane | undefined, { pitch }: Bars) => (lane?.y ?? 0) + pitch / 2;

const barEnd = (lane: number, { bars, tasks }: Room) => bars.left + barLength(bars, tasks[lane] ?? 0);

/** Ribbons leave a bar a little above its middle, and arrive a little below. */
const shift = ({ pitch }: Bars) => Math.min(3, pitch / 10);

function band(bundle: JobBundle, { lanes, bars }: Room, width: number): Ribbon | [] {
  const [a, b] = [lanes[bundle.from], lanes[bundle.to]];
  if (!a || !b) return [];
  const half = Math.max(6, bars.pitch * 0.28);
  // Below the cards of an open job.
  const top = a.height > bars.pitch ? a.y + a.height : barMiddle(a, bars) + half;
  const bottom = barMiddle(b, bars) - half;
  const x = bars.left + 4 + width / 2;
  const label = { x: x + width / 2 + 4, y: (top + bottom) / 2 };
  return { ...bundle, d: `M${x} ${top}V${bottom}`, width, label, top, bottom };
}

/** The end of a ribbon, from its trunk to the bar. */
function branch(bundle: JobBundle, room: Room, x: number, width: number): Ribbon {
  const { lanes, bars } = room;
  const y = barMiddle(lanes[bundle.to], bars) + shift(bars);
  const end = barEnd(bundle.to, room) + 6;
  const d = `M${x} ${y - RADIUS}Q${x} ${y} ${x - RADIUS} ${y}H${end + 6}`;
  const label = { x: room.bands ? end + 18 : Math.max(end + 18, x - 44), y };
  return { ...bundle, d, width, tip: { x: end, y }, label, top: y - RADIUS, bottom: y + RADIUS };
}

/** The way of all ribbons of a job: from its bar to the right, and down to the last one. */
function trunkOf(
  from: number,
  bundles: readonly JobBundle[],
  room: Room,
  { x, width }: { x: number; width: (count: number) => number },
): Trunk {
  const { lanes, bars } = room;
  const y = barMiddle(lanes[from], bars) - shift(bars);
  let rest = bundles.reduce((sum, { count }) => sum + count, 0);
  const count = rest;
  let at = y + RADIUS;
  const start = barEnd(from, room) + 6;
  const bend = `M${start} ${y}H${x - RADIUS}Q${x} ${y} ${x} ${at}`;
  const parts: RibbonPart[] = [{ d: bend, width: width(rest), top: y, bottom: at }];
  for (const bundle of [...bundles].sort((a, b) => a.to - b.to)) {
    const next = barMiddle(lanes[bundle.to], bars) + shift(bars) - RADIUS;
    if (next > at) parts.push({ d: `M${x} ${at}V${next}`, width: width(rest), top: at, bottom: next });
    rest -= bundle.count;
    at = next;
  }
  return { from, count, parts, corner: { x, y } };
}

/**
 * The horizontal position of the trunk of each job that ribbons leave. Trunks that pass each other have different
 * positions, as far as there is room; the longest are outside.
 */
function trunkPositions(bundles: readonly JobBundle[], { from, to }: Room): Map<number, number> {
  const ends = new Map<number, number>();
  for (const bundle of bundles) ends.set(bundle.from, Math.max(ends.get(bundle.from) ?? 0, bundle.to));
  const sorted = [...ends].sort((a, b) => a[1] - a[0] - (b[1] - b[0]) || a[0] - b[0]);
  const tracks: [from: number, to: number][][] = [];
  const trackOf = sorted.map(([start, end]) => {
    const free = tracks.findIndex((track) => track.every(([s, e]) => end < s || start > e));
    const track = free < 0 ? tracks.push([]) - 1 : free;
    tracks[track]?.push([start, end]);
    return track;
  });
  const step = Math.min(15, (to - from) / Math.max(1, tracks.length - 1));
  return new Map(sorted.map(([start], i) => [start, from + (trackOf[i] ?? 0) * step]));
}
