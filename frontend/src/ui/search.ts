/**
 * The search part of an address as it was read: without what it does not have, and with `undefined` for what is wrong in it.
 * The router lays what was read over what is written there, so that what is left out would come through as it is written.
 */
export function asRead<T extends object>(read: T, written: Record<string, unknown>): T {
  return Object.fromEntries(
    Object.entries(read).filter(([name, value]) => value !== undefined || name in written),
  ) as T;
}
