import { isRecord, isEqual, hasSameItems } from './equal';

/** Is called for a value that both sides changed in different ways; `at` is its path in the merged value. */
export type OnConflict = (at: readonly string[], base: unknown, mine: unknown, theirs: unknown) => void;

/**
 * Merges a value: takes the side that changed it. If both did, it merges field by field, or takes mine where the values
 * are not objects.
 */
export function mergeValue(
  base: unknown,
  mine: unknown,
  theirs: unknown,
  onConflict: OnConflict,
  at: readonly string[] = [],
): unknown {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
  if (isEqual(base, mine)) return theirs;
  if (isRecord(mine) && isRecord(theirs) && (base === undefined || isRecord(base)))
    return mergeFields(base ?? {}, mine, theirs, onConflict, at);
  onConflict(at, base, mine, theirs);
  return mine;
}

/** Merges the fields of an object. `special` has the functions for fields that are merged in another way. */
export function mergeFields<T extends object>(
  base: Partial<T>,
  mine: T,
  theirs: T,
  onConflict: OnConflict,
  at: readonly string[] = [],
  special: {
    [K in keyof T]?: (base: T[K] | undefined, mine: T[K] | undefined, theirs: T[K] | undefined) => T[K] | undefined;
  } = {},
): T {
  const out: Partial<T> = {};
  for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)] as (keyof T & string)[])) {
    const mergeField = special[name];
    const value = mergeField
      ? mergeField(base[name], mine[name], theirs[name])
      : (mergeValue(base[name], mine[name], theirs[name], name === '#' ? () => undefined : onConflict, [
          ...at,
          name,
        ]) as T[typeof name]);
    if (value !== undefined) out[name] = value;
  }
  return isEqual(out, mine) ? mine : isEqual(out, theirs) ? theirs : (out as T);
}

/** Merges sets: the result has the items that one side added, and lacks the items that one side removed. */
export function mergeSets(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  if (hasSameItems(base, mine)) return [...theirs];
  const remaining = mine.filter((item) => theirs.includes(item) || !base.includes(item));
  return [...new Set([...remaining, ...theirs.filter((item) => !base.includes(item) && !mine.includes(item))])];
}

/**
 * Merges the order of the `present` keys: takes the order of the side that changed it. A key that only one side has
 * stays behind the key that precedes it there. If both sides changed the order, `onConflict` is called and mine is
 * taken.
 */
export function mergeOrder(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  present: ReadonlySet<string>,
  onConflict: () => void = () => undefined,
): string[] {
  const inBoth = new Set(mine.filter((key) => present.has(key) && theirs.includes(key)));
  const old = base.filter((key) => inBoth.has(key));
  const oldKeys = new Set(old);
  const keep = (list: readonly string[], keys: ReadonlySet<string>) => list.filter((key) => keys.has(key));
  const [mineOld, theirsOld] = [keep(mine, oldKeys), keep(theirs, oldKeys)];
  const [mineMoved, theirsMoved] = [!isEqual(mineOld, old), !isEqual(theirsOld, old)];
  const [ourSpine, theirSpine] = [keep(mine, inBoth), keep(theirs, inBoth)];
  const conflicting = mineMoved && theirsMoved && !isEqual(mineOld, theirsOld);
  if (conflicting) onConflict();
  // Even if they agree on the old keys, both may have added the same new key at different positions.
  const first =
    mineMoved === theirsMoved ? conflicting || JSON.stringify(ourSpine) < JSON.stringify(theirSpine) : mineMoved;
  const spine = first ? ourSpine : theirSpine;
  const after = (list: readonly string[]) => {
    const groups = new Map<string, string[]>();
    let anchor = '';
    for (const key of list) {
      if (inBoth.has(key)) anchor = key;
      else if (present.has(key)) groups.set(anchor, [...(groups.get(anchor) ?? []), key]);
    }
    return groups;
  };
  const [ours, others] = [after(mine), after(theirs)];
  return ['', ...spine].flatMap((key) => {
    // Keys that both sides added at one position are sorted, so that merging in either direction gives the same order.
    const groups = [ours.get(key) ?? [], others.get(key) ?? []].sort(([a = ''], [b = '']) =>
      a < b ? -1 : a > b ? 1 : 0,
    );
    return [...(key === '' ? [] : [key]), ...groups.flat()];
  });
}
