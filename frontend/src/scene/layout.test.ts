import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { widthFor } from './camera';
import { layoutGraph } from './layout';
import { anyDefinition, written } from '@/graph/testing';
import type { Box, Edge, Layout, Point } from './types';

const graphs = anyDefinition({ jobs: 7, tasks: 12 }).map(toGraph);
const widths = fc.oneof(fc.integer({ min: 200, max: 2600 }), fc.constantFrom(360, 390, 872, 1280, 1920));
const drawings = fc
  .tuple(graphs, widths)
  .map(([graph, width]) => ({ graph, width, drawn: layoutGraph(graph, { width }) }));

const apart = (a: Box, b: Box) =>
  a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

/** The pieces of an edge: straight between equal x, otherwise a bend within the rectangle between both ends. */
function pieces(points: readonly Point[]): { left: number; right: number; top: number; bottom: number }[] {
  return points.slice(1).map((p, i) => {
    const from = points[i] ?? p;
    return { left: Math.min(from.x, p.x), right: Math.max(from.x, p.x), top: from.y, bottom: p.y };
  });
}

/** What is wrong with the ends of an edge. */
function wrongEnds({ boxes }: Layout, { from, to, points }: Pick<Edge, 'from' | 'to' | 'points'>): string[] {
  const [a, b] = [boxes.get(from), boxes.get(to)];
  const [first, last] = [points[0], points.at(-1)];
  const begins = a !== undefined && first?.x === a.x + a.width / 2 && first.y === a.y + a.height;
  const ends = b !== undefined && last?.x === b.x + b.width / 2 && last.y === b.y;
  return [...(begins ? [] : ['begins elsewhere']), ...(ends ? [] : ['ends elsewhere'])];
}

/** What is wrong with a piece of an edge. */
function wrongPiece(
  { lanes, boxes }: Layout,
  { left, right, top, bottom }: ReturnType<typeof pieces>[number],
): string[] {
  const { x = 0, width = 0 } = lanes[0] ?? {};
  const crossed = [...boxes.values()].filter(
    (box) => bottom > box.y && top < box.y + box.height && right >= box.x && left <= box.x + box.width,
  );
  return [
    ...(bottom > top ? [] : ['runs upwards']),
    ...(left > x && right < x + width ? [] : ['leaves the lanes']),
    ...crossed.map((box) => `runs through ${box.key}`),
  ];
}

describe('layout', () => {
  it('gives every task a card within its lane; no two cards overlap', () => {
    fc.assert(
      fc.property(drawings, ({ graph, drawn }) => {
        const boxes = [...drawn.boxes.values()];
        expect(boxes.map((box) => box.key).sort()).toEqual(
          graph.jobs.flatMap((job) => job.tasks.map((task) => task.key)).sort(),
        );
        expect(boxes.flatMap((box, i) => boxes.slice(i + 1).filter((other) => !apart(box, other)))).toEqual([]);
        boxes.forEach((box) => {
          const lane = drawn.lanes[box.lane];
          expect(graph.jobs[box.lane]?.tasks.some((task) => task.key === box.key)).toBe(true);
          expect(
            lane &&
              lane.x <= box.x &&
              box.x + box.width <= lane.x + lane.width &&
              lane.y < box.y &&
              box.y + box.height < lane.y + lane.height,
          ).toBe(true);
        });
      }),
    );
  });

  it('stacks lanes from top to bottom within its measures', () => {
    fc.assert(
      fc.property(drawings, ({ width, drawn }) => {
        drawn.lanes.forEach((lane, i) => {
          const above = drawn.lanes[i - 1];
          expect(lane.y).toBeGreaterThan(above ? above.y + above.height : 0);
        });
        const last = drawn.lanes.at(-1);
        expect(last && last.y + last.height < drawn.height && last.x + last.width < drawn.width).toBe(true);
        if (width >= 360) expect(drawn.width).toBeLessThanOrEqual(width);
      }),
    );
  });

  it('runs every edge downwards, from card to card, within the lanes, and through no card', () => {
    fc.assert(
      fc.property(drawings, ({ graph, drawn }) => {
        expect(drawn.edges.length).toBe(graph.jobs.flatMap((job) => job.tasks.flatMap((task) => task.needs)).length);
        for (const { from, to, points } of drawn.edges) {
          const wrong = [
            ...wrongEnds(drawn, { from, to, points }),
            ...pieces(points).flatMap((piece) => wrongPiece(drawn, piece)),
          ];
          expect(wrong.map((what) => `${from} > ${to} ${what}`)).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is the same each time', () => {
    fc.assert(
      fc.property(anyDefinition({ jobs: 6, tasks: 8 }), widths, (definition, width) => {
        expect(layoutGraph(toGraph(structuredClone(definition)), { width })).toEqual(
          layoutGraph(toGraph(definition), { width }),
        );
      }),
    );
  });

  it('does not depend on redundant dependencies', () => {
    const plain = layoutGraph(toGraph(written(['a', 'b'], ['c: a'], ['d: c', 'e: b'])), { width: 1280 });
    const more = layoutGraph(toGraph(written(['a', 'b'], ['c: a'], ['d: c a', 'e: b'])), { width: 1280 });
    expect(more.boxes).toEqual(plain.boxes);
    expect(more.edges.filter((edge) => edge.redundant).map(({ from, to }) => [from, to])).toEqual([['a', 'd']]);
  });

  it('moves no card of other lanes when a task is added in a new last lane', () => {
    const before = layoutGraph(toGraph(written(['a', 'b', 'c'], ['d: a', 'e: b', 'f: c'])), { width: 1280 });
    const after = layoutGraph(toGraph(written(['a', 'b', 'c'], ['d: a', 'e: b', 'f: c'], ['g: e'])), { width: 1280 });
    expect(order(after, 0)).toEqual(order(before, 0));
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) expect(after.boxes.get(key)).toEqual(before.boxes.get(key));
  });

  it('keeps the order of the document unless another has fewer crossings', () => {
    expect(order(layoutGraph(toGraph(written(['z', 'y', 'x'], ['c: z', 'b: y', 'a: x'])), { width: 1280 }), 1)).toEqual(
      ['c', 'b', 'a'],
    );
    const crossed = layoutGraph(toGraph(written(['a', 'b', 'c'], ['d: c', 'e: b', 'f: a'])), { width: 1280 });
    const positions = new Map(order(crossed, 0).map((key, i) => [key, i]));
    expect(['f', 'e', 'd'].map((key) => order(crossed, 1).indexOf(key))).toEqual(
      ['a', 'b', 'c'].map((key) => positions.get(key)),
    );
  });

  it('draws a chain as one straight line', () => {
    const drawn = layoutGraph(toGraph(written(['a'], ['b: a'], ['c: b'])), { width: 1280 });
    expect(new Set(drawn.edges.flatMap((edge) => edge.points.map((p) => p.x))).size).toBe(1);
  });

  it('ties tasks that wait for all to the edge of their lane', () => {
    const { lanes, boxes } = layoutGraph(toGraph(written(['a'], ['b', 'c: a'])), { width: 1280 });
    expect(lanes.map((lane) => [lane.waitsForAll, lane.ties.length])).toEqual([
      [false, 0],
      [true, 1],
    ]);
    expect(lanes[1]?.ties[0]?.y).toBe(boxes.get('b')?.y);
  });

  it('accepts a document without jobs', () => {
    expect(layoutGraph(toGraph(written()), { width: 800 })).toMatchObject({ lanes: [], edges: [] });
  });
});

function order(drawn: Layout, lane: number): string[] {
  return [...drawn.boxes.values()]
    .filter((box) => box.lane === lane)
    .sort((a, b) => a.x - b.x)
    .map((box) => box.key);
}

describe('widthFor', () => {
  const screen = { width: 1280, height: 720 };
  const sized = (...counts: number[]) =>
    toGraph(written(...counts.map((n, j) => Array.from({ length: n }, (_, i) => `t${j}_${i}`))));
  it('is the width of the screen if that is readable', () => {
    for (const graph of [sized(3, 1, 4), sized(30), sized(...Array<number>(60).fill(1))])
      expect(widthFor(graph, screen)).toBe(1280);
  });
  it('is wider where the drawing would be many screens high', () => {
    const width = widthFor(sized(...Array<number>(40).fill(25)), screen);
    expect(width).toBeGreaterThan(2000);
    expect(layoutGraph(sized(...Array<number>(40).fill(25)), { width }).height).toBeLessThan(8000);
  });
});
