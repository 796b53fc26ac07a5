/** A schedule as a graph: pure data, without React, DOM or positions. */

/** A task, with what its dependencies depend on. */
export interface GraphTask {
  key: string;
  title?: string;
  handler: string;
  /** Keys of tasks of earlier jobs, in written order. Needs that name no such task are left out. */
  needs: readonly string[];
  /** It has no needs, and there are tasks in earlier jobs: it waits for all of them. */
  waitsForAll: boolean;
}

/** A job with its tasks. */
export interface GraphJob {
  key: string;
  title?: string;
  tasks: readonly GraphTask[];
}

/** Jobs in their order, each with its tasks. The object is another one only if the definition changed. */
export interface TaskGraph {
  jobs: readonly GraphJob[];
  /** Needs that a longer path implies, as `edgeKey`: drawings leave them out. */
  redundant: ReadonlySet<string>;
}

/** A graph by numbers: tasks count from 0 in document order. */
export interface NumberedGraph {
  tasks: readonly GraphTask[];
  /** The number of each task's job. */
  laneOf: readonly number[];
  /** The tasks of each job. */
  lanes: readonly (readonly number[])[];
  /** Needs and dependents of each task, redundant ones included, in written order. */
  needs: readonly (readonly number[])[];
  dependents: readonly (readonly number[])[];
  byKey: ReadonlyMap<string, number>;
}

/** The name of a dependency in a set: `from>to`. No key holds a `>`. */
export const edgeKey = (from: string, to: string): string => `${from}>${to}`;
