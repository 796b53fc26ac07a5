/** Days of the month from a text such as `1, 15` or `1-5`; undefined if it is none. */
export function readDays(text: string): number[] | undefined {
  const days = new Set<number>();
  const parts = text.split(/[\s,，、]+/).filter(Boolean);
  for (const part of parts) {
    const [, first, last] = /^(\d{1,2})(?:[-–](\d{1,2}))?$/.exec(part) ?? [];
    const [from, to] = [Number(first), Number(last ?? first)];
    if (first === undefined || from < 1 || to > 31 || from > to) return undefined;
    for (let day = from; day <= to; day++) days.add(day);
  }
  return days.size > 0 ? [...days].sort((a, b) => a - b) : undefined;
}

/** Days of the month as people list them: three and more in a row as a range. */
export function writeDays(days: readonly number[]): string {
  const runs: number[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last && last.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  return runs.map((run) => (run.length > 2 ? `${String(run[0])}-${String(run.at(-1))}` : run.join(', '))).join(', ');
}
