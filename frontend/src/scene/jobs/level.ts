import { byNumber, type TaskGraph } from '@/graph';
import { clamp, FAR, leastZoom, type Size, type View } from '../camera';
import type { Lane, Layout, Rect } from '../types';

// The levels of a graph by its zoom: cards, tiles, and jobs. Cards and tiles are two zooms of one layout, jobs have
// their own, in which a pixel of the scene is a pixel of the screen.

/** A graph with more tasks than this opens at the level of jobs. */
const OPENS_AS_JOBS = 150;
/** A smaller graph has the level of jobs only if it does not fit the screen as cards. */
const FEW_TASKS = 30;
/** Below this zoom the names of tiles cannot be read: the level of jobs begins. */
const LEAST_TILES = 0.2;
/** At the level of jobs, a zoom beyond this leads to tiles. */
export const LEAVE_JOBS = 1.05;
/** The largest zoom at the level of jobs. */
export const MAX_JOBS_ZOOM = 1.08;

/** Whether a graph opens at the level of jobs. */
export const opensAsJobs = (graph: TaskGraph): boolean =>
  byNumber(graph).tasks.length > OPENS_AS_JOBS && graph.jobs.length > 1;

/** The zooms of the levels of a layout in a screen. */
export interface Zooms {
  /** Below this zoom the level of jobs begins; 0 if the graph has no such level. */
  jobs: number;
  /** The least zoom of cards and tiles. */
  least: number;
  /** Everything is visible at this zoom, if it is not less than `jobs`. */
  all: number;
}

/** The zooms of the levels. If the whole drawing is visible as tiles, jobs begin where tiles would become smaller. */
export function zoomsOf(graph: TaskGraph, layout: Layout | undefined, screen: Size): Zooms {
  const all = layout ? leastZoom(layout, screen) : 0;
  const tasks = byNumber(graph).tasks.length;
  if (graph.jobs.length < 2 || (tasks <= FEW_TASKS && all >= FAR)) return { jobs: 0, least: all, all };
  const jobs = Math.max(LEAST_TILES, all * 0.98);
  return { jobs, least: all < FAR ? jobs * 0.9 : all, all };
}

/** The key of the job of a task. */
export function jobOfTask(graph: TaskGraph, task: string | undefined): string | undefined {
  const g = byNumber(graph);
  const number = task === undefined ? undefined : g.byKey.get(task);
  return number === undefined ? undefined : graph.jobs[g.laneOf[number] ?? -1]?.key;
}

/** The lane at a height of the screen, or the nearest one. */
export function laneAtHeight(layout: Layout, view: View, height: number): Lane | undefined {
  const y = (height - view.y) / view.zoom;
  return layout.lanes.find((lane) => y < lane.y + lane.height) ?? layout.lanes.at(-1);
}

/** The height on the screen of the middle of a lane's bar. */
export const barHeight = (layout: Layout, lane: Lane, view: View): number =>
  (lane.y + Math.min(lane.height, layout.bars?.pitch ?? lane.height) / 2) * view.zoom + view.y;

/** The view at the level of jobs that has the bar of a job at a height of the screen. */
export function viewOfBar(layout: Layout, job: string | undefined, height: number, screen: Size): View {
  const lane = layout.lanes.find((each) => each.key === job);
  const middle = lane ? lane.y + (layout.bars?.pitch ?? 0) / 2 : 0;
  return clamp({ x: 0, y: height - middle, zoom: 1 }, layout, screen);
}

/**
 * The view of cards or tiles that has a card, or the lane of a job, at a height of the screen. A lane that is higher
 * than half of the screen begins there.
 */
export function viewOfLane(
  layout: Layout,
  { job, task }: { job?: string; task?: string },
  at: { height: number; zoom: number },
  screen: Size,
): View {
  const { zoom, height } = at;
  const box: Rect | undefined = task === undefined ? undefined : layout.boxes.get(task);
  const lane = layout.lanes.find((each) => each.key === job);
  const rect = box ?? lane;
  if (!rect) return clamp({ x: 0, y: 0, zoom }, layout, screen);
  const tall = !box && rect.height * zoom > screen.height / 2;
  const y = tall ? Math.min(height, screen.height / 4) - rect.y * zoom : height - (rect.y + rect.height / 2) * zoom;
  const x = box ? screen.width / 2 - (rect.x + rect.width / 2) * zoom : 0;
  return clamp({ x, y, zoom }, layout, screen);
}
