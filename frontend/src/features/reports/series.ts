import type { Schemas } from '@/api/client';
import { allOf, shareOf } from './groups';

/** A line or a part of the bars of a chart. */
export interface Series {
  label: string;
  /** A token of the colours, such as `--failed`. */
  color: string;
  dashed?: boolean;
  values: readonly (number | null)[];
}

/** The states of batches, from the bottom of a bar to its top. */
export const STATES = ['succeeded', 'failed', 'canceled', 'running', 'queued'] as const;

/**
 * The tops of bars upon each other: the value of a series with those of all series before it. The last one is the
 * highest, and is drawn first if the order is reversed.
 */
export function stacked(series: readonly Series[]): number[][] {
  const tops: number[][] = [];
  for (const s of series) {
    const below = tops.at(-1);
    tops.push(s.values.map((v, i) => (v ?? 0) + (below?.[i] ?? 0)));
  }
  return tops;
}

/** The median and the 95th percentile of durations by day, in seconds. */
export function spreadSeries(
  spreads: readonly Schemas['Spread'][],
  labels: readonly [string, string],
  color: string,
): Series[] {
  const values = (key: 'median' | 'p95') => spreads.map((s) => (s.count > 0 ? (s[key] ?? 0) : null));
  return [
    { label: labels[0], color, values: values('median') },
    { label: labels[1], color, dashed: true, values: values('p95') },
  ];
}

/** The days with batches, and the worst of them by its share of successes. */
export function worstDay(days: readonly Schemas['ReportDay'][]): { day: string; share: number } | undefined {
  let worst: { day: string; share: number } | undefined;
  for (const d of days) {
    const share = shareOf(d);
    if (share !== undefined && share < (worst?.share ?? 1)) worst = { day: d.day, share };
  }
  return worst;
}

/** Whether no batch was made on these days. */
export function isEmpty(report: Schemas['BatchReport']): boolean {
  return allOf(report.total) === 0;
}

/** The slots that all executors used, for each part of the time. */
export function slotsInAll(executors: readonly Schemas['ReportExecutor'][]): number[] {
  const all: number[] = [];
  for (const e of executors) e.slots.forEach((v, i) => (all[i] = (all[i] ?? 0) + v));
  return all.map((v) => Math.round(v * 1000) / 1000);
}
