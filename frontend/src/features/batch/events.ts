import type { Schemas } from '@/api/client';
import type { Batch, TaskRun } from '@/live';
import { isDeclared } from '@/ui/states';

/** What a person asked of a batch. */
export type BatchCommand = Schemas['BatchCommand'];
type Attempt = Schemas['Attempt'];
type Revision = Schemas['Revision'];

/** A round of a batch: its task runs at its end, and the time of its activity (milliseconds since 1970). */
export interface Round {
  round: number;
  runs: readonly TaskRun[];
  from?: number;
  to?: number;
}

/** What happened to a batch, at a moment (milliseconds since 1970) and in a round. */
export type BatchEvent = { id: string; at: number; round: number } & (
  | { type: 'begun' }
  | { type: 'failed'; run: TaskRun; last?: Attempt; skipped: number }
  | { type: 'more'; failed: number }
  | { type: 'command'; command: BatchCommand }
  | { type: 'published'; revision: Revision }
  | { type: 'taken'; by: string; note: string }
  | { type: 'ended' }
);

/** Everything that the events are derived from. */
export interface Source {
  batch: Batch;
  rounds: readonly Round[];
  attempts: readonly Attempt[];
  commands: readonly BatchCommand[];
  revisions: readonly Revision[];
  taker?: Schemas['Taker'];
}

/** Failures of one round that are listed one by one. The rest is counted. */
export const LISTED_FAILURES = 5;

/** The events of a batch, newest first. Events of one round are next to each other. */
export function eventsOf(source: Source): BatchEvent[] {
  const { batch, rounds, commands } = source;
  const boundaries = boundariesOf(rounds, commands);
  const events: BatchEvent[] = [
    { type: 'begun', id: 'begun', at: Date.parse(batch.createdAt), round: 1 },
    ...rounds.flatMap((round) => failuresOf(round, source.attempts)),
    ...commands.map((command): BatchEvent => {
      const at = Date.parse(command.doneAt ?? command.createdAt);
      return {
        type: 'command',
        id: `command ${String(command.id)}`,
        at,
        round: command.round ?? roundAt(at, boundaries),
        command,
      };
    }),
    ...source.revisions.map((revision): BatchEvent => {
      const at = Date.parse(revision.createdAt);
      return {
        type: 'published',
        id: `revision ${String(revision.number)}`,
        at,
        round: roundAt(at, boundaries),
        revision,
      };
    }),
  ];
  if (source.taker) {
    const at = Date.parse(source.taker.at);
    const { name: by, note = '' } = source.taker;
    events.push({ type: 'taken', id: 'taken', at, round: roundAt(at, boundaries), by, note });
  }
  if (batch.finishedAt && !batch.live)
    events.push({ type: 'ended', id: 'ended', at: Date.parse(batch.finishedAt), round: batch.round });
  // The sort is stable: of two events at one moment, the later one of the list above happened later.
  return events.reverse().sort((a, b) => b.round - a.round || b.at - a.at);
}

/** Revisions that were published while the batch was not over. */
export function publishedDuring(batch: Batch, revisions: readonly Revision[]): Revision[] {
  const from = Date.parse(batch.createdAt);
  const to = batch.live || !batch.finishedAt ? Infinity : Date.parse(batch.finishedAt);
  return revisions.filter((r) => {
    const at = Date.parse(r.createdAt);
    return at > from && at <= to;
  });
}

/** The revision that a batch started with. A repair may have given it a later one. */
export function firstRevision(batch: Batch, revisions: readonly Revision[]): number {
  const created = Date.parse(batch.createdAt);
  const before = revisions.filter((r) => Date.parse(r.createdAt) <= created).map((r) => r.number);
  return before.length > 0 ? Math.max(...before) : batch.revision;
}

interface Boundary {
  round: number;
  /** When the command that opened the round was applied. */
  opened: number;
  /** End of the activity of the round before. */
  formerEnd: number;
}

function boundariesOf(rounds: readonly Round[], commands: readonly BatchCommand[]): Boundary[] {
  const opened = new Map<number, number>();
  for (const command of commands) {
    if (command.round === undefined || !command.doneAt) continue;
    const at = Date.parse(command.doneAt);
    opened.set(command.round, Math.min(at, opened.get(command.round) ?? Infinity));
  }
  const ends = new Map(rounds.map((r) => [r.round, r.to]));
  return rounds
    .filter((r) => r.round > 1)
    .map(({ round, from }) => {
      const at = opened.get(round) ?? from ?? Infinity;
      return { round, opened: at, formerEnd: Math.min(ends.get(round - 1) ?? at, at) };
    })
    .sort((a, b) => a.round - b.round);
}

/** The round of a moment. What happens between two rounds leads to the later one. */
function roundAt(at: number, boundaries: readonly Boundary[]): number {
  let round = 1;
  for (const b of boundaries) if (at >= b.opened || at > b.formerEnd) round = b.round;
  return round;
}

function failuresOf({ round, runs }: Round, attempts: readonly Attempt[]): BatchEvent[] {
  const skipped = new Map<string, number>();
  for (const run of runs)
    if (run.state === 'skipped' && run.cause && run.round === round)
      skipped.set(run.cause, (skipped.get(run.cause) ?? 0) + 1);
  const failed = runs
    .filter((run) => run.round === round && (run.state === 'failed' || run.state === 'unknown') && run.finishedAt)
    .map((run): BatchEvent & { type: 'failed' } => ({
      type: 'failed',
      id: `failed ${String(round)} ${run.key}`,
      at: Date.parse(run.finishedAt ?? ''),
      round,
      run,
      last: attempts.findLast((a) => a.task === run.key && a.round === round),
      skipped: skipped.get(run.key) ?? 0,
    }))
    .sort((a, b) => a.at - b.at);
  if (failed.length <= LISTED_FAILURES + 1) return failed;
  const rest = failed.slice(LISTED_FAILURES);
  return [
    ...failed.slice(0, LISTED_FAILURES),
    { type: 'more', id: `more ${String(round)}`, at: rest[rest.length - 1]?.at ?? 0, round, failed: rest.length },
  ];
}

/** The person of an event; undefined if a rule or the batch itself did it. */
export function personOf(event: BatchEvent, batch: Batch): string | undefined {
  switch (event.type) {
    case 'begun':
      return batch.createdBy || undefined;
    case 'command':
      return event.command.replaced ? undefined : event.command.createdBy;
    case 'published':
      return event.revision.createdBy;
    case 'taken':
      return event.by;
    default:
      return undefined;
  }
}

/** Which events are listed. */
export type Shown = 'all' | 'persons' | 'failures';

/** The events that a filter leaves. */
export function filterEvents(events: readonly BatchEvent[], shown: Shown, batch: Batch): readonly BatchEvent[] {
  if (shown === 'persons') return events.filter((e) => personOf(e, batch) !== undefined);
  if (shown === 'failures') return events.filter((e) => e.type === 'failed' || e.type === 'more');
  return events;
}

/** Where the time of a batch went, in milliseconds. */
export interface Spent {
  total: number;
  /** At least one task ran. */
  ran: number;
  /** It had failed, and nobody had done anything yet. */
  untouched: number;
  /** Everything else: it waited, or people worked on it. */
  rest: number;
}

/** Whether a batch is over, and nobody has to act any more. */
export function isSettled(batch: Batch): boolean {
  return !batch.live && (batch.state !== 'failed' || batch.closedNote !== undefined);
}

/** Where the time went from the due moment of a batch until its end, or until now. */
export function whereTimeWent(
  { batch, rounds, attempts }: Pick<Source, 'batch' | 'rounds' | 'attempts'>,
  events: readonly BatchEvent[],
  now: number,
): Spent {
  const end = isSettled(batch) && batch.finishedAt ? Date.parse(batch.finishedAt) : now;
  const scheduled = batch.kind === 'scheduled' || batch.kind === 'dependent';
  const due = Math.min(end, Date.parse(scheduled ? batch.moment : batch.createdAt));
  const total = end - due;
  const ran = covered(
    attempts
      .filter((a) => a.startedAt)
      .map((a) => [Date.parse(a.startedAt ?? ''), a.finishedAt ? Date.parse(a.finishedAt) : now]),
    due,
    end,
  );
  let untouched = 0;
  for (const { round, runs, to } of rounds) {
    const isOver = round < batch.round || !batch.live;
    if (to === undefined || !isOver || !runs.some((run) => run.state === 'failed' || run.state === 'unknown')) continue;
    const touched = events.filter((e) => e.at >= to && personOf(e, batch) !== undefined).map((e) => e.at);
    untouched += Math.max(0, Math.min(end, ...touched) - to);
  }
  return { total, ran, untouched, rest: Math.max(0, total - ran - untouched) };
}

/** How many milliseconds between `from` and `to` at least one interval covers. */
function covered(intervals: [number, number][], from: number, to: number): number {
  let sum = 0;
  let reached = from;
  for (const [start, end] of intervals.sort((a, b) => a[0] - b[0])) {
    const until = Math.min(end, to);
    if (until <= reached) continue;
    sum += until - Math.max(start, reached);
    reached = until;
  }
  return sum;
}

/** A person with the number, first and last moment of what they did. */
export interface Actor {
  name: string;
  count: number;
  from: number;
  to: number;
}

/** Who did something to the batch, in the order of their first action. */
export function actorsOf(events: readonly BatchEvent[], batch: Batch): Actor[] {
  const actors = new Map<string, Actor>();
  for (const event of [...events].sort((a, b) => a.at - b.at)) {
    const name = personOf(event, batch);
    if (name === undefined) continue;
    const known = actors.get(name);
    if (known) {
      known.count++;
      known.to = event.at;
    } else actors.set(name, { name, count: 1, from: event.at, to: event.at });
  }
  return [...actors.values()];
}

/** The runs that a person declared to be done without running them. */
export function declaredRuns(runs: readonly TaskRun[]): TaskRun[] {
  return runs.filter(isDeclared);
}
