import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogWindow } from './window';

/** A log of numbered lines of different lengths, in two alphabets. */
function made(count: number): Uint8Array {
  const lines = Array.from(
    { length: count },
    (_, i) => `2026-11-21T03:22:58.114Z out ${String(i + 1)} ${'ab中'.repeat(i % 17)}\n`,
  );
  return new TextEncoder().encode(lines.join(''));
}

const LOG = made(400);
const BOUND = 6000;
const numbered = (w: LogWindow) =>
  w.lines.filter((l) => l.head && !l.open).map((l) => [w.numberOf(l), Number(l.text.split(' ')[0])] as const);

/** Everything a reader may do, in any order. */
const action = fc.oneof(
  fc.record({ do: fc.constant('jump' as const), to: fc.nat(LOG.length - 1) }),
  fc.record({ do: fc.constant('after' as const), size: fc.integer({ min: 1, max: 2500 }) }),
  fc.record({ do: fc.constant('before' as const), size: fc.integer({ min: 300, max: 2500 }) }),
);

describe('LogWindow', () => {
  it('holds a gapless part of the log, never more than its bound, with right numbers', () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 40 }), (deeds) => {
        const w = new LogWindow(BOUND);
        w.reset(0);
        for (const d of deeds) {
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
          expect(w.bytes).toBeLessThanOrEqual(BOUND);
          expect(w.lines.every((line, i) => i === 0 || line.offset === w.lines[i - 1]?.end)).toBe(true);
          const some = w.lines.find((l) => l.head && !l.open);
          if (some) w.number(some.offset, Number(some.text.split(' ')[0]));
          expect(numbered(w).every(([shown, real]) => shown === real)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('counts by itself from the start', () => {
    const w = new LogWindow();
    w.reset(0);
    w.append(LOG.subarray(0, 5000));
    expect(numbered(w)[0]).toEqual([1, 1]);
    expect(numbered(w).at(-1)?.[0]).toBe(numbered(w).at(-1)?.[1]);
  });

  it('does not number what nobody has counted', () => {
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

  it('finds the line that holds a byte', () => {
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
