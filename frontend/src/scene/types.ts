import type { TaskGraph } from '@/graph';

/** A drawing of a graph: pure data, without React or DOM. Lengths are scene pixels. */

export interface Point {
  x: number;
  y: number;
}

/** A rectangle by its top left corner. */
export interface Rect extends Point {
  width: number;
  height: number;
}

/** A card. Rows count from the top of its lane. */
export interface Box extends Rect {
  key: string;
  lane: number;
  row: number;
}

/** A job's lane. */
export interface Lane extends Rect {
  key: string;
  index: number;
  /** Where the cards of its first row that wait for all earlier jobs are tied to its upper edge; empty for none. */
  ties: readonly Point[];
  /** Some of its tasks wait for all tasks of all earlier jobs. */
  waitsForAll: boolean;
}

/**
 * A dependency as drawn. Its points run downwards; it passes each vertically. Between rows it bends, beside cards it is
 * straight: see curve.ts.
 */
export interface Edge {
  from: string;
  to: string;
  redundant: boolean;
  points: readonly Point[];
}

/** The positions of lanes, cards and edges of a graph, for one width. */
export interface Layout {
  width: number;
  height: number;
  /** Lanes have their heads above their cards instead of beside them. */
  narrow: boolean;
  lanes: readonly Lane[];
  boxes: ReadonlyMap<string, Box>;
  edges: readonly Edge[];
}

/** The previous drawing: a new layout leaves its untouched parts in place. */
export interface PreviousLayout {
  graph: TaskGraph;
  layout: Pick<Layout, 'width' | 'boxes'>;
}
