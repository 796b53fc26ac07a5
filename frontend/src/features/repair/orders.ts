import { ApiError, newIdempotencyKey } from '@/api/client';
import { isTransient } from '@/api/problem';
import { fetchPlan, type Order } from './calls';
import type { RepairPlan, RepairRequest } from './plan';

/**
 * Whether a request cancels a whole batch. Its plan is only a preview: the wish applies to the runs at the time of its
 * decision.
 */
const cancelsBatch = (request: RepairRequest) => request.action === 'cancel' && !request.tasks?.length;

/** The plan to close a batch. It changes no task run, so no request is needed. */
export const closingPlan = (batch: number): RepairPlan => ({
  batch,
  action: 'close',
  round: 0,
  revision: 0,
  hash: '',
  rows: [],
  kept: [],
});

/** Requests a plan. That of a rerun or resume tells what followed, whether the user has chosen that or not. */
export function planOf(batch: number, request: RepairRequest): Promise<RepairPlan> {
  const { action } = request;
  if (action === 'close') return Promise.resolve(closingPlan(batch));
  return fetchPlan(batch, action === 'rerun' || action === 'resume' ? { ...request, dependants: true } : request);
}

/** The order that carries out a plan, with a key of its own. */
export function orderOf(request: RepairRequest, plan: RepairPlan, text: string): Order {
  const note = text.trim() || undefined;
  const key = newIdempotencyKey();
  if (cancelsBatch(request)) return { key, wish: 'cancel', note };
  // The revision is sent by its number: a revision that is published meanwhile must not be applied.
  const { latest, ...rest } = request;
  const revision = latest ? plan.revision : request.revision;
  const dependantsHash = request.dependants ? plan.dependants?.hash : undefined;
  return { key, repair: { ...rest, revision, note, hash: plan.hash || undefined, dependantsHash } };
}

/** Whether the server may have carried out an order although the answer is an error. */
export const mayHaveBeenDone = (error: unknown) => !(error instanceof ApiError) || isTransient(error);
