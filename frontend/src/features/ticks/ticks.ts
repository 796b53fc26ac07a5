import type { Schemas } from '@/api/client';
import type { ShownState } from '@/ui';

/** A moment of a trigger, and what the server decided about it. */
export type Tick = Schemas['Tick'];

/** The state whose colour and glyph a decision borrows. */
export const FACE: Record<Tick['decision'], ShownState> = {
  fired: 'succeeded',
  queued: 'queued',
  skipped: 'skipped',
  merged: 'ignored',
  missed: 'failed',
};

/** The rules for which there are words in both languages. */
const RULES = ['on_time', 'catch_up', 'expire', 'overlap', 'paused', 'max_batches', 'backlog', 'definition'] as const;

/**
 * The key of the words that explain the decision on a tick: by rule and decision if the rule can decide both ways, else
 * by the rule. Undefined for a rule that this version does not know.
 */
export function ruleKey(tick: Pick<Tick, 'rule' | 'decision'>): (typeof KEYS)[number] | undefined {
  const both = `${tick.rule}_${tick.decision}`;
  return KEYS.find((k) => k === both) ?? RULES.find((k) => k === tick.rule);
}

const KEYS = [
  ...RULES,
  'catch_up_fired',
  'catch_up_queued',
  'catch_up_missed',
  'overlap_fired',
  'overlap_queued',
  'overlap_skipped',
  'overlap_merged',
] as const;

/** Milliseconds from the moment (of many: the last one) to its decision, if that is worth telling. */
export function lateness(tick: Pick<Tick, 'moment' | 'until' | 'decidedAt'>): number | undefined {
  const ms = Date.parse(tick.decidedAt) - Date.parse(tick.until ?? tick.moment);
  return ms >= 1000 ? ms : undefined;
}

/** The moments to come, the furthest first, as they stand above the ledger. */
export function forecast(nextAt: readonly string[] | undefined, now: number): string[] {
  return (nextAt ?? []).filter((at) => Date.parse(at) > now).reverse();
}
