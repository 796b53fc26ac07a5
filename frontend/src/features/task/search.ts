/** The tabs of the drawer, from left to right. */
export const TABS = ['log', 'command', 'outputs', 'attempts', 'needs'] as const;
/** A tab of the drawer, as the address spells it. */
export type Tab = (typeof TABS)[number];

/** What the address says about the drawer. */
export interface TaskSearch {
  /** The log if left out. */
  tab?: Exclude<Tab, 'log'>;
  /** Number of the attempt; the latest if left out. */
  attempt?: number;
  /** Offset of a line in its log, in bytes. */
  at?: number;
}
