import type { TaskGraph } from '@/graph';
import { layoutGraph } from './layout';
import type { Layout, PreviousLayout } from './types';

/** The page's request to the worker: a graph to lay out in a width, and the previous layout if there was one. */
export interface LayoutRequest {
  id: number;
  graph: TaskGraph;
  width: number;
  previous?: PreviousLayout;
}

/** The worker's answer to the request with the same id. */
export interface LayoutReply {
  id: number;
  layout: Layout;
}

addEventListener('message', ({ data: { id, graph, width, previous } }: MessageEvent<LayoutRequest>) => {
  postMessage({ id, layout: layoutGraph(graph, { width, previous }) } satisfies LayoutReply);
});
