import { ApiError, api, data, OfflineError, type Schemas } from '@/api/client';
import type { RepairPlan, RepairRequest } from './plan';

export type Command = Schemas['Command'];
export type Wish = Schemas['Wish'];

/** Asks what a repair would change. It changes nothing. */
export function askPlan(id: number, request: RepairRequest): Promise<RepairPlan> {
  return data(api.POST('/api/v1/batches/{id}/repair-plans', { params: { path: { id } }, body: request }));
}

/** What is sent to change a batch. The same order with the same key is carried out once, however often it is sent. */
export type Order = { key: string } & ({ repair: RepairRequest } | { wish: Wish; note?: string });

/** Sends an order. The answer may still be pending. */
export function send(id: number, order: Order): Promise<Command> {
  const params = { path: { id }, header: { 'Idempotency-Key': order.key } };
  if ('repair' in order) return data(api.POST('/api/v1/batches/{id}/repairs', { params, body: order.repair }));
  return data(
    api.PUT('/api/v1/batches/{id}/wish', { params, body: { wish: order.wish, note: order.note || undefined } }),
  );
}

/** How often a pending command is looked at, in milliseconds. */
const LOOK = 1000;

/**
 * Waits until the batch's owner has answered a command. A server out of reach meanwhile is asked again: the command is
 * stored. A refusal is thrown as the ApiError that it stands for.
 */
export async function settled(command: Command, signal: AbortSignal): Promise<Command> {
  let now = command;
  while (now.state === 'pending') {
    await new Promise((resolve) => setTimeout(resolve, LOOK));
    signal.throwIfAborted();
    try {
      now = await data(api.GET('/api/v1/commands/{id}', { params: { path: { id: command.id } }, signal }));
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
    }
  }
  if (now.state === 'refused' && now.problem) throw new ApiError(now.problem.status, now.problem);
  return now;
}
