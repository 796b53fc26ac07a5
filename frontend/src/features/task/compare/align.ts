/** A row of two logs side by side: the indexes of its lines. A row with only one of them has no counterpart. */
export interface AlignedRow {
  left?: number;
  right?: number;
  differs: boolean;
}

/** Beyond this many inserted and deleted lines, lines are paired by their position. */
const MAX_EDITS = 1500;

/**
 * Aligns two lists of lines, so that equal lines are in one row. Between equal lines, the lines that differ are paired
 * from the top.
 */
export function align(left: readonly string[], right: readonly string[]): AlignedRow[] {
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start++;
  let end = 0;
  while (end < most - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++;
  const middle = equalLines(left.slice(start, left.length - end), right.slice(start, right.length - end));
  const equal: [number, number][] = [
    ...Array.from({ length: start }, (_, i): [number, number] => [i, i]),
    ...middle.map(([l, r]): [number, number] => [l + start, r + start]),
    ...Array.from({ length: end }, (_, i): [number, number] => [left.length - end + i, right.length - end + i]),
  ];
  return toRows(equal, left.length, right.length);
}

/** The rows with equal lines, and between them the others. */
function toRows(equal: readonly [number, number][], leftCount: number, rightCount: number): AlignedRow[] {
  const rows: AlignedRow[] = [];
  let l = 0;
  let r = 0;
  for (const [nextL, nextR] of [...equal, [leftCount, rightCount] as const]) {
    for (; l < nextL || r < nextR;) {
      rows.push({ left: l < nextL ? l++ : undefined, right: r < nextR ? r++ : undefined, differs: true });
    }
    if (l < leftCount && r < rightCount) rows.push({ left: l++, right: r++, differs: false });
  }
  return rows;
}

/** The places of equal lines: a longest common subsequence by Myers' algorithm, or by position if too much differs. */
function equalLines(a: readonly string[], b: readonly string[]): [number, number][] {
  const max = Math.min(a.length + b.length, MAX_EDITS);
  // furthest[k + max] is the furthest index in `a` that d edits reach on diagonal k. Rounds are kept for the way back.
  const furthest = new Int32Array(2 * max + 2).fill(-1);
  furthest[max + 1] = 0;
  const rounds: Int32Array[] = [];
  for (let d = 0; d <= max; d++) {
    rounds.push(furthest.slice(max - d, max + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && at(furthest, max + k - 1) < at(furthest, max + k + 1));
      let x = down ? at(furthest, max + k + 1) : at(furthest, max + k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[max + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(rounds, a.length, b.length);
    }
  }
  return byPosition(a, b);
}

const at = (list: Int32Array, i: number) => list[i] ?? -1;

/** The pairs of equal lines on the way that Myers' algorithm found. */
function wayBack(rounds: readonly Int32Array[], aLength: number, bLength: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [aLength, bLength];
  for (let d = rounds.length - 1; d >= 0; d--) {
    const before = rounds[d] ?? new Int32Array();
    const k = x - y;
    const down = k === -d || (k !== d && at(before, k - 1 + d) < at(before, k + 1 + d));
    const fromK = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(before, fromK + d);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}

function byPosition(a: readonly string[], b: readonly string[]): [number, number][] {
  return a.flatMap((line, i): [number, number][] => (line === b[i] ? [[i, i]] : []));
}
