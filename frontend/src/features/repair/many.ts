import type { Command, Order } from './calls';
import { mayHaveBeenDone, orderOf } from './orders';
import type { PlanAction, RepairPlan, RepairRequest } from './plan';

// One repair of several batches. Each batch has a plan and an order of its own: a batch that refuses its order does not
// stop the others.

/** A batch with the tasks that the user marked in it. */
export interface Target {
  batch: number;
  /** The moment of the batch, as the user reads it. */
  label: string;
  tasks: readonly string[];
}

/** The options that all batches share. */
export interface ManyOptions {
  downstream: boolean;
  latest: boolean;
}

/** What became of one batch. `unsure`: the answer to its order was lost. */
export type Outcome = 'planning' | 'planned' | 'failed' | 'sending' | 'stored' | 'done' | 'refused' | 'unsure';

/** One batch of the repair. */
export interface Part {
  target: Target;
  outcome: Outcome;
  plan?: RepairPlan;
  error?: unknown;
}

/** The request for the plan of one batch. To close a batch concerns no task. */
export function requestOf(action: PlanAction, { tasks }: Target, { downstream, latest }: ManyOptions): RepairRequest {
  if (action === 'close') return { action };
  return {
    action,
    tasks: [...tasks],
    downstream: (action === 'rerun' && downstream) || undefined,
    latest: ((action === 'rerun' || action === 'resume') && latest) || undefined,
  };
}

/** Whether the order of a part is still to be sent: its plan changes something and was not carried out yet. */
export function isOpen({ outcome, plan }: Part): boolean {
  return (outcome === 'planned' || outcome === 'unsure') && !!plan && (plan.rows.length > 0 || plan.action === 'close');
}

/** The calls that a repair of several batches makes. */
export interface Calls {
  plan: (batch: number, request: RepairRequest) => Promise<RepairPlan>;
  send: (batch: number, order: Order) => Promise<Command>;
  await: (command: Command, signal: AbortSignal) => Promise<Command>;
}

/** The number of plans that are requested at the same time. */
const PLANS_AT_ONCE = 4;

/** Requests the plans of all targets, and reports each one. */
export async function planAll(
  targets: readonly Target[],
  requestFor: (target: Target) => RepairRequest,
  calls: Calls,
  report: (batch: number, change: Partial<Part>) => void,
  signal: AbortSignal,
): Promise<void> {
  const queue = [...targets];
  const work = async () => {
    for (let target = queue.shift(); target && !signal.aborted; target = queue.shift()) {
      const { batch } = target;
      const change = await calls.plan(batch, requestFor(target)).then(
        (plan): Partial<Part> => ({ outcome: 'planned', plan, error: undefined }),
        (error: unknown): Partial<Part> => ({ outcome: 'failed', plan: undefined, error }),
      );
      if (!signal.aborted) report(batch, change);
    }
  };
  await Promise.all(Array.from({ length: PLANS_AT_ONCE }, work));
}

/**
 * Carries out the plans of the open parts, one batch after the other, and reports what became of each. `orders` keeps
 * the orders, so that a part whose answer was lost sends the same order again.
 */
export async function applyAll(
  parts: readonly Part[],
  requestFor: (target: Target) => RepairRequest,
  note: string,
  orders: Map<number, Order>,
  calls: Calls,
  report: (batch: number, change: Partial<Part>) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const part of parts.filter(isOpen)) {
    if (signal.aborted) return;
    const { batch } = part.target;
    const order = orders.get(batch) ?? orderOf(requestFor(part.target), part.plan as RepairPlan, note);
    orders.set(batch, order);
    report(batch, { outcome: 'sending', error: undefined });
    try {
      const command = await calls.send(batch, order);
      if (command.state === 'pending') report(batch, { outcome: 'stored' });
      const decided = await calls.await(command, signal);
      report(batch, { outcome: 'done', plan: decided.plan ?? part.plan });
    } catch (error) {
      if (signal.aborted) return;
      const lost = mayHaveBeenDone(error);
      if (!lost) orders.delete(batch);
      report(batch, { outcome: lost ? 'unsure' : 'refused', error });
    }
  }
}
