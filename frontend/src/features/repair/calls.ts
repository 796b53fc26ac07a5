import { ApiError, api, data, OfflineError, type Schemas } from '@/api/client';
import type { RepairPlan, RepairRequest } from './plan';

/** A durable request to the owner of a batch, with its state. */
export type Command = Schemas['Command'];

/** The wish of a user for a batch. */
export type Wish = Schemas['Wish'];

/** Requests the plan of a repair. Nothing changes. */
export function fetchPlan(id: number, request: RepairRequest): Promise<RepairPlan> {
  return data(api.POST('/api/v1/batches/{id}/repair-plans', { params: { path: { id } }, body: request }));
}

/**
 * A change of a batch with its idempotency key. The server carries out an order once per key, however often it is sent.
 */
export type Order = { key: string } & ({ repair: RepairRequest } | { wish: Wish; note?: string });

/** Sends an order. The command in the answer may still be pending. */
export function sendOrder(id: number, order: Order): Promise<Command> {
  const params = { path: { id }, header: { 'Idempotency-Key': order.key } };
  if ('repair' in order) return data(api.POST('/api/v1/batches/{id}/repairs', { params, body: order.repair }));
  return data(
    api.PUT('/api/v1/batches/{id}/wish', { params, body: { wish: order.wish, note: order.note || undefined } }),
  );
}

/** Milliseconds between two reads of a pending command. */
const POLL_INTERVAL = 1000;

/**
 * Waits until the owner of the batch has decided a command, and returns that command. The command is stored, so a call
 * that does not reach the server is repeated. Throws an ApiError if the owner refused the command.
 */
export async function awaitDecision(command: Command, signal: AbortSignal): Promise<Command> {
  let latest = command;
  while (latest.state === 'pending') {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    signal.throwIfAborted();
    try {
      latest = await data(api.GET('/api/v1/commands/{id}', { params: { path: { id: command.id } }, signal }));
    } catch (error) {
      if (!(error instanceof OfflineError)) throw error;
    }
  }
  if (latest.state === 'refused' && latest.problem) throw new ApiError(latest.problem.status, latest.problem);
  return latest;
}
