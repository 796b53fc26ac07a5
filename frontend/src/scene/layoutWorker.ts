import type { TaskGraph } from '@/graph';
import { layoutGraph } from './layout';
import type { Layout, PreviousLayout } from './types';

/**
 * The page's request to the worker: a graph to lay out in a width, and the previous layout if there was one. The reply
 * is the layout.
 */
export interface LayoutRequest {
  graph: TaskGraph;
  width: number;
  /** The wanted widths of the cards of each lane. */
  cards: readonly number[];
  previous?: PreviousLayout;
}

addEventListener('message', ({ data: { graph, width, cards, previous } }: MessageEvent<LayoutRequest>) => {
  postMessage(layoutGraph(graph, { width, cards, previous }) satisfies Layout);
});
