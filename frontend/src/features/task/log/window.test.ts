import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesBefore, LineSplitter, type LogLine, LogWindow, PIECE, toLine } from './window';

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (lines: LogLine[]) => lines.map((l) => l.text);

/** The bytes of a log: lines, line ends, prefixes, parts of characters, and random bytes. */
const log = fc
  .array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          '2026-11-21T03:22:58.114Z out hello\n',
          '2026-11-21T03:22:58.114Z err 中文\r\n',
          '\n',
          'no prefix',
          '\u001b[31mred',
        ),
      },
      fc.uint8Array({ maxLength: 40 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Uint8Array.from(parts.flatMap((p) => [...(typeof p === 'string' ? bytes(p) : p)])));

function cutAt(data: Uint8Array, cuts: number[]): Uint8Array[] {
  const at = [0, ...cuts.map((p) => p % (data.length + 1)).sort((a, b) => a - b), data.length];
  return at.slice(1).map((end, i) => data.subarray(at[i], end));
}

function linesOf(chunks: Uint8Array[], offset = 0): LogLine[] {
  const splitter = new LineSplitter(offset);
  return [...chunks.flatMap((c) => splitter.push(c)), ...splitter.finish()];
}

describe('LineSplitter', () => {
  it('reads the prefix of a line', () => {
    expect(toLine(bytes('2026-11-21T03:22:58.114Z err no such column\n'), 7, true)).toEqual({
      offset: 7,
      end: 51,
      head: true,
      stream: 'err',
      at: Date.UTC(2026, 10, 21, 3, 22, 58, 114),
      text: 'no such column',
    });
  });
  it.each([
    '2026-11-21T03:22:58.114Z xxx a',
    '2026-11-21 03:22:58.114Z out a',
    'plain',
    '2026-11-21T03:22:58.114Z out',
  ])('%s has no prefix', (text) => {
    expect(toLine(bytes(text), 0, true)).toMatchObject({ stream: '', text });
  });
  it('returns the same lines for any split of the bytes', () => {
    fc.assert(
      fc.property(log, fc.array(fc.nat(), { maxLength: 8 }), (data, cuts) => {
        expect(linesOf(cutAt(data, cuts))).toEqual(linesOf([data]));
      }),
    );
  });
  it('returns each byte once', () => {
    fc.assert(
      fc.property(log, fc.nat(1_000_000), (data, offset) => {
        let at = offset;
        for (const line of linesOf([data], offset)) {
          expect(line.offset).toBe(at);
          at = line.end;
        }
        expect(at).toBe(offset + data.length);
      }),
    );
  });
  it('returns the same text as decoding all bytes at once', () => {
    fc.assert(
      fc.property(log, (data) => {
        const plain = linesOf([data]).filter((l) => l.stream === '').length;
        const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(data).split('\n');
        if (decoded.at(-1) === '') decoded.pop();
        const all = linesOf([data]);
        expect(all.length).toBe(decoded.length);
        expect(plain).toBeLessThanOrEqual(decoded.length);
        all.forEach((line, i) => {
          expect(decoded[i]?.replace(/\r$/, '').endsWith(line.text)).toBe(true);
        });
      }),
    );
  });
  it('cuts a line without end into pieces, never inside a character', () => {
    const data = bytes('中'.repeat(PIECE));
    for (const step of [PIECE / 2, 100_001, data.length]) {
      const splitter = new LineSplitter(0);
      const lines: LogLine[] = [];
      for (let i = 0; i < data.length; i += step) lines.push(...splitter.push(data.subarray(i, i + step)));
      lines.push(...splitter.finish());
      expect(lines.every((l) => l.end - l.offset <= PIECE && !l.text.includes('\ufffd'))).toBe(true);
      expect(lines.map((l) => l.head)).toEqual([true, ...lines.slice(1).map(() => false)]);
      expect(texts(lines).join('')).toBe('中'.repeat(PIECE));
    }
  });
  it('peeks at an unfinished line, and skips the rest of a line that began earlier', () => {
    const splitter = new LineSplitter(10, true, true);
    expect(splitter.push(bytes('of before\nnext\nbeg'))).toMatchObject([{ offset: 20, text: 'next' }]);
    expect(splitter.peek()).toMatchObject({ offset: 25, text: 'beg', open: true });
    expect(splitter.next).toBe(28);
  });
});

describe('linesBefore', () => {
  it('returns the same last lines as reading from the start', () => {
    fc.assert(
      fc.property(log, fc.nat(), (data, position) => {
        const all = linesOf([data]);
        const from = position % (data.length + 1);
        const want = all.filter((l) => l.offset > from || from === 0);
        const got = linesBefore(data.subarray(from), from);
        if (want.length > 0) expect(got).toEqual(want);
        expect(got.at(-1)?.end ?? data.length).toBe(data.length);
      }),
    );
  });
  it('shows a piece of a line that is longer than the range', () => {
    expect(linesBefore(bytes('\u00e9nd of a long line\n').subarray(1), 1001)).toMatchObject([
      { offset: 1002, head: false, text: 'nd of a long line' },
    ]);
  });
});

/** A log of numbered lines of different lengths, in two alphabets. */
function makeLog(count: number): Uint8Array {
  const lines = Array.from(
    { length: count },
    (_, i) => `2026-11-21T03:22:58.114Z out ${String(i + 1)} ${'ab中'.repeat(i % 17)}\n`,
  );
  return new TextEncoder().encode(lines.join(''));
}

const LOG = makeLog(400);
const MAX_BYTES = 6000;
const numbered = (w: LogWindow) =>
  w.lines.filter((l) => l.head && !l.open).map((l) => [w.numberOf(l), Number(l.text.split(' ')[0])] as const);

/** One operation of a reader. */
const action = fc.oneof(
  fc.record({ do: fc.constant('jump' as const), to: fc.nat(LOG.length - 1) }),
  fc.record({ do: fc.constant('after' as const), size: fc.integer({ min: 1, max: 2500 }) }),
  fc.record({ do: fc.constant('before' as const), size: fc.integer({ min: 300, max: 2500 }) }),
);

describe('LogWindow', () => {
  it('holds a part of the log without gaps, within its limit, with correct line numbers', () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 40 }), (actions) => {
        const w = new LogWindow(MAX_BYTES);
        w.reset(0);
        for (const d of actions) {
          if (d.do === 'jump') {
            w.reset(d.to);
            w.append(LOG.subarray(d.to, d.to + 1500), d.to + 1500 >= LOG.length);
          } else if (d.do === 'after') {
            const from = w.next;
            w.append(LOG.subarray(from, from + d.size), from + d.size >= LOG.length);
          } else if (w.start > 0) {
            const from = Math.max(w.start - d.size, 0);
            w.prepend(LOG.subarray(from, w.start), from);
          }
          expect(w.bytes).toBeLessThanOrEqual(MAX_BYTES);
          expect(w.lines.every((line, i) => i === 0 || line.offset === w.lines[i - 1]?.end)).toBe(true);
          const some = w.lines.find((l) => l.head && !l.open);
          if (some) w.setLineNumber(some.offset, Number(some.text.split(' ')[0]));
          expect(numbered(w).every(([shown, real]) => shown === real)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('numbers lines that follow the start of the log', () => {
    const w = new LogWindow();
    w.reset(0);
    w.append(LOG.subarray(0, 5000));
    expect(numbered(w)[0]).toEqual([1, 1]);
    expect(numbered(w).at(-1)?.[0]).toBe(numbered(w).at(-1)?.[1]);
  });

  it('does not number lines before their count is known', () => {
    const w = new LogWindow();
    w.reset(1000);
    w.append(LOG.subarray(1000, 4000));
    expect(w.lines.length).toBeGreaterThan(10);
    expect(numbered(w).every(([shown]) => shown === undefined)).toBe(true);
  });

  it('shows an open line until its end comes, once', () => {
    const w = new LogWindow();
    const put = (text: string) => {
      w.append(new TextEncoder().encode(text));
    };
    w.reset(0);
    put('one\ntw');
    expect(w.lines.map((l) => [l.text, l.open ?? false, w.numberOf(l)])).toEqual([
      ['one', false, 1],
      ['tw', true, 2],
    ]);
    put('o\nthree\n');
    expect(w.lines.map((l) => [l.text, w.numberOf(l)])).toEqual([
      ['one', 1],
      ['two', 2],
      ['three', 3],
    ]);
  });

  it('finds the line of a byte', () => {
    const w = new LogWindow();
    w.reset(0);
    w.append(LOG);
    fc.assert(
      fc.property(fc.nat(LOG.length - 1), (offset) => {
        const line = w.lines[w.indexAt(offset)];
        expect(line && line.offset <= offset && offset < line.end).toBe(true);
      }),
    );
  });
});
