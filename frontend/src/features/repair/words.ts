import type { RepairPlan } from './plan';

/** What to say when a plan has been carried out: a key below `done`, and what to fill in. */
export function doneWords(plan: RepairPlan): {
  key: 'round' | 'cancelTasks' | 'close' | 'marked';
  values: { round: number; count: number };
} {
  const values = { round: plan.round, count: plan.rows.length };
  switch (plan.action) {
    case 'close':
      return { key: 'close', values };
    case 'cancel':
      return { key: 'cancelTasks', values };
    case 'mark_success':
    case 'mark_skip':
      return { key: plan.rows.some((row) => row.to === 'waiting') ? 'round' : 'marked', values };
    default:
      return { key: 'round', values };
  }
}
