import type { Schemas } from '@/api/client';
import type { ShownState } from '@/ui';

/** A due moment of a schedule with the decision of the server. */
export type Tick = Schemas['Tick'];

/** The state whose colour and glyph are shown for a decision. */
export const STATE_OF_DECISION: Record<Tick['decision'], ShownState> = {
  fired: 'succeeded',
  queued: 'queued',
  skipped: 'skipped',
  merged: 'ignored',
  missed: 'failed',
  waiting: 'waiting',
};

/** The rules that have a text. */
const RULES = [
  'on_time',
  'catch_up',
  'expire',
  'overlap',
  'paused',
  'max_batches',
  'backlog',
  'definition',
  'after',
  'released',
  'upstream',
  'edited',
  'archived',
  'skipped_by_person',
  'planned_skip',
  'planned_move',
  'planned_hold',
  'backfill',
] as const;

/**
 * The key of the text that explains the decision on a tick. A rule that allows several decisions has a text for each.
 * Undefined for a rule that this version does not know.
 */
export function ruleTextKey(tick: Pick<Tick, 'rule' | 'decision'>): (typeof TEXT_KEYS)[number] | undefined {
  const both = `${tick.rule}_${tick.decision}`;
  return TEXT_KEYS.find((k) => k === both) ?? RULES.find((k) => k === tick.rule);
}

const TEXT_KEYS = [
  ...RULES,
  'catch_up_fired',
  'catch_up_queued',
  'catch_up_missed',
  'overlap_fired',
  'overlap_queued',
  'overlap_skipped',
  'overlap_merged',
] as const;

/**
 * Milliseconds from the moment of a tick, or the last of several moments, to the decision. Undefined below a second.
 */
export function lateness(tick: Pick<Tick, 'moment' | 'until' | 'decidedAt'>): number | undefined {
  const ms = Date.parse(tick.decidedAt) - Date.parse(tick.until ?? tick.moment);
  return ms >= 1000 ? ms : undefined;
}

/** The moments that are not due yet, the latest first. */
export function upcomingMoments(nextAt: readonly string[] | undefined, now: number): string[] {
  return (nextAt ?? []).filter((at) => Date.parse(at) > now).reverse();
}
