/**
 * The search part of an address after its check. It leaves out what is undefined in `read`, unless `written` has the
 * key: the router merges the checked search over the written one, so only an explicit `undefined` removes an invalid
 * value.
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

/**
 * The order that a link carries, such as `-duration`. Undefined, which stands for the written order, if it names none
 * of the columns.
 */
export function parseOrder<C extends string>(columns: readonly C[], text: string | undefined): Order<C> | undefined {
  const column = columns.find((c) => c === text?.replace(/^-/, ''));
  return column && { column, down: text?.startsWith('-') ?? false };
}

/** The order after a click on a column: upwards, downwards, then as written. */
export function nextOrder<C extends string>(order: Order<C> | undefined, column: C): string | undefined {
  if (order?.column !== column) return column;
  return order.down ? undefined : `-${column}`;
}
