import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { written } from '@/graph/testing';
import { barLength, layoutJobs, openJob, worstFirst, worstState } from './jobsLayout';

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${String(i)}`);
const screen = { width: 1280, height: 700 };

describe('layoutJobs', () => {
  const graph = toGraph(written(many('a', 10), many('b', 100), [], many('d', 40)));

  it('has a row for each job and no cards, whatever the number of tasks', () => {
    const { lanes, boxes, edges, bars } = layoutJobs(graph, screen);
    expect(lanes.map((lane) => lane.height)).toEqual([36, 36, 36, 36]);
    expect(boxes.size + edges.length).toBe(0);
    expect(barLength(bars, 100)).toBeCloseTo(bars.right - bars.left);
    expect(barLength(bars, 40) / barLength(bars, 100)).toBeCloseTo(0.4);
    expect(barLength(bars, 0)).toBe(0);
  });

  it('makes rows lower for many jobs, but names remain legible', () => {
    const jobs = Array.from({ length: 25 }, (_, j) => [`t${String(j)}`]);
    expect(layoutJobs(toGraph(written(...jobs)), screen).bars.pitch).toBeLessThan(36);
    expect(layoutJobs(toGraph(written(...jobs, ...jobs, ...jobs)), screen).bars.pitch).toBe(20);
  });

  it('has the cards and tiles of the open job only, left of the ribbons, and moves only the jobs below it', () => {
    const folded = layoutJobs(graph, screen);
    const open = layoutJobs(graph, screen, { job: 'j1', cards: many('b', 2), tiles: many('b', 100).slice(2) });
    expect(open.boxes.size).toBe(100);
    expect(open.lanes[0]).toEqual(folded.lanes[0]);
    expect(open.lanes[1]?.y).toBe(folded.lanes[1]?.y);
    expect(open.lanes[2]?.y).toBeGreaterThan((folded.lanes[2]?.y ?? 0) + 100);
    const lane = open.lanes[1];
    for (const box of open.boxes.values()) {
      expect(box.x + box.width).toBeLessThanOrEqual(open.bars.right);
      expect(box.y).toBeGreaterThan(lane?.y ?? 0);
      expect(box.y + box.height).toBeLessThan((lane?.y ?? 0) + (lane?.height ?? 0));
    }
    expect(open.boxes.get('b1')?.tile).toBeUndefined();
    expect(open.boxes.get('b2')?.tile).toBe(true);
  });

  it('fits a narrow screen', () => {
    const { lanes, bars } = layoutJobs(graph, { width: 390, height: 700 });
    expect(bars.left).toBeLessThan(bars.right);
    expect(bars.right).toBeLessThan(390);
    expect(lanes.every((lane) => lane.x + lane.width <= 390)).toBe(true);
  });
});

describe('openJob', () => {
  const [job] = toGraph(written(many('a', 100))).jobs;
  const stateOf = (key: string) => (key === 'a7' ? 'failed' : key === 'a9' ? 'running' : 'succeeded');

  it('makes quiet tasks of a large job tiles, and has the worst first', () => {
    if (!job) throw new Error('the graph has no job');
    const open = openJob(job, stateOf, false);
    expect(open.cards).toEqual(['a7', 'a9']);
    expect(open.tiles).toHaveLength(98);
  });

  it('keeps the order while editing, with cards only', () => {
    if (!job) throw new Error('the graph has no job');
    expect(openJob(job, stateOf, true)).toEqual({ job: 'j0', cards: many('a', 100), tiles: [] });
  });
});

describe('states', () => {
  it('knows the worst one', () => {
    expect(worstState({ succeeded: 400, failed: 1, skipped: 3 })).toBe('failed');
    expect(worstState({ succeeded: 3, skipped: 1 })).toBe('skipped');
    expect(worstState({ none: 3 })).toBe('none');
    expect(worstState({})).toBe('none');
    const states = new Map([['b', 'failed']]);
    expect(worstFirst(['a', 'b', 'c'], (key) => states.get(key) ?? 'succeeded')).toEqual(['b', 'a', 'c']);
  });
});
