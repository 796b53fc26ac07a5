import { ApiError, OfflineError } from '@/api/client';
import type { LogPart, LogMatch, LogQuery, LogSource } from './source';
import { LogWindow, type NumberedLine } from './window';

/** Bytes that one call asks for; about 2,500 lines. */
const CHUNK = 256 * 1024;
/** Bytes that are loaded before the target of a jump, so that the view shows its context. */
const CONTEXT = 32 * 1024;
/** If a followed log grows by more bytes than this between two polls, only its end is loaded. */
const MAX_BEHIND = 4 * CHUNK;

/** A server counts lines for a second per request. This many requests are made at most. */
const MAX_COUNT_REQUESTS = 10;

// Poll intervals in milliseconds: while the log grows, while it does not, and after the run has ended without the end
// of its log.
const FAST_POLL = 250;
const SLOW_POLL = 1000;
const ENDED_POLL = 5000;

/** The parts of the browser that a reader needs; tests give their own. */
export interface Clock {
  later: (f: () => void, ms: number) => () => void;
}

/** A position in a log: its start, its end, or a byte offset. */
export type Position = 'start' | 'end' | { offset: number };

/** The state of a reader for its view. Each change creates a new object. */
export interface LogState {
  lines: readonly NumberedLine[];
  /** Size of the log so far, in bytes; undefined until the first answer. */
  size?: number;
  start: number;
  next: number;
  complete: boolean;
  attempt?: number;
  /** The server is out of reach. The shown lines stay, and the reader catches up later. */
  offline: boolean;
  /** The server refused a request. */
  error?: ApiError;
  /** Counts the jumps. A view scrolls to `target` when this grows. */
  jump: number;
  target: Position;
  /** The log has grown since its end was last visible. */
  hasNew: boolean;
}

/** Whether the server has answered, and the same request would fail again: a person must do something first. */
function isRefusal({ status, problem }: ApiError): boolean {
  return (status < 500 && status !== 429) || problem.code === 'internal' || problem.reason === 'log_store_away';
}

/**
 * Reads a log of any size through a window of a few megabytes, and follows it while it grows. It does not touch the
 * DOM: a view reports the visible position, and renders the state.
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
  private target: Position = 'start';
  /** The target of a jump that is still loading. */
  private pending?: Position;
  private following = false;
  private running = false;
  private hidden = false;
  private seenSize = 0; // size of the log when its end was last visible
  private pollInterval = FAST_POLL;
  private failures = 0;
  private stopPoll?: () => void;
  private polling = false;
  private turn = 0; // counts the jumps: answers to earlier jumps are ignored
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

  numberOf = (line: NumberedLine): number | undefined => this.window.numberOf(line);
  indexAt = (offset: number): number => this.window.indexAt(offset);

  /** Opens the reader, also after it was closed. */
  open(): void {
    if (this.aborter.signal.aborted) this.aborter = new AbortController();
  }

  /** Cancels all requests and timers. */
  close(): void {
    this.aborter.abort();
    this.stopPoll?.();
  }

  /** Jumps to a position. The window then begins a little before it. */
  async goTo(target: Position): Promise<void> {
    const turn = ++this.turn;
    this.pending = target;
    const offset = typeof target === 'object' ? Math.max(target.offset - CONTEXT, 0) : target === 'start' ? 0 : -CHUNK;
    if (
      typeof target === 'object' &&
      this.window.has(target.offset) &&
      (this.window.start === 0 || target.offset - this.window.start > CONTEXT / 4)
    ) {
      this.arrive(target);
      return;
    }
    const part = await this.request((signal) => this.source.read(offset, CHUNK, signal));
    if (!part || turn !== this.turn) return;
    this.window.reset(part.offset);
    this.append(part);
    this.seenSize = part.size;
    this.arrive(target);
    this.poll(this.pollInterval);
    void this.once('count', () => this.count());
  }

  /** Loads the lines before the window. A call during another one does nothing. */
  loadBefore(): Promise<void> {
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

  /** Loads the lines after the window. A call during another one does nothing. */
  loadAfter(): Promise<void> {
    return this.once('after', async () => {
      if (this.size === undefined || this.window.next >= this.size) return;
      const turn = this.turn;
      const from = this.window.next;
      const part = await this.request((signal) => this.source.read(from, CHUNK, signal));
      if (!part || turn !== this.turn || this.window.next !== from) return;
      this.append(part);
      this.notify();
    });
  }

  /** Sets whether the view stays at the end of the log: new lines are then loaded as they arrive. */
  follow(on: boolean): void {
    if (this.following === on) return;
    this.following = on;
    if (on) this.seenSize = this.size ?? 0;
    this.pollInterval = FAST_POLL;
    this.notify();
    this.poll(0);
  }

  /** Sets whether the attempt runs, and whether the log is visible. */
  watch(running: boolean, hidden: boolean): void {
    const more = (running && !this.running) || (!hidden && this.hidden);
    this.running = running;
    this.hidden = hidden;
    if (!more) return;
    this.pollInterval = FAST_POLL;
    this.poll(0);
  }

  /** Repeats a failed request at once. */
  retry = (): void => {
    this.error = undefined;
    this.poll(0);
    this.notify();
  };

  /**
   * Searches the whole log, in as many requests as the server needs. `progress` gets the searched part, from 0 to 1.
   */
  async find(
    query: LogQuery,
    signal: AbortSignal,
    progress: (at: number) => void = () => undefined,
  ): Promise<LogMatch | undefined> {
    let from = query.from;
    for (;;) {
      // The server continues a count of lines by itself. Only a search must name the offset where it continues.
      const match = await this.source.find(query.line === undefined ? { ...query, from } : query, signal);
      if (match.found) {
        if (match.offset !== undefined && match.line !== undefined) this.noteLineNumber(match.offset, match.line);
        return match;
      }
      if (match.complete || match.next === from) return undefined;
      from = match.next;
      progress(match.size > 0 ? (query.backwards ? 1 - from / match.size : from / match.size) : 0);
    }
  }

  /** Notes the number of the line at an offset. */
  noteLineNumber(offset: number, line: number): void {
    this.window.setLineNumber(offset, line);
    this.notify();
  }

  private arrive(target: Position): void {
    this.pending = undefined;
    this.target = target;
    this.jump++;
    this.notify();
  }

  private async range(from: number, to: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = [];
    let at = from;
    while (at < to) {
      const begin = at;
      const part = await this.request((signal) => this.source.read(begin, to - begin, signal));
      if (!part || part.bytes.length === 0) return undefined;
      parts.push(part.bytes);
      at += part.bytes.length;
    }
    if (parts.length === 1) return parts[0];
    const bytes = new Uint8Array(to - from);
    let length = 0;
    for (const part of parts) {
      bytes.set(part, length);
      length += part.length;
    }
    return bytes;
  }

  private append(part: LogPart): void {
    this.size = part.size;
    this.complete = part.complete;
    this.attempt = part.attempt;
    if (part.bytes.length > 0 || part.complete) this.window.append(part.bytes, part.complete && part.next >= part.size);
    if (this.following) this.seenSize = part.size;
  }

  /** Asks the server to count lines if the line numbers are unknown. */
  private async count(): Promise<void> {
    const turn = this.turn;
    try {
      for (let tries = 0; tries < MAX_COUNT_REQUESTS && turn === this.turn; tries++) {
        const first = this.window.lines.find((line) => line.head && !line.open);
        if (!first || this.window.numberOf(first) !== undefined) return;
        const match = await this.source.find({ text: ' ', from: first.offset }, this.aborter.signal);
        if (!match.found || match.offset === undefined) return;
        if (match.line !== undefined) this.noteLineNumber(match.offset, match.line);
      }
    } catch {
      // The lines are readable without numbers.
    }
  }

  private async request(call: (signal: AbortSignal) => Promise<LogPart>): Promise<LogPart | undefined> {
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
      if (error instanceof ApiError && isRefusal(error)) this.error = error;
      else if (error instanceof OfflineError || error instanceof ApiError) this.offline = true;
      else throw error;
      this.notify();
      this.poll(Math.min(500 * 2 ** Math.min(this.failures, 4), ENDED_POLL));
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

  /** Schedules the next request for new lines, unless none can arrive or the log is not visible. */
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
      void this.runPoll();
    }, ms);
  }

  private async runPoll(): Promise<void> {
    if (this.polling) return;
    this.polling = true;
    try {
      if (this.size === undefined || this.pending) await this.goTo(this.pending ?? this.target);
      else await this.loadNew(this.size);
    } finally {
      this.polling = false;
    }
  }

  private async loadNew(size: number): Promise<void> {
    const turn = this.turn;
    const tail = this.following || this.window.next >= size;
    const from = this.following && size - this.window.next > MAX_BEHIND ? size - CHUNK : tail ? this.window.next : size;
    const part = await this.request((signal) => this.source.read(from, tail && this.following ? CHUNK : 1, signal));
    if (!part) return;
    const growing = part.size > size || part.next < part.size;
    if (turn !== this.turn) {
      this.poll(this.pollInterval);
      return;
    }
    this.apply(part, from);
    this.pollInterval = growing ? FAST_POLL : Math.min(this.pollInterval * 2, this.running ? SLOW_POLL : ENDED_POLL);
    this.notify();
    this.poll(this.following && part.next < part.size ? 0 : this.pollInterval);
    if (!growing) void this.once('count', () => this.count());
  }

  /** Applies a part that was read at `from`. Without following, only the size of the log is updated. */
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
      hasNew: !this.following && (this.size ?? 0) > this.seenSize && this.jump > 0,
    };
  }
}
