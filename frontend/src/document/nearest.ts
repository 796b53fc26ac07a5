/**
 * The word of `known` that was probably meant: at most a third of the letters differ, and never more than three.
 * Ignores case; the first of several equally near ones wins. The server suggests by the same rule.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  let found: string | undefined;
  for (const one of known) {
    const d = distance(word.toLowerCase(), one.toLowerCase(), best);
    if (d < best) [best, found] = [d, one];
  }
  return found;
}

/** The edit distance, a swap of neighbours counting one; the limit if it is not below it. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let low = i;
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]),
      );
      if (i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      low = Math.min(low, cost);
    }
    if (low >= limit) return limit;
    [before, last] = [last, row];
  }
  return last[b.length] ?? limit;
}
