/** Who wrote a line: one of the task's two streams, or the executor; empty if the log does not say. */
export type Stream = 'out' | 'err' | 'sys' | '';

/** One line of a log, or a piece of one that is very long. */
export interface LogLine {
  /** Place of its first byte in the log. */
  readonly offset: number;
  /** Place of the byte after it, line end included. */
  readonly end: number;
  readonly stream: Stream;
  /** When it was written, in milliseconds since 1970; undefined if the line does not tell. */
  readonly at?: number;
  /** The text without time and stream. It may hold anything: see text.ts. */
  readonly text: string;
  /** False for a piece that goes on where the one before it was cut. */
  readonly head: boolean;
  /** Its line end has not come yet. */
  readonly open?: boolean;
}

/**
 * A line longer than this (bytes) is cut into pieces of this size. HiveGo's executors cut lines at 64 KiB, so only logs
 * of other origin have such lines.
 */
export const PIECE = 128 * 1024;

const NEWLINE = 0x0a;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Cuts a stream of bytes into lines. However the bytes are split into chunks, the lines are the same; what has no line
 * end yet is kept for the next chunk.
 */
export class LineSplitter {
  private rest: Uint8Array = new Uint8Array();

  /**
   * @param offset place of the first byte that will be pushed
   * @param head whether a line begins there
   * @param skip bytes up to the first line end belong to a line that began before, and are left out
   */
  constructor(
    private offset: number,
    private head = true,
    private skip = false,
  ) {}

  /** Where the first line that is not left out begins, or would begin. */
  get start(): number {
    return this.offset;
  }
  /** Where the next chunk must begin. */
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
        from = this.take(data, from, cutAt(data, from + PIECE, from), out);
        continue;
      }
      from = this.take(data, from, newline + 1, out);
    }
    this.rest = data.slice(from); // a copy: the chunk itself can go
    return out;
  }

  /** The line that has begun but not ended, if any. */
  peek(): LogLine | undefined {
    if (this.rest.length === 0 || this.skip) return undefined;
    return { ...toLine(this.rest, this.offset, this.head), open: true };
  }

  /** The last line of a log that will not grow any more. */
  finish(): LogLine[] {
    const out: LogLine[] = [];
    if (this.rest.length > 0) this.take(this.rest, 0, this.rest.length, out);
    this.rest = new Uint8Array();
    return out;
  }

  private take(data: Uint8Array, from: number, to: number, out: LogLine[]): number {
    const whole = data[to - 1] === NEWLINE;
    if (!this.skip) out.push(toLine(data.subarray(from, to), this.offset, this.head));
    this.head = whole;
    // Of a line that began before, what lies beyond a whole piece is shown again: it could be all there is.
    this.skip = false;
    this.offset += to - from;
    return to;
  }
}

/**
 * The lines of a range that ends where a known line begins. The first line is left out if it began before the range.
 */
export function linesBefore(data: Uint8Array, offset: number): LogLine[] {
  const first = offset === 0 ? 0 : data.indexOf(NEWLINE) + 1;
  const alone = first === 0 || first >= data.length; // no line begins in here
  const begin = offset > 0 && alone ? runeStart(data) : first;
  const splitter = new LineSplitter(offset + begin, offset === 0 || !alone);
  return [...splitter.push(data.subarray(begin)), ...splitter.finish()];
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

/** The last place not after `at` where a character begins. */
function cutAt(data: Uint8Array, at: number, from: number): number {
  for (let i = at; i > Math.max(at - 4, from); i--) {
    if (((data[i] ?? 0) & 0xc0) !== 0x80) return i;
  }
  return at;
}

/** The first place where a character begins. */
function runeStart(data: Uint8Array): number {
  for (let i = 0; i < Math.min(4, data.length); i++) {
    if (((data[i] ?? 0) & 0xc0) !== 0x80) return i;
  }
  return 0;
}

// `2026-11-21T03:22:58.114Z out text`: the places of what is fixed in it.
const PREFIX = 29;
const FIXED: readonly [number, number][] = [
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

/** Reads the bytes of one line, its end included if it has one. */
export function toLine(bytes: Uint8Array, offset: number, head: boolean): LogLine {
  let length = bytes.length;
  if (bytes[length - 1] === NEWLINE) length--;
  if (bytes[length - 1] === 0x0d) length--;
  const base = { offset, end: offset + bytes.length, head };
  const prefix = head ? readPrefix(bytes, length) : undefined;
  const text = decoder.decode(bytes.subarray(prefix ? PREFIX : 0, length));
  return prefix ? { ...base, ...prefix, text } : { ...base, stream: '', text };
}

function readPrefix(b: Uint8Array, length: number): { stream: Stream; at: number } | undefined {
  if (length < PREFIX || FIXED.some(([i, c]) => b[i] !== c)) return undefined;
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
