import { useEffect, useState } from 'react';
import { byNumber, countsByJob, type JobBundle, type TaskGraph } from '@/graph';
import type { SceneRenderer } from '../sceneStore';

/** The states of all jobs. */
export interface JobStates {
  /** For each job, the number of its tasks by state. */
  counts: readonly Readonly<Record<string, number>>[];
  /** What was skipped because of failures. */
  skipped: readonly JobBundle[];
}

/** States change often, but a few reads of all tasks in a second are enough for counts: two if there are thousands. */
const LEAST_DELAY = 200;
const delayOf = (graph: TaskGraph) => Math.max(LEAST_DELAY, byNumber(graph).tasks.length / 10);

const NONE: readonly JobBundle[] = [];

/** The most rows that change in one frame: more would take longer than the frame. */
const LEAST_ROWS = 16;
/** All rows have changed after this many frames, before states are read again. */
const FRAMES = 8;

interface Shown {
  graph: TaskGraph;
  renderer: SceneRenderer;
  states: JobStates;
  /** The states that are shown in the next frames. */
  coming?: JobStates;
}

/** The states of all jobs. Unchanged parts remain the same objects, so that only changed bars render. */
export function useJobStates(graph: TaskGraph, renderer: SceneRenderer): JobStates {
  const [shown, setShown] = useState((): Shown => ({ graph, renderer, states: read(graph, renderer) }));
  if (shown.graph !== graph || shown.renderer !== renderer)
    setShown({ graph, renderer, states: shared(read(graph, renderer), shown.states) });
  const { coming } = shown;
  useEffect(() => {
    if (!coming) return undefined;
    const frame = requestAnimationFrame(() => {
      setShown((before) => (before.coming === coming ? advanced(before, coming) : before));
    });
    return () => {
      cancelAnimationFrame(frame);
    };
  }, [coming, shown]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const update = () => {
      timer = undefined;
      setShown((before) => advanced({ ...before, graph, renderer }, read(graph, renderer), before));
    };
    const later = () => {
      timer ??= setTimeout(() => {
        frame = requestAnimationFrame(update); // a hidden page has no frames, and reads nothing
      }, delayOf(graph));
    };
    later(); // states may have changed since the render
    const stop = renderer.subscribe(later);
    return () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      stop();
    };
  }, [graph, renderer]);
  return shown.states;
}

const read = (graph: TaskGraph, renderer: SceneRenderer): JobStates => ({
  counts: countsByJob(graph, renderer.stateOf),
  skipped: renderer.skippedBundles?.() ?? NONE,
});

/**
 * What is shown after the next frame: the new states in as many rows as one frame has time for. It returns `same` if
 * nothing changes.
 */
function advanced(before: Shown, fresh: JobStates, same?: Shown): Shown {
  const states = shared(fresh, before.states);
  let left = Math.max(LEAST_ROWS, Math.ceil(states.counts.length / FRAMES));
  const counts = states.counts.map((row, i) => {
    const old = before.states.counts[i];
    return row === old || old === undefined || left-- > 0 ? row : old;
  });
  if (left < 0) return { ...before, states: { ...states, counts }, coming: states };
  const changed = states.skipped !== before.states.skipped || !sameItems(counts, before.states.counts);
  return same && !changed && same.coming === undefined ? same : { ...before, states, coming: undefined };
}

/** New states with the equal parts of the states before. */
function shared(states: JobStates, before: JobStates): JobStates {
  const counts = states.counts.map((row, i) => {
    const old = before.counts[i];
    return old && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });
  const sameBundles = JSON.stringify(states.skipped) === JSON.stringify(before.skipped);
  return { counts, skipped: sameBundles ? before.skipped : states.skipped };
}

const sameItems = <T>(a: readonly T[], b: readonly T[]) => a.length === b.length && a.every((each, i) => each === b[i]);
