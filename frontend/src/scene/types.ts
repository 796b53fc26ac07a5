/** What a scene is made of. Pure data: no React, no DOM, no positions in the document. Lengths are scene pixels. */

/** A task as the scene needs it. */
export interface SceneTask {
  key: string;
  title?: string;
  handler: string;
  /** Keys of tasks of earlier jobs, as written; what names no such task is left out. */
  needs: readonly string[];
  /** Has no needs of its own, and jobs with tasks before it: it waits for all of those. */
  waitsForAll: boolean;
}

export interface SceneJob {
  key: string;
  title?: string;
  tasks: readonly SceneTask[];
}

/** Jobs from top to bottom, their tasks side by side. Its identity changes only when the definition does. */
export interface SceneGraph {
  jobs: readonly SceneJob[];
  /** Needs that a longer path implies: left out of the drawing, `from>to`. */
  redundant: ReadonlySet<string>;
}

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
export interface Wire {
  from: string;
  to: string;
  redundant: boolean;
  points: readonly Point[];
}

export interface Layout {
  width: number;
  height: number;
  /** Lanes have their heads above their cards instead of beside them. */
  narrow: boolean;
  lanes: readonly Lane[];
  boxes: ReadonlyMap<string, Box>;
  wires: readonly Wire[];
}

/** A drawing that another one comes after: what nobody touched stays as it is in it. */
export interface Past {
  graph: SceneGraph;
  layout: Pick<Layout, 'width' | 'boxes'>;
}
