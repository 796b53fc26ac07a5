import type { ShownState } from '@/ui';
import type { Backfill } from './form';

/** Whether a backfill starts nothing any more. */
export const isFinal = (b: Backfill) => b.state === 'done' || b.state === 'canceled';

/** Whether the counts of a backfill may still change by themselves. */
export const mayChange = (b: Backfill) => !isFinal(b) || b.counts.running > 0;

/** The state whose sign and colour a backfill has. */
export function shownBackfill({ state, counts }: Backfill): ShownState {
  switch (state) {
    case 'done':
      if (counts.failed > 0) return 'failed';
      if (counts.canceled > 0) return 'canceled';
      return counts.skipped > 0 ? 'skipped' : 'succeeded';
    case 'stopped':
      return 'failed';
    default:
      return state;
  }
}

/** The counts as parts of a bar. Moments that were kept are shown as ignored. */
export function barCounts({ counts }: Pick<Backfill, 'counts'>): Partial<Record<ShownState, number>> {
  const { kept, ...rest } = counts;
  return { ...rest, ignored: kept };
}

/** The number of moments that are over. */
export function doneMoments({ counts, moments }: Pick<Backfill, 'counts' | 'moments'>): number {
  return moments - counts.waiting - counts.running;
}
