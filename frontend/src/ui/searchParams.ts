/**
 * The search part of an address as it was read: without what it does not have, and with `undefined` for what is wrong in it.
 * The router lays what was read over what is written there, so that what is left out would come through as it is written.
 */
export function withInvalidUnset<T extends object>(read: T, written: Record<string, unknown>): T {
  return Object.fromEntries(
    Object.entries(read).filter(([name, value]) => value !== undefined || name in written),
  ) as T;
}

/** By which column a table is sorted, and whether downwards. */
export interface Order<C extends string = string> {
  column: C;
  down: boolean;
}

/** The order that a link carries, such as `-duration`; undefined for none of these columns, which is the order as written. */
export function parseOrder<C extends string>(columns: readonly C[], text: string | undefined): Order<C> | undefined {
  const column = columns.find((c) => c === text?.replace(/^-/, ''));
  return column && { column, down: text?.startsWith('-') ?? false };
}

/** The order after a click on a column: upwards, downwards, then as written. */
export function nextOrder<C extends string>(order: Order<C> | undefined, column: C): string | undefined {
  if (order?.column !== column) return column;
  return order.down ? undefined : `-${column}`;
}
