import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { layoutGraph } from '@/scene';
import { stepOnCanvas } from './keyboardNav';

const task = (key: string, ...needs: string[]) => ({ key, handler: 'shell', needs });
const graph = toGraph({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: [
    { key: 'one', tasks: [task('a'), task('b')] },
    { key: 'two', tasks: [] },
    { key: 'three', tasks: [task('c', 'a')] },
    { key: 'four' },
  ],
});
const drawn = layoutGraph(graph, { width: 1280 });
const go = (from: string | undefined, ...steps: Parameters<typeof stepOnCanvas>[3][]) =>
  steps.reduce<string | undefined>((at, to) => stepOnCanvas(graph, drawn, at, to), from);

describe('stepOnCanvas', () => {
  it('stops at lanes without cards', () => {
    expect(go('a', 'down')).toBe(':two');
    expect(go('a', 'down', 'down')).toBe(':three');
    expect(go('c', 'up')).toBe(':two');
    expect(go('c', 'down')).toBe(':four');
    expect(go('a', 'up')).toBe('a');
  });
  it('steps from the first card of a row to its lane, and back', () => {
    expect(go('b', 'left')).toBe('a');
    expect(go('a', 'left')).toBe(':one');
    expect(go(':one', 'right')).toBe('a');
    expect(go(':two', 'right')).toBe(':two');
    expect(go(':one', 'left', 'up', 'needs')).toBe(':one');
  });
  it('starts at the first card, and follows dependencies', () => {
    expect(go(undefined, 'right')).toBe('a');
    expect(go(':four', 'first')).toBe('a');
    expect(go('c', 'needs')).toBe('a');
    expect(go('a', 'last')).toBe('c');
  });
  it('starts at the first lane if there are no cards', () => {
    const empty = toGraph({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'x',
      jobs: [{ key: 'one' }, { key: 'two' }],
    });
    const bare = layoutGraph(empty, { width: 1280 });
    expect(stepOnCanvas(empty, bare, undefined, 'down')).toBe(':one');
    expect(stepOnCanvas(empty, bare, ':one', 'last')).toBe(':two');
  });
});
