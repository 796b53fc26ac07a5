import { describe, expect, it, vi } from 'vitest';
import { type Batch, RunStore, shardsOf, taskKeyOf, type TaskRun } from './runs';

const base = { state: 'running', reason: '', attempts: 1, executor: 'e', error: '', round: 1 } as const;
const copy: TaskRun = {
  ...base,
  number: 0,
  key: 'copy',
  job: 'j',
  shards: [0, 1, 2].map((index) => ({ ...base, number: 2 + index, index, item: `part ${String(index)}` })),
};
const after: TaskRun = { ...base, number: 1, key: 'after', job: 'j', state: 'waiting' };
const late: TaskRun = { ...base, number: 5, key: 'late', job: 'j', state: 'waiting' };

function storeOf(...tasks: TaskRun[]): RunStore {
  const store = new RunStore();
  store.reset({ id: 1, live: true, state: 'running', tasks } as unknown as Batch);
  return store;
}

describe('a store with shards', () => {
  it('reads a shard as a run with its name, beside the runs of tasks', () => {
    const store = storeOf(copy, after, late);
    expect(store.getKeys()).toEqual(['copy', 'after', 'late']);
    expect(store.getRuns().map((run) => run.number)).toEqual([0, 1, 5]);
    expect(store.getRun(5)?.key).toBe('late');
    const number = store.numberOf('copy.2') ?? -1;
    expect(store.getRun(number)).toMatchObject({ key: 'copy.2', job: 'j', number: 4 });
    expect(store.getRun(number)).toBe(store.getRun(number));
    expect(taskKeyOf('copy.2')).toBe('copy');
    expect(shardsOf(copy).map((run) => run.key)).toEqual(['copy.0', 'copy.1', 'copy.2']);
  });

  it('applies a change of a shard to it and to its task', () => {
    const store = storeOf(copy, after);
    const [ofShard, ofTask, ofOther, ofAfter] = [3, 0, 2, 1].map((number) => {
      const listener = vi.fn();
      store.subscribeRun(number, listener);
      return listener;
    });
    store.apply({
      op: 'delta',
      id: 1,
      epoch: 1,
      n: 2,
      runs: [{ ...base, number: 3, state: 'failed', reason: 'exit', executor: '' }],
    });
    expect(store.getRun(3)).toMatchObject({ key: 'copy.1', state: 'failed', executor: 'e' });
    expect(store.getRun(0)?.shards?.map((s) => s.state)).toEqual(['running', 'failed', 'running']);
    expect(store.getRun(0)?.shards?.[1]?.item).toBe('part 1');
    expect([ofShard, ofTask, ofOther, ofAfter].map((f) => f?.mock.calls.length)).toEqual([1, 1, 0, 0]);
    store.apply({
      op: 'delta',
      id: 1,
      epoch: 1,
      n: 3,
      runs: [{ ...base, number: 0, state: 'failed', reason: 'shards' }],
    });
    expect(store.getRun(0)?.shards).toHaveLength(3);
  });

  it('forgets shards that a snapshot no longer has', () => {
    const store = storeOf(copy, after);
    store.reset({
      id: 1,
      live: true,
      state: 'running',
      tasks: [{ ...copy, shards: copy.shards?.slice(0, 2) }, after],
    } as unknown as Batch);
    expect(store.numberOf('copy.2')).toBeUndefined();
    expect(store.getRun(4)).toBeUndefined();
  });
});
