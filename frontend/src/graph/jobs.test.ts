import { describe, expect, it } from 'vitest';
import { toGraph } from './graph';
import { countsByJob, jobBundles, type SkippedRun, skippedBundles } from './jobs';
import { written } from './testing';

describe('jobBundles', () => {
  it('has one bundle for each pair of jobs, with the number of dependencies', () => {
    const graph = toGraph(written(['a', 'b'], ['c: a b', 'd: a'], ['e: c a', 'f']));
    expect(jobBundles(graph)).toEqual([
      { from: 0, to: 1, count: 3 },
      { from: 0, to: 2, count: 1 },
      { from: 1, to: 2, count: 1 },
    ]);
  });
});

describe('skippedBundles', () => {
  const skipped = (cause?: string): SkippedRun => ({ state: 'skipped', reason: 'upstream_failed', cause });

  it('leads from the job of the failed task, also over other skipped tasks', () => {
    const graph = toGraph(written(['a', 'b'], ['c: a', 'd: b'], ['e: c', 'f: d', 'g: c d']));
    const runs: Partial<Record<string, SkippedRun>> = {
      a: { state: 'failed' },
      b: { state: 'succeeded' },
      c: skipped(),
      d: { state: 'succeeded' },
      e: skipped('c'),
      f: { state: 'succeeded' },
      g: skipped(),
    };
    expect(skippedBundles(graph, (key) => runs[key])).toEqual([
      { from: 0, to: 1, count: 1 },
      { from: 0, to: 2, count: 2 },
    ]);
  });

  it('finds the cause of a task that waits for all, and ignores tasks skipped for another reason', () => {
    const graph = toGraph(written(['a'], ['b: a'], ['c']));
    const runs: Partial<Record<string, SkippedRun>> = {
      a: { state: 'failed' },
      b: { state: 'skipped', reason: 'condition' },
      c: skipped('a'),
    };
    expect(skippedBundles(graph, (key) => runs[key])).toEqual([{ from: 0, to: 2, count: 1 }]);
  });
});

describe('countsByJob', () => {
  it('counts the states of each job', () => {
    const graph = toGraph(written(['a', 'b', 'c'], []));
    expect(countsByJob(graph, (key) => (key === 'a' ? 'failed' : 'succeeded'))).toEqual([
      { failed: 1, succeeded: 2 },
      {},
    ]);
  });
});
