import { isRecord, same, sameSet } from './equal';

/** Hears of a value that both sides changed in different ways; `at` is its path below what is merged. */
export type Clash = (at: readonly string[], base: unknown, mine: unknown, theirs: unknown) => void;

/** Merges a value: the side that changed it; where both did, field by field; where that is impossible, mine. */
export function threeWay(
  base: unknown,
  mine: unknown,
  theirs: unknown,
  clash: Clash,
  at: readonly string[] = [],
): unknown {
  if (same(mine, theirs) || same(base, theirs)) return mine;
  if (same(base, mine)) return theirs;
  if (isRecord(mine) && isRecord(theirs) && (base === undefined || isRecord(base)))
    return byField(base ?? {}, mine, theirs, clash, at);
  clash(at, base, mine, theirs);
  return mine;
}

/** Merges the fields of an object; some fields may have a way of their own. */
export function byField<T extends object>(
  base: Partial<T>,
  mine: T,
  theirs: T,
  clash: Clash,
  at: readonly string[] = [],
  special: {
    [K in keyof T]?: (base: T[K] | undefined, mine: T[K] | undefined, theirs: T[K] | undefined) => T[K] | undefined;
  } = {},
): T {
  const out: Partial<T> = {};
  for (const name of new Set([...Object.keys(mine), ...Object.keys(theirs)] as (keyof T & string)[])) {
    const own = special[name];
    const value = own
      ? own(base[name], mine[name], theirs[name])
      : (threeWay(base[name], mine[name], theirs[name], name === '#' ? () => undefined : clash, [
          ...at,
          name,
        ]) as T[typeof name]);
    if (value !== undefined) out[name] = value;
  }
  return same(out, mine) ? mine : same(out, theirs) ? theirs : (out as T);
}

/** Merges sets: what one side added is in, what one side removed is not. */
export function sets(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] {
  if (sameSet(base, mine)) return [...theirs];
  const kept = mine.filter((item) => theirs.includes(item) || !base.includes(item));
  return [...new Set([...kept, ...theirs.filter((item) => !base.includes(item) && !mine.includes(item))])];
}

/**
 * Merges the order of what is kept: that of the side that changed it. What only one side has comes after what is
 * before it there. If both changed the order, `clash` hears of it and mine is taken.
 */
export function orders(
  base: readonly string[],
  mine: readonly string[],
  theirs: readonly string[],
  kept: ReadonlySet<string>,
  clash: () => void = () => undefined,
): string[] {
  const inBoth = new Set(mine.filter((key) => kept.has(key) && theirs.includes(key)));
  const old = base.filter((key) => inBoth.has(key));
  const known = new Set(old);
  const among = (list: readonly string[], keys: ReadonlySet<string>) => list.filter((key) => keys.has(key));
  const [mineOld, theirsOld] = [among(mine, known), among(theirs, known)];
  const [mineMoved, theirsMoved] = [!same(mineOld, old), !same(theirsOld, old)];
  const [ourSpine, theirSpine] = [among(mine, inBoth), among(theirs, inBoth)];
  const clashing = mineMoved && theirsMoved && !same(mineOld, theirsOld);
  if (clashing) clash();
  // Even if they agree on the old ones, they may have put a new one that both made into different places.
  const first =
    mineMoved === theirsMoved ? clashing || JSON.stringify(ourSpine) < JSON.stringify(theirSpine) : mineMoved;
  const spine = first ? ourSpine : theirSpine;
  const after = (list: readonly string[]) => {
    const groups = new Map<string, string[]>();
    let anchor = '';
    for (const key of list) {
      if (inBoth.has(key)) anchor = key;
      else if (kept.has(key)) groups.set(anchor, [...(groups.get(anchor) ?? []), key]);
    }
    return groups;
  };
  const [ours, others] = [after(mine), after(theirs)];
  return ['', ...spine].flatMap((key) => {
    // What both sides put at one place is sorted by name, so that everyone who merges gets the same.
    const groups = [ours.get(key) ?? [], others.get(key) ?? []].sort(([a = ''], [b = '']) =>
      a < b ? -1 : a > b ? 1 : 0,
    );
    return [...(key === '' ? [] : [key]), ...groups.flat()];
  });
}
