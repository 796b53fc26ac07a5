import type { TaskGraph } from '@/graph';

// A drawing of a graph: pure data, without React or DOM. Lengths are scene pixels.

/** A point of the scene or of the window. */
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
  /** It is drawn as a tile with its short name, at the level of jobs. */
  tile?: boolean;
}

/** A job's lane. */
export interface Lane extends Rect {
  key: string;
  index: number;
  /** For each card of the first row that waits for all earlier jobs: the lower end of its line to the lane's edge. */
  ties: readonly Point[];
  /** Some of its tasks wait for all tasks of all earlier jobs. */
  waitsForAll: boolean;
}

/**
 * The drawing of a dependency. Its points run downwards, and it is vertical at each. It bends between rows and is
 * straight beside cards: see curve.ts.
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
  /** The measures of the bars, at the level of jobs: lanes are rows, and only the cards of an open job have boxes. */
  bars?: Bars;
}

/** The measures of the rows at the level of jobs. */
export interface Bars {
  /** The height of a row, or of the top of the lane of an open job. */
  pitch: number;
  /** Where bars begin, and where the longest one ends. */
  left: number;
  right: number;
  /** The length of one task. */
  unit: number;
}

/** The previous drawing. A new layout does not move its untouched parts. */
export interface PreviousLayout {
  graph: TaskGraph;
  layout: Pick<Layout, 'width' | 'boxes'>;
}
