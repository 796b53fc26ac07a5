import { describe, expect, it } from 'vitest';
import type { Edge, Layout } from './types';
import { easeOut, MOST_TRAVELLING, pointsBetween, travelBetween } from './travel';

const edge = (from: string, to: string, ...points: [number, number][]): Edge => ({
  from,
  to,
  redundant: false,
  points: points.map(([x, y]) => ({ x, y })),
});
const layout = (...edges: Edge[]): Layout => ({
  width: 100,
  height: 100,
  narrow: false,
  lanes: [],
  boxes: new Map(),
  edges,
});
const all = { top: 0, bottom: 1000 };
const drawn = ({ points }: Edge) => points;

describe('the way from one drawing to the next', () => {
  it('has the edges that move, come and go', () => {
    const before = layout(edge('a', 'b', [0, 0], [0, 10]), edge('a', 'c', [0, 0], [5, 10]), edge('x', 'y', [9, 9]));
    const after = layout(edge('a', 'b', [0, 0], [0, 10]), edge('a', 'c', [0, 0], [7, 10]), edge('b', 'd', [1, 1]));
    expect(travelBetween(before, after, all, drawn)).toEqual({
      moving: new Map([['a>c', before.edges[1]?.points]]),
      fresh: new Set(['b>d']),
      gone: [before.edges[2]],
    });
  });

  it('begins where an edge is drawn, which may be on another way', () => {
    const between = [{ x: 3, y: 3 }];
    const travel = travelBetween(layout(edge('a', 'b', [0, 0])), layout(edge('a', 'b', [9, 9])), all, () => between);
    expect(travel?.moving.get('a>b')).toBe(between);
  });

  it('has no edges out of sight', () => {
    const before = layout(edge('a', 'b', [0, 2000], [0, 2100]));
    expect(travelBetween(before, layout(edge('a', 'b', [5, 2000], [5, 2100])), all, drawn)).toBeUndefined();
  });

  it('does not exist if nothing changes, or too much', () => {
    const one = layout(edge('a', 'b', [0, 0]));
    expect(travelBetween(one, layout(edge('a', 'b', [0, 0])), all, drawn)).toBeUndefined();
    const many = layout(...Array.from({ length: MOST_TRAVELLING + 1 }, (_, i) => edge(`a${String(i)}`, 'b', [0, 0])));
    expect(travelBetween(one, many, all, drawn)).toBeUndefined();
  });
});

describe('the points of an edge on its way', () => {
  const from = [
    { x: 0, y: 0 },
    { x: 10, y: 10 },
  ];

  it('are between those of both drawings', () => {
    const to = [
      { x: 10, y: 0 },
      { x: 10, y: 30 },
    ];
    expect(pointsBetween(from, to, 0.5)).toEqual([
      { x: 5, y: 0 },
      { x: 10, y: 20 },
    ]);
  });

  it.each([0, 0.3, 1])('have the ends at the cards, whatever is between them (%s)', (part) => {
    const to = [0, 1, 2, 3, 4].map((i) => ({ x: i, y: i }));
    const points = pointsBetween(from, to, part);
    expect(points[0]).toEqual({ x: 0, y: 0 });
    expect(points.at(-1)?.x).toBeCloseTo(10 - 6 * part);
  });
});

it('eases as the cards do in CSS', () => {
  expect([0, 0.25, 0.5, 0.75, 1].map((time) => Number(easeOut(time).toFixed(2)))).toEqual([0, 0.38, 0.68, 0.91, 1]);
});
