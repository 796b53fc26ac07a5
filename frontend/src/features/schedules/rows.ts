import type { Schemas } from '@/api/client';
import { type ShownState, shownBatch } from '@/ui/states';
import type { SchedulesSearch, Show } from './search';

/** A schedule without its document, with its recent batches, as the list of schedules holds it. */
export type Schedule = Schemas['ScheduleSummary'];
/** One of the recent batches of a schedule: its state, its times and the counts of its task runs. */
export type Recent = Schemas['RecentBatch'];
type Summary = Schemas['BatchSummary'];

/** How many batches a row draws. */
const STRIP = 24;
/**
 * A queued batch is late this many milliseconds after its moment, a running one after this multiple of its usual
 * duration.
 */
const QUEUED_LATE = 60_000;
const RUNNING_LATE = 2;

/** The latest batch of a schedule. */
export function latest(s: Schedule): Recent | undefined {
  return s.recent?.at(-1);
}

const isLive = (b: Recent) => b.state === 'queued' || b.state === 'running';

/** The state that a row shows: that of the latest batch. */
export function rowState(s: Schedule): ShownState {
  const last = latest(s);
  return last ? shownBatch(last) : 'none';
}

/**
 * The batch of a schedule that waits for a person: the latest one if it failed and is not closed, or a live one with a
 * failed task.
 */
export function troubled(s: Schedule): Recent | undefined {
  const last = latest(s);
  if (last?.state === 'failed' && !last.closed) return last;
  return s.recent?.findLast((b) => isLive(b) && (b.counts.failed ?? 0) > 0);
}

/** Whether a live batch of the schedule takes longer than it should. */
export function isLate(s: Schedule, now: number): boolean {
  return (s.recent ?? []).some((b) => {
    if (b.state === 'queued') return now - time(b.moment) > QUEUED_LATE;
    return (
      b.state === 'running' &&
      s.usualSeconds !== undefined &&
      b.startedAt !== undefined &&
      now - time(b.startedAt) > RUNNING_LATE * 1000 * s.usualSeconds
    );
  });
}

const SHOWN: Record<Show, (s: Schedule, now: number) => boolean> = {
  person: (s) => troubled(s) !== undefined,
  running: (s) => (s.recent ?? []).some((b) => b.state === 'running'),
  late: isLate,
  paused: (s) => !s.enabled,
};

/** The rows that a search leaves, in its order: by default who needs a person first, then what runs, then by name. */
export function chosen(rows: readonly Schedule[], search: SchedulesSearch, now: number): Schedule[] {
  const words = (search.q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const left = rows.filter((s) => {
    const text = `${s.name} ${s.title ?? ''}`.toLowerCase();
    return words.every((w) => text.includes(w)) && (!search.show || SHOWN[search.show](s, now));
  });
  const byName = (a: Schedule, b: Schedule) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const key = KEYS[search.sort ?? 'need'];
  const sign = search.desc ? -1 : 1;
  return left.sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === y) return search.sort === 'name' ? sign * byName(a, b) : byName(a, b);
    if (x === undefined || y === undefined) return x === undefined ? 1 : -1; // what is not known comes last, both ways
    return sign * (x - y);
  });
}

const KEYS: Record<'need' | 'name' | 'next' | 'usual', (s: Schedule) => number | undefined> = {
  need: (s) => (troubled(s) ? 0 : (s.recent ?? []).some(isLive) ? 1 : 2),
  name: () => 0,
  next: (s) => (s.enabled && s.nextAt?.[0] ? time(s.nextAt[0]) : undefined),
  usual: (s) => s.usualSeconds,
};

/** A schedule with the changes of batches in it: those that it has stay in their place, later ones are appended. */
export function withBatches(schedule: Schedule, changes: readonly Summary[]): Schedule {
  const mine = changes.filter((b) => b.schedule === schedule.name && b.kind !== 'adhoc');
  if (mine.length === 0) return schedule;
  let recent = schedule.recent ?? [];
  let usual = schedule.usualSeconds;
  for (const b of mine) {
    usual = b.usualSeconds ?? usual;
    const at = recent.findIndex((r) => r.id === b.id);
    const now = toRecent(b, recent[at]);
    if (at >= 0) recent = recent.with(at, now);
    else if (b.id > (recent.at(-1)?.id ?? 0)) recent = [...recent, now].slice(-STRIP);
  }
  return { ...schedule, recent, usualSeconds: usual };
}

function toRecent(b: Summary, before?: Recent): Recent {
  return {
    id: b.id,
    state: b.state,
    kind: b.kind,
    wish: b.wish,
    round: b.round,
    moment: b.moment,
    startedAt: b.roundAt ?? b.startedAt,
    finishedAt: b.live ? undefined : b.finishedAt,
    closed: b.closedNote !== undefined || undefined,
    counts: b.counts ?? before?.counts ?? {},
  };
}

function time(at: string): number {
  return new Date(at).getTime();
}
