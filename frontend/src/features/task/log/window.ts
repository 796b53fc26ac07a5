import { LineSplitter, linesBefore, type LogLine } from './lines';

/** A line with its place among all lines of the window: line number = base + n, as soon as base is known. */
export interface Placed extends LogLine {
  readonly n: number;
}

/** Bytes of a log that are kept at most. */
const BOUND = 3 * 1024 * 1024;

/**
 * The part of a log that is in memory: consecutive whole lines of at most `bound` bytes in total. It grows at either
 * end and is then cut at the other.
 */
export class LogWindow {
  private list: Placed[] = [];
  private splitter = new LineSplitter(0);
  /** Line number of n = 0; undefined until it is counted. */
  private base?: number;
  private version = 0;
  private tail?: Placed;
  private shown?: { version: number; lines: readonly Placed[] };

  constructor(private readonly bound = BOUND) {}

  /** All lines, the last one perhaps still open. The same array until something changes. */
  get lines(): readonly Placed[] {
    if (this.shown?.version !== this.version) {
      this.shown = { version: this.version, lines: this.tail ? [...this.list, this.tail] : this.list.slice() };
    }
    return this.shown.lines;
  }
  /** Place of the first byte that is here. */
  get start(): number {
    return this.list[0]?.offset ?? this.splitter.start;
  }
  /** Place of the first byte that is not here and comes next. */
  get next(): number {
    return this.splitter.next;
  }
  /** Bytes in memory. */
  get bytes(): number {
    return this.next - this.start;
  }

  /** Number of a line, if it is known. */
  numberOf(line: Placed): number | undefined {
    return this.base === undefined ? undefined : this.base + line.n;
  }

  /** Empties the window; what is appended next begins at offset, and inside a line if that is not 0. */
  reset(offset: number, startsLine = offset === 0): void {
    this.list = [];
    this.splitter = new LineSplitter(offset, true, !startsLine);
    this.base = undefined;
    this.tail = undefined;
    this.version++;
  }

  /** Adds bytes that begin at `next`. With `last` the log will not grow any more. What lies far before is let go. */
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
    if (this.bytes > this.bound) this.cutFront();
    this.version++;
  }

  /** Adds bytes that end at `start` and begin at offset. What lies far after is let go. */
  prepend(bytes: Uint8Array, offset: number): void {
    const first = this.list[0] ?? this.tail;
    const more = linesBefore(bytes, offset);
    let [n, follows] = first ? [first.n, first.head] : [1, true];
    const placed: Placed[] = new Array<Placed>(more.length);
    for (let i = more.length - 1; i >= 0; i--) {
      const line = more[i];
      if (!line) continue;
      if (follows) n--;
      follows = line.head;
      placed[i] = { ...line, n };
    }
    this.list = placed.concat(this.list);
    this.countFromStart();
    if (this.bytes > this.bound) this.cutBack();
    this.version++;
  }

  /** Notes that the line that begins at offset has this number. */
  number(offset: number, line: number): void {
    const at = this.lines[this.indexAt(offset)];
    if (at?.offset !== offset || !at.head) return;
    this.base = line - at.n;
    this.version++;
  }

  /** Index of the line that holds the byte at offset, or of the nearest one. */
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

  /** Whether the byte at offset is here. */
  has(offset: number): boolean {
    return offset >= this.start && offset < this.next;
  }

  private countFromStart(): void {
    const first = this.list[0];
    if (first?.offset === 0) this.base = 1 - first.n;
  }

  private cutFront(): void {
    const least = this.next - this.bound;
    const keep = this.list.findIndex((line) => line.offset >= least);
    if (keep < 0 && !this.tail) this.base = undefined; // nothing is left to count from
    this.list = keep < 0 ? [] : this.list.slice(keep);
  }

  private cutBack(): void {
    const most = this.start + this.bound;
    let keep = this.list.length;
    while (keep > 1 && (this.list[keep - 1]?.end ?? 0) > most) keep--;
    const last = this.list[keep - 1];
    const after = this.list[keep] ?? this.tail;
    this.list = this.list.slice(0, keep);
    this.tail = undefined;
    if (last) this.splitter = new LineSplitter(last.end, after?.head ?? true);
  }
}
