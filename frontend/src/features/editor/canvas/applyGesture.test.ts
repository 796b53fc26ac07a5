import { describe, expect, it } from 'vitest';
import type { Doc } from '@/document';
import { toGraph } from '@/graph';
import { layoutGraph } from '@/scene';
import { dropOf } from './applyGesture';
import type { Drag, DragSubject } from './gestureMachine';
import { hitAt } from './hitTest';

const doc: Doc = {
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
    { key: 'two', tasks: [{ key: 'c', handler: 'shell' }] },
  ],
};
const drawn = layoutGraph(toGraph(doc), { width: 1280 });
const box = (key: string) => drawn.boxes.get(key)!;
const middle = (key: string) => ({ x: box(key).x + box(key).width / 2, y: box(key).y + box(key).height / 2 });
const lane = (index: number) => drawn.lanes[index]!;
const from = { x: 5, y: 5 };
const drop = (subject: DragSubject, at: { x: number; y: number }) => {
  const modifiers = { add: false, alternative: false };
  const drag: Drag = { phase: 'dragging', subject, from, at, client: at, over: hitAt(drawn, at), modifiers };
  return dropOf(drag, drawn, doc);
};

describe('dropOf', () => {
  it('connects a dependency to any card', () => {
    expect(drop({ kind: 'edge', from: 'a' }, middle('c'))).toEqual({ kind: 'connect', from: 'a', to: 'c' });
    expect(drop({ kind: 'edge', from: 'c' }, middle('a'))).toEqual({ kind: 'connect', from: 'c', to: 'a' });
  });
  it('adds a task where a dependency is dropped in or before a later lane, and nowhere else', () => {
    const at = (index: number) => ({ x: lane(index).x + 4, y: lane(index).y + lane(index).height / 2 });
    expect(drop({ kind: 'edge', from: 'a' }, at(1))).toEqual({
      kind: 'addAfter',
      from: 'a',
      into: { job: 'two', before: 'c' },
    });
    expect(drop({ kind: 'edge', from: 'a' }, { x: 600, y: lane(1).y - 4 })).toMatchObject({ into: { index: 1 } });
    expect(drop({ kind: 'edge', from: 'c' }, at(0))).toEqual({ kind: 'nothing' });
  });
  it('moves tasks before the card if they are dropped on its left half, else after it', () => {
    const tasks: DragSubject = { kind: 'tasks', keys: ['c'], key: 'c' };
    const left = { x: box('a').x + 9, y: middle('a').y };
    const right = { x: box('a').x + box('a').width - 9, y: middle('a').y };
    expect(drop(tasks, left)).toEqual({ kind: 'move', keys: ['c'], into: { job: 'one', before: 'a' } });
    expect(drop(tasks, right)).toEqual({ kind: 'move', keys: ['c'], into: { job: 'one', before: 'b' } });
    expect(drop(tasks, { x: 600, y: drawn.height + 50 })).toEqual({ kind: 'move', keys: ['c'], into: { index: 2 } });
  });
  it('adds a task where a handler is dropped', () => {
    expect(drop({ kind: 'handler', handler: 'sql' }, { x: 600, y: lane(1).y - 4 })).toEqual({
      kind: 'add',
      handler: 'sql',
      into: { index: 1 },
    });
  });
  it('moves a job among the others', () => {
    expect(drop({ kind: 'job', job: 'one' }, { x: 9, y: drawn.height })).toMatchObject({ job: 'one', index: 1 });
    expect(drop({ kind: 'job', job: 'two' }, { x: 9, y: 0 })).toMatchObject({ job: 'two', index: 0 });
  });
  it('selects the cards in a frame', () => {
    expect(drop({ kind: 'frame', add: true }, { x: 105, y: 2 })).toEqual({
      kind: 'select',
      area: { x: 5, y: 2, width: 100, height: 3 },
      add: true,
    });
  });
});
