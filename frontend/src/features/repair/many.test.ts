import { describe, expect, it } from 'vitest';
import { ApiError, OfflineError } from '@/api/client';
import type { Command, Order } from './calls';
import { applyAll, type Calls, isOpen, type Part, planAll, requestOf, type Target } from './many';
import { plan, row } from './testing';

const target = (batch: number): Target => ({ batch, label: `batch ${String(batch)}`, tasks: ['a'] });
const refusal = new ApiError(409, {
  type: '',
  title: '',
  status: 409,
  code: 'conflict',
  detail: 'it has changed',
} as never);
const options = { downstream: false, latest: false };
const requestFor = (t: Target) => requestOf('resume', t, options);

/** Calls that fail for some batches, and record the orders. */
function calls(failures: Record<number, unknown>) {
  const sent: [number, Order][] = [];
  const out: Calls = {
    plan: (batch) =>
      failures[batch] ? Promise.reject(failures[batch] as Error) : Promise.resolve(plan([row(0, 'a')], { batch })),
    send: (batch, order) => {
      sent.push([batch, order]);
      return failures[batch]
        ? Promise.reject(failures[batch] as Error)
        : Promise.resolve({ state: 'applied' } as Command);
    },
    await: (command) => Promise.resolve(command),
  };
  return { out, sent };
}

describe('a repair of several batches', () => {
  const planned = (batch: number): Part => ({
    target: target(batch),
    outcome: 'planned',
    plan: plan([row(0, 'a')], { batch, hash: `h${String(batch)}` }),
  });
  const signal = new AbortController().signal;

  it('plans each batch, and says which has no plan', async () => {
    const reports = new Map<number, Partial<Part>>();
    const report = (batch: number, change: Partial<Part>) => reports.set(batch, change);
    await planAll([1, 2, 3, 4, 5, 6].map(target), requestFor, calls({ 4: refusal }).out, report, signal);
    expect(
      [...reports].sort(([a], [b]) => a - b).map(([id, { outcome }]) => `${String(id)} ${String(outcome)}`),
    ).toEqual(['1 planned', '2 planned', '3 planned', '4 failed', '5 planned', '6 planned']);
  });

  it('goes on after a refusal, and repeats the same order after a lost answer', async () => {
    const last = new Map<number, Partial<Part>>();
    const orders = new Map<number, Order>();
    const report = (batch: number, change: Partial<Part>) => last.set(batch, { ...last.get(batch), ...change });
    const first = calls({ 2: refusal, 3: new OfflineError() });
    await applyAll([1, 2, 3, 4].map(planned), requestFor, 'why', orders, first.out, report, signal);
    expect([1, 2, 3, 4].map((batch) => last.get(batch)?.outcome)).toEqual(['done', 'refused', 'unsure', 'done']);
    expect(first.sent.map(([batch]) => batch)).toEqual([1, 2, 3, 4]);
    expect(first.sent[0]?.[1]).toMatchObject({ repair: { action: 'resume', tasks: ['a'], hash: 'h1', note: 'why' } });

    const parts = [1, 2, 3, 4].map((batch): Part => ({ ...planned(batch), ...last.get(batch) }));
    const second = calls({});
    await applyAll(parts, requestFor, 'why', orders, second.out, report, signal);
    expect(second.sent).toEqual([first.sent[2]]);
    expect(last.get(3)?.outcome).toBe('done');
  });

  it('sends nothing where nothing would change', () => {
    expect(isOpen({ ...planned(1), plan: plan([]) })).toBe(false);
    expect(isOpen({ ...planned(1), plan: plan([], { action: 'close' }) })).toBe(true);
    expect(isOpen({ ...planned(1), outcome: 'done' })).toBe(false);
    expect(isOpen({ ...planned(1), outcome: 'refused' })).toBe(false);
  });

  it('asks for what the action can do', () => {
    const all = { downstream: true, latest: true };
    expect(requestOf('close', target(1), all)).toEqual({ action: 'close' });
    expect(requestOf('rerun', target(1), all)).toMatchObject({ tasks: ['a'], downstream: true, latest: true });
    expect(requestOf('mark_success', target(1), all)).toEqual({ action: 'mark_success', tasks: ['a'] });
  });
});
