import { describe, expect, it } from 'vitest';
import { cardWidths, fittingWidth, rowsFor } from './cardWidths';

const measure = (text: string) => text.length * 8;
const graph = (...jobs: string[][]) => ({
  jobs: jobs.map((keys, i) => ({
    key: `job${String(i)}`,
    tasks: keys.map((key) => ({ key, handler: 'shell', needs: [], waitsForAll: false })),
  })),
  redundant: new Set<string>(),
});

describe('the widths of cards', () => {
  it('depend on the longest name of each lane, in steps', () => {
    expect(cardWidths(graph(['a', 'b'], ['x', 'y'.repeat(17)], ['z'.repeat(60)], []), measure)).toEqual([
      188, 220, 280, 188,
    ]);
  });

  it('never need more rows than cards of the usual width', () => {
    expect(fittingWidth(280, 3, 1000)).toBe(280);
    expect(fittingWidth(280, 4, 1000)).toBe(220);
    expect(fittingWidth(280, 5, 1000)).toBe(280);
    expect(fittingWidth(280, 10, 1000)).toBe(220);
    expect(rowsFor(10, 220, 1000)).toBe(rowsFor(10, 188, 1000));
    expect(fittingWidth(280, 7, 200)).toBe(188);
    expect(fittingWidth(188, 3, 100)).toBe(188);
  });
});
