import type { Schemas } from '@/api/client';
import type { RunState } from '@/ui';

type RepairRequest = Schemas['RepairRequest'];
/** What a person can do with one run. `downstream` runs the task again with everything that depends on it. */
export type ActionName = 'resume' | 'rerun' | 'downstream' | 'success' | 'skip' | 'cancel';

/** A run that needs a decision: lost, and held until a person comes. */
interface Run {
  state: RunState;
  reason: string;
}

const SETTLED: ReadonlySet<RunState> = new Set(['succeeded', 'failed', 'canceled', 'skipped', 'ignored']);

/** What can be done to a run in its state, the most likely first. */
export function actionsFor({ state, reason }: Run): ActionName[] {
  const held = state === 'unknown' && reason === 'held';
  if (state === 'failed' || state === 'canceled' || held) return ['resume', 'rerun', 'downstream', 'success', 'skip'];
  if (state === 'skipped') return reason === 'upstream_failed' ? ['success', 'skip', 'rerun'] : ['rerun', 'success'];
  if (SETTLED.has(state))
    return state === 'succeeded' ? ['rerun', 'downstream', 'skip'] : ['rerun', 'downstream', 'success'];
  if (state === 'running' || state === 'unknown') return ['cancel', 'rerun'];
  return ['cancel', 'success', 'skip'];
}

/** The request whose plan is to be shown. */
export function requestFor(action: ActionName, task: string): RepairRequest {
  const tasks = [task];
  switch (action) {
    case 'resume':
      return { action: 'resume', tasks };
    case 'rerun':
      return { action: 'rerun', tasks };
    case 'downstream':
      return { action: 'rerun', tasks, downstream: true };
    case 'success':
      return { action: 'mark_success', tasks };
    case 'skip':
      return { action: 'mark_skip', tasks };
    case 'cancel':
      return { action: 'cancel', tasks };
  }
}
