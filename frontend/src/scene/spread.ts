/**
 * Puts things side by side, each as near as can be to where it wants to be: the least sum of squares that keeps their
 * order and their distances (pool adjacent violators). `pitch(i)` is the least distance from i to i+1; all come to lie
 * within [low, high] if that is wide enough, otherwise from low on.
 */
export function spread(wanted: readonly number[], pitch: (i: number) => number, low: number, high: number): number[] {
  const offset: number[] = [];
  let sum = 0;
  wanted.forEach((_, i) => {
    offset.push(sum);
    sum += pitch(i);
  });
  // Without the distances, places need only not decrease: equal ones are pooled at their mean.
  const pools: { mean: number; size: number }[] = [];
  wanted.forEach((want, i) => {
    let pool = { mean: want - (offset[i] ?? 0), size: 1 };
    for (let last = pools.at(-1); last && last.mean > pool.mean; last = pools.at(-1)) {
      pools.pop();
      const size = last.size + pool.size;
      pool = { mean: (last.mean * last.size + pool.mean * pool.size) / size, size };
    }
    pools.push(pool);
  });
  const most = high - (offset.at(-1) ?? 0);
  const out: number[] = [];
  for (const pool of pools) {
    const at = Math.max(low, Math.min(most, pool.mean));
    for (let k = 0; k < pool.size; k++) out.push(at + (offset[out.length] ?? 0));
  }
  return out;
}
