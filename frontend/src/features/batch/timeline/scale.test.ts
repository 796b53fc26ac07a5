import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaleOf, ticksOf } from './scale';
import { rowsWith } from './testRows';

const rows = (...bars: [number, number | undefined, number?][]) => rowsWith({ a: bars });

describe('the scale', () => {
  it('fills the width, and leaves space for the expected end', () => {
    const scale = scaleOf(rows([0, 10]), { now: 0, until: 20_000, width: 200 });
    expect([scale.x(0), scale.x(10_000), scale.x(20_000)]).toEqual([0, 100, 200]);
    expect([scale.x(-5), scale.x(99_000)]).toEqual([0, 200]);
  });
  it('shows a long pause as a narrow break', () => {
    const scale = scaleOf(rows([0, 60], [36_000, 36_060, 2]), { now: 0, until: 0, width: 234 });
    expect(scale.pieces.map((p) => [p.pause, p.x1 - p.x0])).toEqual([
      [false, 100],
      [true, 34],
      [false, 100],
    ]);
    expect(scale.x(36_000_000)).toBe(134);
    expect([scale.at(50), scale.at(134), scale.at(999)]).toEqual([30_000, 36_000_000, 36_060_000]);
  });
  it('keeps short pauses, such as before a retry', () => {
    expect(scaleOf(rows([0, 5], [65, 70]), { now: 0, until: 0, width: 200 }).pieces).toHaveLength(1);
  });
  it('begins with the batch, and fits a batch of milliseconds', () => {
    const short = scaleOf(rows([0.05, 0.226]), { begin: 1, now: 0, until: 0, width: 225 });
    expect([short.x(1), short.x(226)]).toEqual([0, 225]);
    expect(ticksOf(short, 'UTC').map((t) => t.label)).toEqual(['00:00:00.100', '00:00:00.200']);
  });
  it('works before any attempt has a length', () => {
    const scale = scaleOf(rows([0, undefined], [121, undefined]), { now: 0, until: 0, width: 300 });
    expect(scale.pieces.every((p) => Number.isFinite(p.x0) && Number.isFinite(p.x1))).toBe(true);
    expect(scale.x(121_000)).toBeGreaterThanOrEqual(scale.x(0));
  });
  it('never decreases, for any attempts', () => {
    const span = fc.tuple(fc.nat(1_000_000), fc.option(fc.nat(5000), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 20 }), fc.nat(2_000_000), fc.nat(2000), (spans, now, width) => {
        const scale = scaleOf(
          rows(
            ...spans.map(
              ([from, duration]) =>
                [from, duration === undefined ? undefined : from + duration] as [number, number | undefined],
            ),
          ),
          { now: now * 1000, until: 0, width },
        );
        const xs = spans
          .flatMap(([from, duration]) => [from, from + (duration ?? 0)])
          .sort((a, b) => a - b)
          .map((s) => scale.x(s * 1000));
        for (const [n, x] of xs.entries()) {
          expect(Number.isFinite(x)).toBe(true);
          expect(x).toBeGreaterThanOrEqual((xs[n - 1] ?? 0) - 1e-6);
        }
      }),
    );
  });
  it('has marks at full hours of the zone, and none in a pause', () => {
    const scale = scaleOf(rows([0, 7200]), { now: 0, until: 0, width: 420 });
    expect(ticksOf(scale, 'Asia/Kolkata').map((t) => t.label)).toEqual(['05:30', '06:00', '06:30', '07:00', '07:30']);
    expect(ticksOf(scaleOf(rows([0, 12]), { now: 0, until: 0, width: 300 }), 'UTC').map((t) => t.label)).toEqual([
      '00:00:00',
      '00:00:05',
      '00:00:10',
    ]);
    const broken = scaleOf(rows([0, 600], [90_000, 90_600]), { now: 0, until: 0, width: 400 });
    expect(ticksOf(broken, 'UTC').every((t) => t.at <= 600_000 || t.at >= 90_000_000)).toBe(true);
  });
});
