import { describe, expect, it } from 'vitest';
import { toGraph } from './graph';
import { chainTrail, criticalPath, failureEdges, type PathRun, trailOf } from './paths';
import { written } from './testing';

const graph = toGraph(written(['a', 'b'], ['c: a', 'd: b'], ['e: c d', 'f: d'], ['g']));
const runs = (all: Record<string, PathRun>) => (key: string) => all[key];

/** A run from and to so many seconds after a moment. */
const ran = (from: number, to: number): PathRun => ({
  state: 'succeeded',
  startedAt: new Date(1e12 + from * 1000).toISOString(),
  finishedAt: new Date(1e12 + to * 1000).toISOString(),
});

describe('trailOf', () => {
  it('contains everything up- and downstream, and nothing else', () => {
    const trail = trailOf(graph, 'd');
    expect([...trail.tasks].sort()).toEqual(['b', 'd', 'e', 'f']);
    expect([...trail.edges].sort()).toEqual(['b>d', 'd>e', 'd>f']);
  });
  it('is empty for an unknown task', () => {
    expect(trailOf(graph, 'z').tasks.size).toBe(0);
  });
});

describe('failureEdges', () => {
  it('lead from failed runs to the runs that were skipped because of them', () => {
    const chain = toGraph(written(['a', 'b'], ['c: a b'], ['d: c']));
    const skipped = { state: 'skipped', reason: 'upstream_failed' };
    expect(
      failureEdges(chain, runs({ a: { state: 'failed' }, b: { state: 'succeeded' }, c: skipped, d: skipped })),
    ).toEqual(['a>c', 'c>d']);
  });
  it('are empty if a rule did not apply', () => {
    const chain = toGraph(written(['a'], ['b: a']));
    expect(failureEdges(chain, runs({ a: { state: 'failed' }, b: { state: 'skipped', reason: 'rule' } }))).toEqual([]);
  });
});

describe('criticalPath', () => {
  it('follows the needs that ended last', () => {
    expect(
      criticalPath(
        graph,
        runs({ a: ran(0, 9), b: ran(0, 5), c: ran(9, 12), d: ran(5, 20), e: ran(20, 30), f: ran(20, 25) }),
      ),
    ).toEqual(['b', 'd', 'e']);
  });
  it('follows the last task of all earlier jobs for a task without needs', () => {
    expect(
      criticalPath(
        graph,
        runs({ a: ran(0, 9), b: ran(0, 5), c: ran(9, 40), d: ran(5, 6), f: ran(6, 7), g: ran(40, 41) }),
      ),
    ).toEqual(['a', 'c', 'g']);
  });
  it('ends at a task that never ran', () => {
    expect(criticalPath(graph, runs({ e: ran(1, 2), c: { state: 'ignored' } }))).toEqual(['e']);
    expect(criticalPath(graph, runs({}))).toEqual([]);
  });
  it('can be shown as a trail', () => {
    expect([...chainTrail(['a', 'c', 'e']).edges]).toEqual(['a>c', 'c>e']);
  });
});
