import type { TFunction } from 'i18next';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** A duration (milliseconds) in words that `readDuration` reads back: `1 h 30 min`, `2 days`. */
export function durationWords(ms: number, t: TFunction<'inspector'>): string {
  let rest = ms;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(t(`unit.${unit}`, { count }));
  }
  return parts.join(' ') || t('unit.s', { count: 0 });
}
