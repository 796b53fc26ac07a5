import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Batch, perFrame, RunStore, type TaskRun } from './runs';
import { type LiveFrame, LiveSocket, type World } from './socket';

const STATES = ['waiting', 'ready', 'running', 'succeeded', 'failed', 'skipped'] as const;
const run = (number: number, more: Partial<TaskRun> = {}): TaskRun => ({
  number,
  key: `t${String(number)}`,
  job: 'j',
  state: 'waiting',
  reason: '',
  attempts: 0,
  executor: '',
  error: '',
  round: 1,
  ...more,
});
const batch = (tasks: TaskRun[], more: Partial<Batch> = {}): Batch => ({
  id: 1,
  schedule: 's',
  revision: 1,
  kind: 'manual',
  state: 'running',
  wish: 'run',
  reason: '',
  round: 1,
  live: true,
  moment: '2026-11-22T00:00:00.000Z',
  createdAt: '2026-11-22T00:00:00.000Z',
  createdBy: 'a',
  params: { p: 1 },
  tasks,
  ...more,
});
const bare = (r: TaskRun) => {
  const rest: Partial<TaskRun> = { ...r };
  delete rest.key;
  delete rest.job;
  delete rest.outputs;
  return rest as Omit<TaskRun, 'key' | 'job' | 'outputs'>;
};
const delta = (runs: TaskRun[], whole?: Batch): LiveFrame => ({
  op: 'delta',
  id: 1,
  epoch: 1,
  n: 2,
  runs: runs.map(bare),
  batch: whole,
});

describe('a store', () => {
  it('keeps the identity of what did not change, and tells only those who show what did', () => {
    const store = new RunStore();
    store.reset(batch([run(0), run(1), run(2)]));
    const before = [...store.getRuns()];
    const shown = [0, 1, 2].map((n) => {
      const f = vi.fn();
      store.subscribeRun(n, f);
      return f;
    });
    const all = vi.fn();
    store.subscribe(all);
    store.apply(delta([run(1, { state: 'running' }), run(2)])); // the second says nothing new
    expect(shown.map((f) => f.mock.calls.length)).toEqual([0, 1, 0]);
    expect(all).toHaveBeenCalledTimes(1);
    expect(store.getRun(0)).toBe(before[0]);
    expect(store.getRun(1)).not.toBe(before[1]);
    expect(store.getRun(2)).toBe(before[2]);
    store.apply({ op: 'snapshot', batch: batch([run(0), run(1, { state: 'running' }), run(2, { state: 'failed' })]) });
    expect(shown.map((f) => f.mock.calls.length)).toEqual([0, 1, 1]);
    expect(store.getRun(0)).toBe(before[0]);
  });

  it('is silent about a snapshot that says nothing new', () => {
    const store = new RunStore();
    store.reset(batch([run(0, { outputs: { a: '1', b: '2' } })]));
    const all = vi.fn();
    store.subscribe(all);
    store.apply({ op: 'snapshot', batch: batch([run(0, { outputs: { b: '2', a: '1' } })]) });
    expect(all).not.toHaveBeenCalled();
  });

  it('takes a batch in a delta whole: what is not in it is gone; params and tasks are not shown', () => {
    const store = new RunStore();
    store.reset(batch([run(0)], { pausedAt: '2026-11-22T00:01:00.000Z', wish: 'pause', usualSeconds: 3 }));
    store.apply(delta([], { ...batch([]), params: undefined } as unknown as Batch));
    expect(store.getBatch()).toMatchObject({ wish: 'run', usualSeconds: 3, params: { p: 1 } });
    expect(store.getBatch()?.pausedAt).toBeUndefined();
    expect(store.getBatch()?.tasks).toHaveLength(1);
  });

  it('keeps outputs as long as their attempt is the latest, and lets fields go that a run has no more', () => {
    const store = new RunStore();
    store.reset(
      batch([
        run(0, { state: 'succeeded', attempts: 1, outputs: { rows: '5' }, finishedAt: '2026-11-22T00:00:09.000Z' }),
      ]),
    );
    store.apply(
      delta([run(0, { state: 'succeeded', attempts: 1, executor: 'e', finishedAt: '2026-11-22T00:00:09.000Z' })]),
    );
    expect(store.getRun(0)?.outputs).toEqual({ rows: '5' });
    store.apply(delta([run(0, { state: 'running', attempts: 2, round: 2 })]));
    expect(store.getRun(0)?.outputs).toBeUndefined();
    expect(store.getRun(0)?.finishedAt).toBeUndefined();
  });

  it('follows a repair that brings and takes tasks', () => {
    const store = new RunStore();
    store.reset(batch([run(0), run(1)]));
    const gone = vi.fn();
    store.subscribeRun(1, gone);
    store.apply(delta([run(5)])); // of a snapshot to come
    expect(store.getRun(5)).toBeUndefined();
    store.reset(batch([run(0)]));
    expect(gone).toHaveBeenCalledTimes(1);
    expect(store.numberOf('t1')).toBeUndefined();
    store.reset(batch([run(1, { key: 'new' }), run(0)]));
    expect(store.numberOf('new')).toBe(1);
    expect(store.getRuns().map((r) => r.key)).toEqual(['t0', 'new']);
  });

  it('hears nothing before it knows the batch', () => {
    const store = new RunStore();
    store.apply(delta([run(0)]));
    expect(store.getBatch()).toBeUndefined();
    expect(store.getRuns()).toEqual([]);
  });

  it('tells its listeners at its pace, of all changes at once, and always shows the newest', () => {
    let tell: (() => void) | undefined;
    const store = new RunStore((f) => {
      tell = f;
    });
    store.reset(batch(Array.from({ length: 3 }, (_, n) => run(n))));
    tell?.();
    const [all, one] = [vi.fn(), vi.fn()];
    store.subscribe(all);
    store.subscribeRun(1, one);
    tell = undefined;
    for (let n = 0; n < 1000; n++) store.apply(delta([run(1, { state: STATES[n % 6] })]));
    expect(all).not.toHaveBeenCalled();
    expect(store.getRun(1)?.state).toBe(STATES[999 % 6]);
    (tell as unknown as () => void)();
    expect([all.mock.calls.length, one.mock.calls.length]).toEqual([1, 1]);
    store.apply(delta([run(2, { state: 'failed' })]));
    (tell as unknown as () => void)();
    expect([all.mock.calls.length, one.mock.calls.length]).toEqual([2, 1]);
  });
});

describe('perFrame', () => {
  it('calls once, with a frame or without', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'cancelAnimationFrame'] });
    try {
      const tell = vi.fn();
      perFrame(tell);
      vi.advanceTimersByTime(20);
      expect(tell).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(1000);
      expect(tell).toHaveBeenCalledTimes(1);
      vi.stubGlobal('requestAnimationFrame', () => 0); // a hidden page
      perFrame(tell);
      vi.advanceTimersByTime(250);
      expect(tell).toHaveBeenCalledTimes(2);
    } finally {
      vi.unstubAllGlobals();
      vi.useRealTimers();
    }
  });
});

/** A server that counts frames right, and a network that loses, repeats and breaks. */
describe('whatever happens between the server and the page', () => {
  type Step =
    | { kind: 'change'; n: number; state: number }
    | { kind: 'lose' }
    | { kind: 'twice' }
    | { kind: 'break' }
    | { kind: 'restart' };
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('change' as const), n: fc.nat(3), state: fc.nat(5) }) },
    fc.record({ kind: fc.constantFrom('lose' as const, 'twice' as const, 'break' as const, 'restart' as const) }),
  );

  it('the page ends with the picture of the server, and nothing finished runs again within an epoch', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const server = { epoch: 1, n: 0, runs: [0, 1, 2, 3].map((n) => run(n)) };
        let client: { say: (f: LiveFrame) => void; id?: number } | undefined;
        let fault: Step['kind'] | undefined;
        const later: (() => void)[] = [];
        const world: World = {
          open: () => {
            const ws = {
              readyState: 1,
              onopen: null as null | (() => void),
              onmessage: null as null | ((e: { data: string }) => void),
              onclose: null,
              close: () => undefined,
              send: (text: string) => {
                const request = JSON.parse(text) as { id: number; op: string };
                if (request.op === 'follow') {
                  mine.id = request.id;
                  mine.say({
                    op: 'snapshot',
                    id: request.id,
                    epoch: server.epoch,
                    n: ++server.n,
                    batch: batch(server.runs.map((r) => ({ ...r }))),
                  });
                }
              },
            };
            const mine: NonNullable<typeof client> = { say: (f) => ws.onmessage?.({ data: JSON.stringify(f) }) };
            client = mine;
            later.push(() => ws.onopen?.());
            return ws as unknown as WebSocket;
          },
          now: () => 0,
          later: (f, ms) => {
            if (ms < 40_000 && ms !== 10_000) later.push(f); // the retry, not the watches
            return () => undefined;
          },
          random: () => 0,
        };
        const settle = () => {
          for (let f = later.shift(); f; f = later.shift()) f();
        };
        const socket = new LiveSocket(world);
        const store = new RunStore();
        const seen = new Map<number, { epoch: number; attempts: number; final: boolean }>();
        store.subscribe(() => {
          for (const r of store.getRuns()) {
            const final = ['succeeded', 'failed', 'skipped'].includes(r.state);
            const was = seen.get(r.number);
            if (was?.final && was.epoch === server.epoch && was.attempts === r.attempts) expect(final).toBe(true);
            seen.set(r.number, { epoch: server.epoch, attempts: r.attempts, final });
          }
        });
        socket.follow({ topic: 'batch', batch: 1 }, (f) => {
          store.apply(f);
        });
        settle();
        const change = (n: number, state: number) => {
          const before = server.runs[n]!;
          const over = ['succeeded', 'failed', 'skipped'].includes(before.state);
          // What has ended begins again only as another attempt.
          const now = { ...before, state: STATES[state]!, attempts: before.attempts + (over ? 1 : 0) };
          server.runs[n] = now;
          server.n++;
          const frame: LiveFrame = { op: 'delta', id: client?.id, epoch: server.epoch, n: server.n, runs: [bare(now)] };
          if (fault !== 'lose') client?.say(frame);
          if (fault === 'twice') client?.say(frame);
          fault = undefined;
        };
        for (const s of steps) {
          if (s.kind === 'change') change(s.n, s.state);
          else if (s.kind === 'lose' || s.kind === 'twice') fault = s.kind;
          else {
            if (s.kind === 'restart') {
              server.epoch++;
              server.n = 0;
            }
            socket.lost();
            settle();
            fault = undefined;
          }
        }
        fault = undefined;
        change(0, 2); // the next frame after a gap shows it
        expect(store.getRuns().map(bare)).toEqual(server.runs.map(bare));
      }),
      { numRuns: 300 },
    );
  });
});
