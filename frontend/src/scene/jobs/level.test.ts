import { describe, expect, it } from 'vitest';
import { toGraph } from '@/graph';
import { written } from '@/graph/testing';
import { layoutGraph } from '../layout';
import { layoutJobs } from './jobsLayout';
import { barHeight, jobOfTask, laneAtHeight, opensAsJobs, viewOfBar, viewOfLane, zoomsOf } from './level';

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${String(i)}`);
const screen = { width: 1280, height: 700 };
const graphOf = (jobs: number, tasks: number) =>
  toGraph(written(...Array.from({ length: jobs }, (_, j) => many(`t${String(j)}_`, tasks))));
const layoutOf = (graph: ReturnType<typeof graphOf>, width = 1280) => layoutGraph(graph, { width });

describe('opensAsJobs', () => {
  it('is true above 150 tasks', () => {
    expect(opensAsJobs(graphOf(3, 50))).toBe(false);
    expect(opensAsJobs(graphOf(2, 76))).toBe(true);
    expect(opensAsJobs(graphOf(1, 500))).toBe(false);
  });
});

describe('zoomsOf', () => {
  it('has no level of jobs for a small graph', () => {
    const graph = graphOf(3, 3);
    expect(zoomsOf(graph, layoutOf(graph), screen).jobs).toBe(0);
  });

  it('begins the level of jobs at 0.2 in a large drawing', () => {
    const graph = graphOf(40, 60);
    expect(zoomsOf(graph, layoutOf(graph, 6000), screen)).toMatchObject({ jobs: 0.2 });
  });

  it('begins it where a drawing that is wholly visible would become smaller', () => {
    const graph = graphOf(10, 10);
    const { all, jobs, least } = zoomsOf(graph, layoutOf(graph), screen);
    expect(all).toBeGreaterThan(0.2);
    expect(jobs).toBeLessThan(all);
    expect(least).toBeLessThan(jobs);
  });
});

describe('views', () => {
  const graph = graphOf(20, 40);
  const full = layoutOf(graph);
  const jobs = layoutJobs(graph, { width: 1280, height: 300 });

  it('keep the job at its place on the way to tiles and back', () => {
    const lane = jobs.lanes[9];
    if (!lane) throw new Error('no lane');
    const height = barHeight(jobs, lane, { x: 0, y: -20, zoom: 1 });
    const tiles = viewOfLane(full, { job: lane.key }, { height, zoom: 0.3 }, screen);
    expect(laneAtHeight(full, tiles, height)?.key).toBe(lane.key);
    const back = viewOfBar(jobs, lane.key, 200, { width: 1280, height: 300 });
    expect(laneAtHeight(jobs, back, 200)?.key).toBe(lane.key);
  });

  it('have a card in the middle', () => {
    const view = viewOfLane(full, { job: 'j9', task: 't9_20' }, { height: 350, zoom: 0.8 }, screen);
    const box = full.boxes.get('t9_20');
    expect((box?.y ?? 0) * 0.8 + view.y).toBeGreaterThan(250);
    expect((box?.y ?? 0) * 0.8 + view.y).toBeLessThan(400);
  });

  it('know the job of a task', () => {
    expect(jobOfTask(graph, 't9_20')).toBe('j9');
    expect(jobOfTask(graph, 'no')).toBeUndefined();
  });
});
