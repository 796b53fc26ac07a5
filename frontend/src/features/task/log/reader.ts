import { ApiError, OfflineError } from '@/api/client';
import type { LogPart, LogPlace, LogQuestion, LogSource } from './source';
import { LogWindow, type Placed } from './window';

/** Bytes that one call asks for; about 2,500 lines. */
const CHUNK = 256 * 1024;
/** Bytes before a place that are read with it, so that what led to it is there. */
const LEAD = 32 * 1024;
/** Who follows a log that grows by more than this between two looks gets its end, not all of it. */
const BEHIND = 4 * CHUNK;

/** A server counts for a second and then goes on when it is asked again: so often at most. */
const COUNTS = 10;

const QUICK = 250;
const SLOW = 1000;
/** The run has ended, but the end of its log is not here yet: its executor is slow, or away. */
const LATE = 5000;

/** The parts of the browser that a reader needs; tests give their own. */
export interface Clock {
  later: (f: () => void, ms: number) => () => void;
}

/** A place in a log: one of its ends, or an offset in bytes. */
export type Place = 'start' | 'end' | { offset: number };

/** What a view shows of a reader; a new object with each change. */
export interface LogState {
  lines: readonly Placed[];
  /** Bytes of the log so far; undefined until the first answer. */
  size?: number;
  start: number;
  next: number;
  complete: boolean;
  attempt?: number;
  /** The server is out of reach: what is shown stays, and is caught up. */
  offline: boolean;
  /** The server refused. */
  error?: ApiError;
  /** Counts the jumps: a view scrolls to `target` when this grows. */
  jump: number;
  target: Place;
  /** Bytes came after what a reader, who is not at the end, can see. */
  fresh: boolean;
}

/**
 * Reads a log of any size through a window of a few megabytes, and follows it while it grows. It does not touch the
 * DOM: a view reports where the reader looks, and renders the state.
 */
export class LogReader {
  private readonly window = new LogWindow();
  private readonly listeners = new Set<() => void>();
  private aborter = new AbortController();
  private readonly busy = new Set<string>();
  private size?: number;
  private complete = false;
  private attempt?: number;
  private offline = false;
  private error?: ApiError;
  private jump = 0;
  private target: Place = 'start';
  /** Where to go that could not be reached yet. */
  private pending?: Place;
  private following = false;
  private running = false;
  private hidden = false;
  private seen = 0; // size of the log when its end was last in sight
  private wait = QUICK;
  private failures = 0;
  private stopPoll?: () => void;
  private polling = false;
  private turn = 0; // of the latest jump: answers to earlier ones come too late
  private state: LogState;

  constructor(
    readonly source: LogSource,
    private readonly clock: Clock,
  ) {
    this.state = this.snapshot();
  }

  getState = (): LogState => this.state;
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  numberOf = (line: Placed): number | undefined => this.window.numberOf(line);
  indexAt = (offset: number): number => this.window.indexAt(offset);

  /** Makes a closed reader work again. */
  open(): void {
    if (this.aborter.signal.aborted) this.aborter = new AbortController();
  }

  /** Ends everything that is under way. */
  close(): void {
    this.aborter.abort();
    this.stopPoll?.();
  }

  /** Goes to a place, wherever it is. Afterwards the window begins a little before it. */
  async goTo(place: Place): Promise<void> {
    const turn = ++this.turn;
    this.pending = place;
    const offset = typeof place === 'object' ? Math.max(place.offset - LEAD, 0) : place === 'start' ? 0 : -CHUNK;
    if (
      typeof place === 'object' &&
      this.window.has(place.offset) &&
      (this.window.start === 0 || place.offset - this.window.start > LEAD / 4)
    ) {
      this.arrive(place);
      return;
    }
    const part = await this.ask((signal) => this.source.read(offset, CHUNK, signal));
    if (!part || turn !== this.turn) return;
    this.window.reset(part.offset);
    this.append(part);
    this.seen = part.size;
    this.arrive(place);
    this.poll(this.wait);
    void this.once('count', () => this.count());
  }

  /** Reads what comes before the window, once at a time. */
  before(): Promise<void> {
    return this.once('before', async () => {
      const end = this.window.start;
      if (end === 0 || this.size === undefined) return;
      const turn = this.turn;
      const offset = Math.max(end - CHUNK, 0);
      const bytes = await this.range(offset, end);
      if (!bytes || turn !== this.turn || this.window.start !== end) return;
      this.window.prepend(bytes, offset);
      this.notify();
    });
  }

  /** Reads what comes after the window, once at a time. */
  after(): Promise<void> {
    return this.once('after', async () => {
      if (this.size === undefined || this.window.next >= this.size) return;
      const turn = this.turn;
      const from = this.window.next;
      const part = await this.ask((signal) => this.source.read(from, CHUNK, signal));
      if (!part || turn !== this.turn || this.window.next !== from) return;
      this.append(part);
      this.notify();
    });
  }

  /** Says whether the end is in sight and stays so: then new lines are read as they come. */
  follow(on: boolean): void {
    if (this.following === on) return;
    this.following = on;
    if (on) this.seen = this.size ?? 0;
    this.wait = QUICK;
    this.notify();
    this.poll(0);
  }

  /** Sets whether the attempt runs, and whether the log is visible. */
  watch(running: boolean, hidden: boolean): void {
    const more = (running && !this.running) || (!hidden && this.hidden);
    this.running = running;
    this.hidden = hidden;
    if (!more) return;
    this.wait = QUICK;
    this.poll(0);
  }

  /** Tries again at once, after a refusal or without the server. */
  retry = (): void => {
    this.error = undefined;
    this.poll(0);
    this.notify();
  };

  /** Finds a place in the whole log, in as many steps as the server wants; tells how far it is. */
  async find(
    question: LogQuestion,
    signal: AbortSignal,
    progress: (at: number) => void = () => undefined,
  ): Promise<LogPlace | undefined> {
    let from = question.from;
    for (;;) {
      // Lines are counted where the last count ended: only searches say where to go on.
      const place = await this.source.find(question.line === undefined ? { ...question, from } : question, signal);
      if (place.found) {
        if (place.offset !== undefined && place.line !== undefined) this.note(place.offset, place.line);
        return place;
      }
      if (place.complete || place.next === from) return undefined;
      from = place.next;
      progress(place.size > 0 ? (question.backwards ? 1 - from / place.size : from / place.size) : 0);
    }
  }

  /** Notes the number of a line that somebody counted. */
  note(offset: number, line: number): void {
    this.window.number(offset, line);
    this.notify();
  }

  private arrive(place: Place): void {
    this.pending = undefined;
    this.target = place;
    this.jump++;
    this.notify();
  }

  private async range(from: number, to: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    let at = from;
    while (at < to) {
      const begin = at;
      const part = await this.ask((signal) => this.source.read(begin, to - begin, signal));
      if (!part || part.bytes.length === 0) return undefined;
      parts.push(part.bytes);
      at += part.bytes.length;
    }
    if (parts.length === 1) return parts[0];
    const all = new Uint8Array(to - from);
    let put = 0;
    for (const part of parts) {
      all.set(part, put);
      put += part.length;
    }
    return all;
  }

  private append(part: LogPart): void {
    this.size = part.size;
    this.complete = part.complete;
    this.attempt = part.attempt;
    if (part.bytes.length > 0 || part.complete) this.window.append(part.bytes, part.complete && part.next >= part.size);
    if (this.following) this.seen = part.size;
  }

  /** Asks the server to count lines if the line numbers are unknown. */
  private async count(): Promise<void> {
    const turn = this.turn;
    try {
      for (let tries = 0; tries < COUNTS && turn === this.turn; tries++) {
        const first = this.window.lines.find((line) => line.head && !line.open);
        if (!first || this.window.numberOf(first) !== undefined) return;
        const place = await this.source.find({ text: ' ', from: first.offset }, this.aborter.signal);
        if (!place.found || place.offset === undefined) return;
        if (place.line !== undefined) this.note(place.offset, place.line);
      }
    } catch {
      // Numbers are a courtesy: without them the lines are as readable.
    }
  }

  private async ask(call: (signal: AbortSignal) => Promise<LogPart>): Promise<LogPart | undefined> {
    const { signal } = this.aborter;
    try {
      const part = await call(signal);
      if (signal.aborted) return undefined;
      this.offline = false;
      this.error = undefined;
      this.failures = 0;
      return part;
    } catch (error) {
      if (signal.aborted) return undefined;
      this.failures++;
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) this.error = error;
      else if (error instanceof ApiError && error.problem.code === 'internal') this.error = error;
      else if (error instanceof OfflineError || error instanceof ApiError) this.offline = true;
      else throw error;
      this.notify();
      this.poll(Math.min(500 * 2 ** Math.min(this.failures, 4), LATE));
      return undefined;
    }
  }

  private async once(name: string, work: () => Promise<void>): Promise<void> {
    if (this.busy.has(name)) return;
    this.busy.add(name);
    try {
      await work();
    } finally {
      this.busy.delete(name);
    }
  }

  /** Asks for new lines after a while, unless none can come or the log is not visible. */
  private poll(ms: number): void {
    this.stopPoll?.();
    this.stopPoll = undefined;
    if (this.hidden || this.error || this.aborter.signal.aborted) return;
    if (
      this.complete &&
      !this.offline &&
      !this.pending &&
      this.size !== undefined &&
      (!this.following || this.window.next >= this.size)
    )
      return;
    this.stopPoll = this.clock.later(() => {
      void this.readNews();
    }, ms);
  }

  private async readNews(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    try {
      if (this.size === undefined || this.pending) await this.goTo(this.pending ?? this.target);
      else await this.news(this.size);
    } finally {
      this.polling = false;
    }
  }

  private async news(size: number): Promise<void> {
    const turn = this.turn;
    const tail = this.following || this.window.next >= size;
    const from = this.following && size - this.window.next > BEHIND ? size - CHUNK : tail ? this.window.next : size;
    const part = await this.ask((signal) => this.source.read(from, tail && this.following ? CHUNK : 1, signal));
    if (!part) return;
    const flowing = part.size > size || part.next < part.size;
    if (turn !== this.turn) {
      this.poll(this.wait);
      return;
    }
    this.apply(part, from);
    this.wait = flowing ? QUICK : Math.min(this.wait * 2, this.running ? SLOW : LATE);
    this.notify();
    this.poll(this.following && part.next < part.size ? 0 : this.wait);
    if (!flowing) void this.once('count', () => this.count());
  }

  /** Takes a part that was read at `from`. A reader who does not follow the log only learns its size. */
  private apply(part: LogPart, from: number): void {
    if (!this.following) {
      this.size = part.size;
      this.complete = part.complete;
      if (part.complete && this.window.next >= part.size)
        this.append({ ...part, bytes: new Uint8Array(), next: part.size });
    } else if (from !== this.window.next && part.offset === from) {
      this.window.reset(from);
      this.append(part);
    } else if (part.offset === this.window.next) this.append(part);
  }

  private notify(): void {
    this.state = this.snapshot();
    this.listeners.forEach((l) => {
      l();
    });
  }

  private snapshot(): LogState {
    return {
      lines: this.window.lines,
      size: this.size,
      start: this.window.start,
      next: this.window.next,
      complete: this.complete,
      attempt: this.attempt,
      offline: this.offline,
      error: this.error,
      jump: this.jump,
      target: this.target,
      fresh: !this.following && (this.size ?? 0) > this.seen && this.jump > 0,
    };
  }
}
