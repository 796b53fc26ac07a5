import type { TaskGraph } from '@/graph';
import { layout } from './layout';
import type { Layout, Past } from './types';

/** What the page asks of the worker, and what it answers. */
export interface LayoutRequest {
  id: number;
  graph: TaskGraph;
  width: number;
  past?: Past;
}
export interface LayoutReply {
  id: number;
  layout: Layout;
}

addEventListener('message', ({ data: { id, graph, width, past } }: MessageEvent<LayoutRequest>) => {
  postMessage({ id, layout: layout(graph, { width, past }) } satisfies LayoutReply);
});
