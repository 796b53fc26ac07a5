/** Whether two values of a document are equal: the order of fields does not count, nor do fields that are undefined. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isEqual(item, b[i]));
  }
  if (!isRecord(a) || !isRecord(b)) return false;
  return (
    Object.keys(a).every((name) => a[name] === undefined || (Object.hasOwn(b, name) && isEqual(a[name], b[name]))) &&
    Object.keys(b).every((name) => b[name] === undefined || (Object.hasOwn(a, name) && a[name] !== undefined))
  );
}

/** Whether two lists hold the same strings, in any order. */
export function hasSameItems(a: readonly string[] = [], b: readonly string[] = []): boolean {
  const [x, y] = [new Set(a), new Set(b)];
  return x.size === y.size && [...x].every((item) => y.has(item));
}

/** Whether a value is an object, and no array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
