import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { layoutGraph } from '@/scene';
import { rectBetween, hitAt, edgeAt } from './hitTest';

const definition = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: [
    {
      key: 'one',
      tasks: [
        { key: 'a', handler: 'shell' },
        { key: 'b', handler: 'shell' },
      ],
    },
    { key: 'two', tasks: [] },
    { key: 'three', tasks: [{ key: 'c', handler: 'shell', needs: ['a'] }] },
  ],
};
const drawn = layoutGraph(toGraph(definition), { width: 1280 });
const box = (key: string) => drawn.boxes.get(key)!;
const middle = (key: string) => ({ x: box(key).x + box(key).width / 2, y: box(key).y + box(key).height / 2 });
const lane = (index: number) => drawn.lanes[index]!;

describe('hitAt', () => {
  it('finds a card, and its handle at its lower edge', () => {
    expect(hitAt(drawn, middle('a'), { handle: 14 })).toEqual({ kind: 'card', key: 'a' });
    const bottom = { x: middle('a').x, y: box('a').y + box('a').height };
    expect(hitAt(drawn, { ...bottom, y: bottom.y + 12 }, { handle: 14 })).toEqual({ kind: 'handle', key: 'a' });
    expect(hitAt(drawn, { ...bottom, y: bottom.y - 3 }, { handle: 14 })).toEqual({ kind: 'handle', key: 'a' });
    expect(hitAt(drawn, { ...bottom, y: bottom.y + 12 })).toEqual({ kind: 'lane', job: 'one', before: 'b' });
    expect(hitAt(drawn, { x: bottom.x + 20, y: bottom.y - 3 }, { handle: 14 })).toEqual({ kind: 'card', key: 'a' });
  });
  it('finds the position in a lane', () => {
    const y = middle('a').y;
    expect(hitAt(drawn, { x: box('a').x - 20, y })).toEqual({ kind: 'lane', job: 'one', before: 'a' });
    expect(hitAt(drawn, { x: box('b').x - 4, y })).toEqual({ kind: 'lane', job: 'one', before: 'b' });
    expect(hitAt(drawn, { x: box('b').x + box('b').width + 9, y })).toEqual({ kind: 'lane', job: 'one' });
    expect(hitAt(drawn, { x: 600, y: lane(1).y + lane(1).height / 2 })).toEqual({ kind: 'lane', job: 'two' });
  });
  it('finds the room before, between and after lanes', () => {
    expect(hitAt(drawn, { x: 600, y: 2 })).toEqual({ kind: 'between', index: 0 });
    expect(hitAt(drawn, { x: 600, y: lane(1).y - 4 })).toEqual({ kind: 'between', index: 1 });
    expect(hitAt(drawn, { x: 600, y: drawn.height + 300 })).toEqual({ kind: 'between', index: 3 });
  });
  it('finds an edge within its reach, below cards', () => {
    const at = { x: middle('a').x, y: lane(1).y + 20 };
    expect(hitAt(drawn, { x: at.x + 3, y: at.y }, { edge: 6 })).toEqual({ kind: 'edge', from: 'a', to: 'c' });
    expect(hitAt(drawn, { x: at.x + 30, y: at.y }, { edge: 6 })).not.toMatchObject({ kind: 'edge' });
    expect(hitAt(drawn, middle('c'), { edge: 60 })).toEqual({ kind: 'card', key: 'c' });
  });
});

describe('edgeAt', () => {
  const edge = (from: string, x: number, redundant = false) => ({
    from,
    to: 'z',
    redundant,
    points: [
      { x, y: 0 },
      { x: x + 40, y: 100 },
    ],
  });
  it('finds the nearest of the drawn edges', () => {
    const edges = [edge('a', 0), edge('b', 10), edge('c', 4, true)];
    expect(edgeAt(edges, { x: 4, y: 2 }, 8)?.from).toBe('a');
    expect(edgeAt(edges, { x: 4, y: 2 }, 8, true)?.from).toBe('c');
    expect(edgeAt(edges, { x: 30, y: 50 }, 2)?.from).toBe('b');
    expect(edgeAt(edges, { x: 30, y: 200 }, 8)).toBeUndefined();
  });
});

it('spans the rectangle between two points in any order', () => {
  expect(rectBetween({ x: 9, y: 1 }, { x: 2, y: 5 })).toEqual({ x: 2, y: 1, width: 7, height: 4 });
});
