import type { Schemas } from '@/api/client';

/** A change of one coming moment that a person has planned. */
export type Change = Schemas['PlannedChange'];
/** What a planned change does with its moment. */
export type ChangeAction = Schemas['ChangeAction'];

/** Whether a person can plan a change of a tick of the forecast. */
export function isChangeable(tick: Schemas['ForecastTick'], now: number): boolean {
  return tick.count === 1 && Date.parse(tick.moment) > now && !/^(after|every|webhook) /.test(tick.trigger);
}
