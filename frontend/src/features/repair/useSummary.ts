import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { capital, numeral, type RepairPlan, type Summary, summarise } from './plan';

const PARTS = ['run', 'cancel', 'succeed', 'ignore', 'skip', 'keep'] as const satisfies readonly (keyof Summary)[];

/** A plan in one sentence: `Round 2. Three tasks run again, eight are kept. Nothing has changed yet.` */
export function useSummary(plan: RepairPlan | undefined, batch: Schemas['Batch'] | undefined): string {
  const { t, i18n } = useTranslation('repair');
  if (!plan || !batch) return t('planning');
  const counts = summarise(plan, batch.tasks.length);
  const parts = PARTS.filter((part) => counts[part] > 0).map((part) =>
    t(`summary.${part}`, { count: counts[part], n: numeral(counts[part], t('numerals'), i18n.language) }),
  );
  const what = plan.rows.length === 0 ? '' : capital(parts.join(t('summary.comma'))) + t('summary.stop');
  const round = plan.rows.length > 0 && plan.round > batch.round ? t('summary.round', { round: plan.round }) : '';
  return [round, what, t('summary.nothingYet')].filter(Boolean).join(i18n.language === 'zh' ? '' : ' ');
}
