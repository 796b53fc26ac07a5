import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Batch, perFrame, RunStore, type TaskRun } from './runs';
import { type LiveFrame, LiveSocket, type Environment } from './socket';

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
const toLiveRun = (r: TaskRun) => {
  const rest: Partial<TaskRun> = { ...r };
  delete rest.key;
  delete rest.job;
  delete rest.outputs;
  return rest as Omit<TaskRun, 'key' | 'job' | 'outputs'>;
};
const delta = (runs: TaskRun[], changed?: Batch): LiveFrame => ({
  op: 'delta',
  id: 1,
  epoch: 1,
  n: 2,
  runs: runs.map(toLiveRun),
  batch: changed,
});

describe('a store', () => {
  it('keeps unchanged objects, and notifies only the listeners of changed runs', () => {
    const store = new RunStore();
    store.reset(batch([run(0), run(1), run(2)]));
    const before = [...store.getRuns()];
    const runListeners = [0, 1, 2].map((n) => {
      const f = vi.fn();
      store.subscribeRun(n, f);
      return f;
    });
    const listener = vi.fn();
    store.subscribe(listener);
    store.apply(delta([run(1, { state: 'running' }), run(2)])); // the second run is unchanged
    expect(runListeners.map((f) => f.mock.calls.length)).toEqual([0, 1, 0]);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(store.getRun(0)).toBe(before[0]);
    expect(store.getRun(1)).not.toBe(before[1]);
    expect(store.getRun(2)).toBe(before[2]);
    store.apply({ op: 'snapshot', batch: batch([run(0), run(1, { state: 'running' }), run(2, { state: 'failed' })]) });
    expect(runListeners.map((f) => f.mock.calls.length)).toEqual([0, 1, 1]);
    expect(store.getRun(0)).toBe(before[0]);
  });

  it('does not notify of a snapshot without changes', () => {
    const store = new RunStore();
    store.reset(batch([run(0, { outputs: { a: '1', b: '2' } })]));
    const listener = vi.fn();
    store.subscribe(listener);
    store.apply({ op: 'snapshot', batch: batch([run(0, { outputs: { b: '2', a: '1' } })]) });
    expect(listener).not.toHaveBeenCalled();
  });

  it('replaces the batch by a delta, except for missing params, its usual duration and its tasks', () => {
    const store = new RunStore();
    store.reset(batch([run(0)], { pausedAt: '2026-11-22T00:01:00.000Z', wish: 'pause', usualSeconds: 3 }));
    store.apply(delta([], { ...batch([]), params: undefined } as unknown as Batch));
    expect(store.getBatch()).toMatchObject({ wish: 'run', usualSeconds: 3, params: { p: 1 } });
    expect(store.getBatch()?.pausedAt).toBeUndefined();
    expect(store.getBatch()?.tasks).toHaveLength(1);
  });

  it('keeps outputs while their attempt is the latest, and removes missing fields', () => {
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

  it('applies a repair that adds and removes tasks', () => {
    const store = new RunStore();
    store.reset(batch([run(0), run(1)]));
    const removed = vi.fn();
    store.subscribeRun(1, removed);
    store.apply(delta([run(5)])); // added by the next snapshot
    expect(store.getRun(5)).toBeUndefined();
    store.reset(batch([run(0)]));
    expect(removed).toHaveBeenCalledTimes(1);
    expect(store.numberOf('t1')).toBeUndefined();
    store.reset(batch([run(1, { key: 'new' }), run(0)]));
    expect(store.numberOf('new')).toBe(1);
    expect(store.getRuns().map((r) => r.key)).toEqual(['t0', 'new']);
  });

  it('ignores deltas before the first snapshot', () => {
    const store = new RunStore();
    store.apply(delta([run(0)]));
    expect(store.getBatch()).toBeUndefined();
    expect(store.getRuns()).toEqual([]);
  });

  it('notifies listeners once for many changes, and always returns the newest state', () => {
    let notify: (() => void) | undefined;
    const store = new RunStore((f) => {
      notify = f;
    });
    store.reset(batch(Array.from({ length: 3 }, (_, n) => run(n))));
    notify?.();
    const [listener, runListener] = [vi.fn(), vi.fn()];
    store.subscribe(listener);
    store.subscribeRun(1, runListener);
    notify = undefined;
    for (let n = 0; n < 1000; n++) store.apply(delta([run(1, { state: STATES[n % 6] })]));
    expect(listener).not.toHaveBeenCalled();
    expect(store.getRun(1)?.state).toBe(STATES[999 % 6]);
    (notify as unknown as () => void)();
    expect([listener.mock.calls.length, runListener.mock.calls.length]).toEqual([1, 1]);
    store.apply(delta([run(2, { state: 'failed' })]));
    (notify as unknown as () => void)();
    expect([listener.mock.calls.length, runListener.mock.calls.length]).toEqual([2, 1]);
  });
});

describe('perFrame', () => {
  it('calls once, with or without a frame', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'requestAnimationFrame', 'cancelAnimationFrame'] });
    try {
      const notify = vi.fn();
      perFrame(notify);
      vi.advanceTimersByTime(20);
      expect(notify).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(1000);
      expect(notify).toHaveBeenCalledTimes(1);
      vi.stubGlobal('requestAnimationFrame', () => 0); // a hidden page
      perFrame(notify);
      vi.advanceTimersByTime(250);
      expect(notify).toHaveBeenCalledTimes(2);
    } finally {
      vi.unstubAllGlobals();
      vi.useRealTimers();
    }
  });
});

// A server with correct frame numbers, and a network that loses and repeats frames and breaks connections.
describe('with any faults between the server and the page', () => {
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

  it('the page gets the state of the server, and shows no final attempt as active within an epoch', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const server = { epoch: 1, n: 0, runs: [0, 1, 2, 3].map((n) => run(n)) };
        let client: { deliver: (f: LiveFrame) => void; id?: number } | undefined;
        let fault: Step['kind'] | undefined;
        const later: (() => void)[] = [];
        const environment: Environment = {
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
                  connection.id = request.id;
                  connection.deliver({
                    op: 'snapshot',
                    id: request.id,
                    epoch: server.epoch,
                    n: ++server.n,
                    batch: batch(server.runs.map((r) => ({ ...r }))),
                  });
                }
              },
            };
            const connection: NonNullable<typeof client> = {
              deliver: (f) => ws.onmessage?.({ data: JSON.stringify(f) }),
            };
            client = connection;
            later.push(() => ws.onopen?.());
            return ws as unknown as WebSocket;
          },
          now: () => 0,
          later: (f, ms) => {
            if (ms < 40_000 && ms !== 10_000) later.push(f); // only the retry timer
            return () => undefined;
          },
          random: () => 0,
        };
        const runTimers = () => {
          for (let f = later.shift(); f; f = later.shift()) f();
        };
        const socket = new LiveSocket(environment);
        const store = new RunStore();
        const shown = new Map<number, { epoch: number; attempts: number; final: boolean }>();
        store.subscribe(() => {
          for (const r of store.getRuns()) {
            const final = ['succeeded', 'failed', 'skipped'].includes(r.state);
            const previous = shown.get(r.number);
            if (previous?.final && previous.epoch === server.epoch && previous.attempts === r.attempts)
              expect(final).toBe(true);
            shown.set(r.number, { epoch: server.epoch, attempts: r.attempts, final });
          }
        });
        socket.follow({ topic: 'batch', batch: 1 }, (f) => {
          store.apply(f);
        });
        runTimers();
        const change = (n: number, state: number) => {
          const before = server.runs[n]!;
          const final = ['succeeded', 'failed', 'skipped'].includes(before.state);
          // A final run starts again only with another attempt.
          const after = { ...before, state: STATES[state]!, attempts: before.attempts + (final ? 1 : 0) };
          server.runs[n] = after;
          server.n++;
          const frame: LiveFrame = {
            op: 'delta',
            id: client?.id,
            epoch: server.epoch,
            n: server.n,
            runs: [toLiveRun(after)],
          };
          if (fault !== 'lose') client?.deliver(frame);
          if (fault === 'twice') client?.deliver(frame);
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
            socket.connectionLost();
            runTimers();
            fault = undefined;
          }
        }
        fault = undefined;
        change(0, 2); // the next frame after a gap shows it
        expect(store.getRuns().map(toLiveRun)).toEqual(server.runs.map(toLiveRun));
      }),
      { numRuns: 300 },
    );
  });
});
