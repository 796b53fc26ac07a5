import type { Schemas } from '@/api/client';
import type { ShownState } from '@/ui/states';

/** A schedule with those that it waits for and those that wait for it, over time. */
export type Chain = Schemas['Chain'];
/** One schedule of a chain. */
export type Link = Schemas['ChainSchedule'];
/** One moment of a schedule. */
export type Bar = Schemas['ChainBar'];
/** What one moment waits for, of one schedule. */
export type Edge = Schemas['ChainEdge'];

const ms = (moment: string | undefined) => (moment === undefined ? undefined : Date.parse(moment));

/** The bar of a schedule that a row tells about: the first present one that has not succeeded, or else the last one. */
export function mainBar(link: Link): Bar | undefined {
  const present = link.bars.filter((bar) => bar.present);
  return present.find((bar) => bar.outcome !== 'succeeded') ?? present.at(-1);
}

const STATES: Record<Bar['outcome'], ShownState> = {
  succeeded: 'succeeded',
  failed: 'failed',
  resumed: 'failed',
  running: 'running',
  expected: 'waiting',
  held: 'waiting',
  expired: 'waiting',
  left_out: 'skipped',
  unknown: 'unknown',
};

/** The state that a bar is shown in. */
export function stateOf(bar: Bar | undefined): ShownState {
  if (!bar) return 'none';
  if (bar.paused) return 'paused';
  if (bar.state === 'canceled') return 'canceled';
  if (bar.state === 'queued') return 'queued';
  return STATES[bar.outcome];
}

/** Whether a bar begins after its own moment, or is missed. */
export const isLate = (bar: Bar) => (bar.lateSeconds ?? 0) > 0 || bar.outcome === 'expired';

/** Where a bar lies in time, in milliseconds since 1970. */
export interface Place {
  /** The batch, as far as it has run. */
  ran?: [from: number, to: number];
  /** What is expected. Without `to`, the end is not known. */
  ahead?: [from: number, to: number | undefined];
  usual?: [from: number, to: number];
  /** The time in which it may begin. */
  begins?: [from: number, to: number];
  /** The first and the last time of the bar: edges end and begin here. */
  start: number;
  end: number;
}

/** Where a bar lies at the time `now`. */
export function placeOf(bar: Bar, now: number): Place {
  const moment = Date.parse(bar.moment);
  const [usual, ran, ahead] = [usualOf(bar), ranOf(bar, now), aheadOf(bar, now)];
  const until = bar.present ? ms(bar.mayBeginUntil) : undefined;
  const begins: Place['begins'] = until === undefined ? undefined : [moment, until];
  const idle = bar.own || !usual ? moment : usual[0];
  return {
    usual,
    ran,
    ahead,
    begins,
    start: (ran ?? ahead)?.[0] ?? idle,
    end: endOf(ran, ahead) ?? usual?.[1] ?? idle,
  };
}

const endOf = (ran: Place['ran'], ahead: Place['ahead']) => (ahead ? (ahead[1] ?? ahead[0]) : ran?.[1]);

function usualOf(bar: Bar): Place['usual'] {
  const [start, end] = [ms(bar.usualStart), ms(bar.usualEnd)];
  return bar.present && start !== undefined && end !== undefined ? [start, end] : undefined;
}

function ranOf(bar: Bar, now: number): Place['ran'] {
  const started = ms(bar.startedAt);
  return started === undefined ? undefined : [started, Math.max(started, ms(bar.finishedAt) ?? now)];
}

function aheadOf(bar: Bar, now: number): Place['ahead'] {
  const [starts, ends] = [ms(bar.startsAt), ms(bar.endsAt)];
  if (bar.outcome === 'running') return [now, ends === undefined ? undefined : Math.max(now, ends)];
  return starts === undefined ? undefined : [starts, ends];
}

const barKey = (schedule: string, moment: string | undefined) => `${schedule} ${String(ms(moment))}`;

/** The bars of a chain by schedule and moment. */
export function barsByMoment(chain: Chain): (schedule: string, moment: string | undefined) => Bar | undefined {
  const bars = new Map<string, Bar>();
  for (const link of chain.schedules) for (const bar of link.bars) bars.set(barKey(link.name, bar.moment), bar);
  return (schedule, moment) => bars.get(barKey(schedule, moment));
}

/** The schedules at the end of the chain: no other waits for them. The subject itself is one if none waits for it. */
export function endsOf(chain: Chain): Link[] {
  const before = new Set(chain.edges.filter((edge) => edge.from !== edge.to).map((edge) => edge.from));
  return chain.schedules.filter(
    (link) => (link.place === 'after' || link.place === 'subject') && !before.has(link.name),
  );
}

/** The edges on which the begin of the main bar of a schedule depends, from it backwards. */
export function criticalEdges(chain: Chain, to: string | undefined): Edge[] {
  const out: Edge[] = [];
  const link = chain.schedules.find((one) => one.name === to);
  let [name, moment] = [to, link && mainBar(link)?.moment];
  for (;;) {
    const edge = chain.edges.find(
      (one) => one.decides && barKey(one.to, one.toMoment) === barKey(name ?? '', moment) && !out.includes(one),
    );
    if (!edge) return out;
    out.push(edge);
    [name, moment] = [edge.from, edge.fromMoment];
  }
}

/** Lists the schedules after the failed batches by what becomes of them. */
export function consequences(chain: Chain): Record<'held' | 'missed' | 'late' | 'inTime' | 'unknown', [Link, Bar][]> {
  const out: ReturnType<typeof consequences> = { held: [], missed: [], late: [], inTime: [], unknown: [] };
  for (const link of chain.schedules) {
    const bar = mainBar(link);
    if (!bar?.repairable) continue;
    if (bar.outcome === 'held') out.held.push([link, bar]);
    else if (bar.outcome === 'expired' || bar.outcome === 'left_out') out.missed.push([link, bar]);
    else if (bar.outcome === 'unknown') out.unknown.push([link, bar]);
    else if (isLate(bar)) out.late.push([link, bar]);
    else if (bar.own) out.inTime.push([link, bar]);
  }
  return out;
}

/** Until when a resume is of use, the first moment first. */
export interface Limit {
  kind: 'inTime' | 'begins';
  schedule: string;
  /** Milliseconds since 1970. */
  until: number;
}

/** The last moments at which a resume still lets a schedule be in time, or begin before it expires. */
export function limitsOf(chain: Chain): Limit[] {
  const out: Limit[] = [];
  for (const link of chain.schedules) {
    const bar = mainBar(link);
    const [inTime, begins] = [ms(bar?.inTimeUntil), ms(bar?.beginsUntil)];
    const now = Date.parse(chain.now);
    if (inTime !== undefined && inTime >= now) out.push({ kind: 'inTime', schedule: link.name, until: inTime });
    if (begins !== undefined) out.push({ kind: 'begins', schedule: link.name, until: begins });
  }
  return out.sort((a, b) => a.until - b.until);
}

const STEPS = [1, 5, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10080].map((minutes) => minutes * 60_000);

/** The times at which the axis has a line: whole steps of the clock in a zone, at most `most`. */
export function axis(from: number, until: number, most: number, offset: number): number[] {
  const step = STEPS.find((one) => (until - from) / one <= most) ?? until - from;
  const out: number[] = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= until; at += step) out.push(at);
  return out;
}
