/**
 * Removes undefined values from the checked search part of an address, except for keys of the original one. The router
 * merges the checked values over the original ones, so only an explicit `undefined` removes an invalid value.
 */
export function withInvalidUnset<T extends object>(checked: T, original: Record<string, unknown>): T {
  return Object.fromEntries(
    Object.entries(checked).filter(([name, value]) => value !== undefined || name in original),
  ) as T;
}

/** The first and the last day of a filter (`2026-11-26`), each open without a value. */
export interface DayRange {
  from?: string;
  to?: string;
}

/** Checks a day in an address. */
export const checkedDay = (v: unknown): string | undefined =>
  typeof v === 'string' && /^\d{4}-\d\d-\d\d$/.test(v) && !Number.isNaN(Date.parse(v)) ? v : undefined;

/** The column by which a table is sorted, and the direction. */
export interface Order<C extends string = string> {
  column: C;
  down: boolean;
}

/**
 * Parses an order in an address, such as `-duration`. Undefined, which means the original order, for an unknown column.
 */
export function parseOrder<C extends string>(columns: readonly C[], text: string | undefined): Order<C> | undefined {
  const column = columns.find((c) => c === text?.replace(/^-/, ''));
  return column && { column, down: text?.startsWith('-') ?? false };
}

/** The order after a click on a column: ascending, descending, then the original order. */
export function nextOrder<C extends string>(order: Order<C> | undefined, column: C): string | undefined {
  if (order?.column !== column) return column;
  return order.down ? undefined : `-${column}`;
}
