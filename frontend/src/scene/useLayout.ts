import { useEffect, useMemo, useState } from 'react';
import type { TaskGraph } from '@/graph';
import { layout } from './layout';
import type { Layout } from './types';
import type { LayoutReply, LayoutRequest } from './worker';

/** Graphs up to so many tasks are laid out at once, so that the first picture has them; larger ones beside the page. */
const AT_ONCE = 300;

interface Done {
  graph: TaskGraph;
  width: number;
  layout: Layout;
}

/**
 * The layout of a graph in a width; undefined while a large one is laid out for the first time. If `steady`, each follows
 * from the one before it: what was not touched stays, and the old one is shown until the next is there.
 */
export function useLayout(graph: TaskGraph, width: number | undefined, steady: boolean): Layout | undefined {
  const small = useMemo(() => graph.jobs.reduce((sum, job) => sum + job.tasks.length, 0) <= AT_ONCE, [graph]);
  const [done, setDone] = useState<Done>();
  const current = done?.graph === graph && done.width === width;
  if (small && width !== undefined && !current)
    setDone({ graph, width, layout: layout(graph, { width, past: steady ? done : undefined }) });

  const past = useMemo(
    () =>
      steady && done
        ? { graph: done.graph, layout: { width: done.layout.width, boxes: done.layout.boxes } }
        : undefined,
    [steady, done],
  );
  useEffect(() => {
    if (small || width === undefined || current) return undefined;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<LayoutReply>) => {
      setDone({ graph, width, layout: data.layout });
    };
    worker.postMessage({ id: 0, graph, width, past } satisfies LayoutRequest);
    return () => {
      worker.terminate();
    };
  }, [small, graph, width, past, current]);

  // Of the same graph in another width until the new one is there: better than nothing.
  return done && (steady || done.graph === graph) ? done.layout : undefined;
}
