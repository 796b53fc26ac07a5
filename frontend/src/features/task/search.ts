/** The tabs of the drawer, from left to right. */
export const TABS = ['log', 'shards', 'command', 'outputs', 'attempts', 'needs'] as const;
/** A tab of the drawer, as the address spells it. */
export type Tab = (typeof TABS)[number];

/** The tabs of a task with shards, which has no attempts of its own; the first is shown without a choice. */
const SHARDED: readonly Tab[] = ['shards', 'command', 'needs'];

/** The tabs that a task has. */
export const tabsOf = (sharded: boolean): readonly Tab[] =>
  sharded ? SHARDED : TABS.filter((tab) => tab !== 'shards');

/** The state of the drawer that the address contains. */
export interface TaskSearch {
  /** Undefined means the log. */
  tab?: Exclude<Tab, 'log'>;
  /** Number of the attempt; undefined means the latest. */
  attempt?: number;
  /** Byte offset of a line in the log. */
  at?: number;
  /** The numbers of two attempts whose logs are compared, such as `1-2`. */
  compare?: string;
}

/** The attempts that an address compares; undefined if it compares none of this many. */
export function pairOf(compare: string | undefined, attempts: number): [number, number] | undefined {
  const [left = 0, right = 0] = (compare ?? '').split('-').map(Number);
  return [left, right].every((number) => number >= 1 && number <= attempts) ? [left, right] : undefined;
}
