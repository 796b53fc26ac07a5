/** The writer of a line: one of the two streams of the task, or the executor. Empty if the line has no prefix. */
export type Stream = 'out' | 'err' | 'sys' | '';

/** One line of a log, or a piece of a very long line. */
export interface LogLine {
  /** Offset of its first byte in the log. */
  readonly offset: number;
  /** Offset of the byte after it, including its line end. */
  readonly end: number;
  readonly stream: Stream;
  /** When it was written, in milliseconds since 1970; undefined if the line has no prefix. */
  readonly at?: number;
  /** The text without time and stream. It may contain control characters: see text.ts. */
  readonly text: string;
  /** False for a piece that continues the piece before it. */
  readonly head: boolean;
  /** Its line end has not been written yet. */
  readonly open?: boolean;
}

/**
 * A line longer than this (bytes) is cut into pieces of this size. HiveGo's executors cut lines at 64 KiB, so only logs
 * of other executors have such lines.
 */
export const PIECE = 128 * 1024;

const NEWLINE = 0x0a;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Splits a stream of bytes into lines. The lines do not depend on how the bytes are split into chunks: a line without
 * an end waits for the next chunk.
 */
export class LineSplitter {
  private rest: Uint8Array = new Uint8Array();

  /**
   * @param offset offset of the first byte that will be pushed
   * @param head whether a line begins there
   * @param skip whether to leave out the bytes up to the first line end, because their line began earlier
   */
  constructor(
    private offset: number,
    private head = true,
    private skip = false,
  ) {}

  /** Offset of the next line that the splitter returns. */
  get start(): number {
    return this.offset;
  }
  /** Offset at which the next chunk must begin. */
  get next(): number {
    return this.offset + this.rest.length;
  }

  push(chunk: Uint8Array): LogLine[] {
    const data = this.rest.length > 0 ? concat(this.rest, chunk) : chunk;
    const out: LogLine[] = [];
    let from = 0;
    for (;;) {
      const newline = data.indexOf(NEWLINE, from);
      if (newline < 0 || newline - from > PIECE) {
        if (data.length - from <= PIECE) break;
        from = this.addLine(data, from, cutAt(data, from + PIECE, from), out);
        continue;
      }
      from = this.addLine(data, from, newline + 1, out);
    }
    this.rest = data.slice(from); // a copy, so that the chunk can be freed
    return out;
  }

  /** The line that has begun but not ended, if any. */
  peek(): LogLine | undefined {
    if (this.rest.length === 0 || this.skip) return undefined;
    return { ...toLine(this.rest, this.offset, this.head), open: true };
  }

  /** Returns the last line of a log that will not grow any more. */
  finish(): LogLine[] {
    const out: LogLine[] = [];
    if (this.rest.length > 0) this.addLine(this.rest, 0, this.rest.length, out);
    this.rest = new Uint8Array();
    return out;
  }

  private addLine(data: Uint8Array, from: number, to: number, out: LogLine[]): number {
    const complete = data[to - 1] === NEWLINE;
    if (!this.skip) out.push(toLine(data.subarray(from, to), this.offset, this.head));
    this.head = complete;
    // Only one piece of a line that began earlier is left out. The rest is shown, because it may be the whole log.
    this.skip = false;
    this.offset += to - from;
    return to;
  }
}

/**
 * Splits a range of bytes that ends where a line begins. The first line is left out if it began before the range.
 */
export function linesBefore(data: Uint8Array, offset: number): LogLine[] {
  const first = offset === 0 ? 0 : data.indexOf(NEWLINE) + 1;
  const noLineStart = first === 0 || first >= data.length;
  const begin = offset > 0 && noLineStart ? characterStart(data) : first;
  const splitter = new LineSplitter(offset + begin, offset === 0 || !noLineStart);
  return [...splitter.push(data.subarray(begin)), ...splitter.finish()];
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** The last index up to `at` where a UTF-8 character begins. */
function cutAt(data: Uint8Array, at: number, from: number): number {
  for (let i = at; i > Math.max(at - 4, from); i--) {
    if (((data[i] ?? 0) & 0xc0) !== 0x80) return i;
  }
  return at;
}

/** The first index where a UTF-8 character begins. */
function characterStart(data: Uint8Array): number {
  for (let i = 0; i < Math.min(4, data.length); i++) {
    if (((data[i] ?? 0) & 0xc0) !== 0x80) return i;
  }
  return 0;
}

// The prefix of a line such as `2026-11-21T03:22:58.114Z out text`: its length, and its fixed bytes with their indexes.
const PREFIX_LENGTH = 29;
const PREFIX_BYTES: readonly [number, number][] = [
  [4, 0x2d],
  [7, 0x2d],
  [10, 0x54],
  [13, 0x3a],
  [16, 0x3a],
  [19, 0x2e],
  [23, 0x5a],
  [24, 0x20],
  [28, 0x20],
];
const STREAMS: readonly Stream[] = ['out', 'err', 'sys'];

/** Parses the bytes of one line. They may include its line end. */
export function toLine(bytes: Uint8Array, offset: number, head: boolean): LogLine {
  let length = bytes.length;
  if (bytes[length - 1] === NEWLINE) length--;
  if (bytes[length - 1] === 0x0d) length--;
  const base = { offset, end: offset + bytes.length, head };
  const prefix = head ? readPrefix(bytes, length) : undefined;
  const text = decoder.decode(bytes.subarray(prefix ? PREFIX_LENGTH : 0, length));
  return prefix ? { ...base, ...prefix, text } : { ...base, stream: '', text };
}

function readPrefix(b: Uint8Array, length: number): { stream: Stream; at: number } | undefined {
  if (length < PREFIX_LENGTH || PREFIX_BYTES.some(([i, c]) => b[i] !== c)) return undefined;
  const stream = STREAMS.find((s) => [0, 1, 2].every((i) => b[25 + i] === s.charCodeAt(i)));
  const number = (from: number, to: number) => {
    let n = 0;
    for (let i = from; i < to; i++) n = n * 10 + (b[i] ?? 0) - 0x30;
    return n;
  };
  const at = Date.UTC(
    number(0, 4),
    number(5, 7) - 1,
    number(8, 10),
    number(11, 13),
    number(14, 16),
    number(17, 19),
    number(20, 23),
  );
  return stream && !Number.isNaN(at) ? { stream, at } : undefined;
}

/** A line with its index n among the lines of the window. Its line number is base + n, once base is known. */
export interface NumberedLine extends LogLine {
  readonly n: number;
}

/** Maximum size of the window, in bytes. */
const MAX_BYTES = 3 * 1024 * 1024;

/**
 * The part of a log that is in memory: consecutive lines of at most `maxBytes` bytes in total. It grows at either end,
 * and then drops lines at the other end.
 */
export class LogWindow {
  private list: NumberedLine[] = [];
  private splitter = new LineSplitter(0);
  /** Line number of the line with n = 0; undefined until it is counted. */
  private base?: number;
  private version = 0;
  private tail?: NumberedLine;
  private cached?: { version: number; lines: readonly NumberedLine[] };

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** All lines; the last one may be open. Returns the same array until a line changes. */
  get lines(): readonly NumberedLine[] {
    if (this.cached?.version !== this.version) {
      this.cached = { version: this.version, lines: this.tail ? [...this.list, this.tail] : this.list.slice() };
    }
    return this.cached.lines;
  }
  /** Offset of the first byte in the window. */
  get start(): number {
    return this.list[0]?.offset ?? this.splitter.start;
  }
  /** Offset of the first byte after the window. */
  get next(): number {
    return this.splitter.next;
  }
  /** Bytes in memory. */
  get bytes(): number {
    return this.next - this.start;
  }

  /** Number of a line, if it is known. */
  numberOf(line: NumberedLine): number | undefined {
    return this.base === undefined ? undefined : this.base + line.n;
  }

  /** Empties the window. The next bytes are appended at `offset`. */
  reset(offset: number, startsLine = offset === 0): void {
    this.list = [];
    this.splitter = new LineSplitter(offset, true, !startsLine);
    this.base = undefined;
    this.tail = undefined;
    this.version++;
  }

  /** Appends bytes that begin at `next`. `last` means: the log will not grow any more. May drop lines at the start. */
  append(bytes: Uint8Array, last = false): void {
    const more = this.splitter.push(bytes);
    if (last) more.push(...this.splitter.finish());
    let n = this.list.at(-1)?.n;
    if (n === undefined && this.tail) n = this.tail.n - (this.tail.head ? 1 : 0);
    for (const line of more) {
      n = n === undefined ? 0 : line.head ? n + 1 : n;
      this.list.push({ ...line, n });
    }
    const open = this.splitter.peek();
    this.tail = open && { ...open, n: n === undefined ? 0 : open.head ? n + 1 : n };
    this.countFromStart();
    if (this.bytes > this.maxBytes) this.cutFront();
    this.version++;
  }

  /** Prepends bytes that begin at `offset` and end at `start`. May drop lines at the end. */
  prepend(bytes: Uint8Array, offset: number): void {
    const first = this.list[0] ?? this.tail;
    const more = linesBefore(bytes, offset);
    let [n, follows] = first ? [first.n, first.head] : [1, true];
    const numbered: NumberedLine[] = new Array<NumberedLine>(more.length);
    for (let i = more.length - 1; i >= 0; i--) {
      const line = more[i];
      if (!line) continue;
      if (follows) n--;
      follows = line.head;
      numbered[i] = { ...line, n };
    }
    this.list = numbered.concat(this.list);
    this.countFromStart();
    if (this.bytes > this.maxBytes) this.cutBack();
    this.version++;
  }

  /** Sets the number of the line at an offset, and so of all other lines. */
  setLineNumber(offset: number, line: number): void {
    const at = this.lines[this.indexAt(offset)];
    if (at?.offset !== offset || !at.head) return;
    this.base = line - at.n;
    this.version++;
  }

  /** Index of the line with the byte at an offset, or of the nearest line. */
  indexAt(offset: number): number {
    const lines = this.lines;
    let [low, high] = [0, lines.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle]?.offset ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Whether the window has the byte at an offset. */
  has(offset: number): boolean {
    return offset >= this.start && offset < this.next;
  }

  private countFromStart(): void {
    const first = this.list[0];
    if (first?.offset === 0) this.base = 1 - first.n;
  }

  private cutFront(): void {
    const minOffset = this.next - this.maxBytes;
    const keep = this.list.findIndex((line) => line.offset >= minOffset);
    if (keep < 0 && !this.tail) this.base = undefined; // no line is left to count from
    this.list = keep < 0 ? [] : this.list.slice(keep);
  }

  private cutBack(): void {
    const maxEnd = this.start + this.maxBytes;
    let keep = this.list.length;
    while (keep > 1 && (this.list[keep - 1]?.end ?? 0) > maxEnd) keep--;
    const last = this.list[keep - 1];
    const after = this.list[keep] ?? this.tail;
    this.list = this.list.slice(0, keep);
    this.tail = undefined;
    if (last) this.splitter = new LineSplitter(last.end, after?.head ?? true);
  }
}
