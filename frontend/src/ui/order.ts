/** By which column a table is sorted, and whether downwards. */
export interface Order<C extends string = string> {
  column: C;
  down: boolean;
}

/** The order that a link carries, such as `-duration`; undefined for none of these columns, which is the order as written. */
export function orderAmong<C extends string>(columns: readonly C[], text: string | undefined): Order<C> | undefined {
  const column = columns.find((c) => c === text?.replace(/^-/, ''));
  return column && { column, down: text?.startsWith('-') ?? false };
}

/** The order after a click on a column: upwards, downwards, then as written. */
export function nextOrder<C extends string>(order: Order<C> | undefined, column: C): string | undefined {
  if (order?.column !== column) return column;
  return order.down ? undefined : `-${column}`;
}
