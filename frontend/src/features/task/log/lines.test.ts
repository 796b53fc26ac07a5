import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LogLine, linesBefore, LineSplitter, PIECE, toLine } from './lines';

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (lines: LogLine[]) => lines.map((l) => l.text);

/** Bytes as logs have them: whole lines, line ends, prefixes, halves of characters, anything. */
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

function cut(data: Uint8Array, places: number[]): Uint8Array[] {
  const at = [0, ...places.map((p) => p % (data.length + 1)).sort((a, b) => a - b), data.length];
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
  ])('%s has none', (text) => {
    expect(toLine(bytes(text), 0, true)).toMatchObject({ stream: '', text });
  });
  it('gives the same lines however the bytes are split', () => {
    fc.assert(
      fc.property(log, fc.array(fc.nat(), { maxLength: 8 }), (data, places) => {
        expect(linesOf(cut(data, places))).toEqual(linesOf([data]));
      }),
    );
  });
  it('loses no byte and doubles none', () => {
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
  it('gives the same text as decoding everything at once', () => {
    fc.assert(
      fc.property(log, (data) => {
        const plain = linesOf([data]).filter((l) => l.stream === '').length;
        const whole = new TextDecoder('utf-8', { ignoreBOM: true }).decode(data).split('\n');
        if (whole.at(-1) === '') whole.pop();
        const all = linesOf([data]);
        expect(all.length).toBe(whole.length);
        expect(plain).toBeLessThanOrEqual(whole.length);
        all.forEach((line, i) => {
          expect(whole[i]?.replace(/\r$/, '').endsWith(line.text)).toBe(true);
        });
      }),
    );
  });
  it('cuts a line without end into pieces, never within a character', () => {
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
  it('shows a line that has begun, and leaves out the rest of one that began before', () => {
    const splitter = new LineSplitter(10, true, true);
    expect(splitter.push(bytes('of before\nnext\nbeg'))).toMatchObject([{ offset: 20, text: 'next' }]);
    expect(splitter.peek()).toMatchObject({ offset: 25, text: 'beg', open: true });
    expect(splitter.next).toBe(28);
  });
});

describe('linesBefore', () => {
  it('gives the last lines of what reading from the start gives', () => {
    fc.assert(
      fc.property(log, fc.nat(), (data, place) => {
        const all = linesOf([data]);
        const from = place % (data.length + 1);
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
