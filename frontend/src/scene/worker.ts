import { layout } from './layout';
import type { Layout, Past, SceneGraph } from './types';

/** What the page asks of the worker, and what it answers. */
export interface LayoutRequest {
  id: number;
  graph: SceneGraph;
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
