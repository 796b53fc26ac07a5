import { describe, expect, it } from 'vitest';
import { jobBundles, toGraph } from '@/graph';
import { written } from '@/graph/testing';
import { laneMark } from '../sceneStore';
import type { Step } from '../walk';
import { layoutJobs } from './jobsLayout';
import { stepOnJobs } from './walkJobs';

const graph = toGraph(written(['a', 'b'], ['c: a', 'd', 'e', 'f', 'g', 'h', 'i'], ['z: c a']));
const screen = { width: 1280, height: 700 };
const keys = ['c', 'd', 'e', 'f', 'g', 'h', 'i'];
const layout = layoutJobs(graph, screen, { job: 'j1', cards: keys, tiles: [] });
const bundles = jobBundles(graph);
const step = (from: string | undefined, to: Step) => stepOnJobs(layout, bundles, from, to);
const [first, open, last] = ['j0', 'j1', 'j2'].map(laneMark);

describe('stepOnJobs', () => {
  it('starts at the first job, and knows the last one', () => {
    expect(step(undefined, 'down')).toBe(first);
    expect(step(open, 'first')).toBe(first);
    expect(step('c', 'last')).toBe(last);
  });

  it('leads from bar to bar, and through the cards of the open job', () => {
    expect(step(first, 'down')).toBe(open);
    expect(step(open, 'down')).toBe('c');
    expect(step('c', 'right')).toBe('d');
    expect(step('c', 'left')).toBe(open);
    expect(step('c', 'up')).toBe(open);
    expect(step('c', 'down')).toBe('g');
    expect(step('f', 'down')).toBe('i');
    expect(step('i', 'down')).toBe(last);
    expect(step(last, 'up')).toBe('g');
    expect(step(last, 'down')).toBe(last);
    expect(step(first, 'up')).toBe(first);
  });

  it('follows ribbons with Alt, to the nearest job', () => {
    expect(step(first, 'dependents')).toBe(open);
    expect(step(last, 'needs')).toBe(open);
    expect(step('c', 'needs')).toBe(first);
    expect(step(first, 'needs')).toBe(first);
  });
});
