import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { written } from '@/graph/testing';
import { layoutJobs } from './jobsLayout';
import { QUIET_RIBBONS, quietBundles, ribbonsOf, type Room, widthOf } from './ribbons';

const graph = toGraph(written(['a', 'b'], ['c'], ['d'], ['e']));
const layout = layoutJobs(graph, { width: 1280, height: 700 });
const room: Room = { ...layout, tasks: [2, 1, 1, 1], from: 1000, to: 1200, bands: true };

describe('ribbonsOf', () => {
  it('draws a band between neighbours, and other ribbons at the right of the bars', () => {
    const { ribbons, trunks } = ribbonsOf(
      [
        { from: 0, to: 1, count: 5 },
        { from: 0, to: 2, count: 30 },
        { from: 0, to: 3, count: 10 },
      ],
      room,
    );
    expect(ribbons.map(({ to, tip }) => [to, tip !== undefined])).toEqual([
      [1, false],
      [2, true],
      [3, true],
    ]);
    expect(trunks).toHaveLength(1);
    expect(trunks[0]?.count).toBe(40);
    // It becomes thinner after each ribbon that leaves it.
    const widths = trunks[0]?.parts.map((part) => part.width) ?? [];
    expect(widths).toHaveLength(3);
    expect(widths[1]).toBe(widths[0]);
    expect(widths[2]).toBeLessThan(widths[1] ?? 0);
  });

  it('gives trunks that pass each other different positions', () => {
    const { trunks } = ribbonsOf(
      [
        { from: 0, to: 3, count: 1 },
        { from: 1, to: 3, count: 1 },
      ],
      room,
    );
    const xs = trunks.map((trunk) => trunk.corner.x);
    expect(new Set(xs).size).toBe(2);
    for (const x of xs) expect(x).toBeLessThanOrEqual(1200);
  });

  it('has no bands if they are not wanted', () => {
    expect(ribbonsOf([{ from: 0, to: 1, count: 3 }], { ...room, bands: false }).trunks).toHaveLength(1);
  });
});

describe('quietBundles', () => {
  it('keeps the widest of many', () => {
    const bundles = Array.from({ length: 100 }, (_, i) => ({ from: 0, to: i + 1, count: i }));
    const kept = quietBundles(bundles);
    expect(kept).toHaveLength(QUIET_RIBBONS);
    expect(Math.min(...kept.map((bundle) => bundle.count))).toBe(100 - QUIET_RIBBONS);
    expect(kept[0]?.to).toBeLessThan(kept[1]?.to ?? 0);
  });
});

describe('widthOf', () => {
  it('grows with the number', () => {
    const width = widthOf([{ from: 0, to: 1, count: 300 }]);
    expect(width(300)).toBe(11);
    expect(width(1)).toBeGreaterThan(1);
    expect(width(150)).toBeCloseTo((width(0) + width(300)) / 2);
  });
});
