import { afterEach, describe, expect, it } from 'vitest';
import { ApiError, OfflineError } from '@/api/client';
import { type Clock, LogReader } from './reader';
import type { LogPart, LogSource } from './source';

/** A log on a server. The test can append to it, break it and end it. */
class FakeLog implements LogSource {
  readonly file = '/log';
  text = '';
  complete = false;
  failure?: Error;
  calls: [number, number][] = [];
  read(offset: number, limit: number): Promise<LogPart> {
    this.calls.push([offset, limit]);
    if (this.failure) return Promise.reject(this.failure);
    const all = new TextEncoder().encode(this.text);
    const from = offset < 0 ? Math.max(all.length + offset, 0) : Math.min(offset, all.length);
    const bytes = all.slice(from, from + limit);
    return Promise.resolve({
      bytes,
      offset: from,
      next: from + bytes.length,
      size: all.length,
      complete: this.complete,
      attempt: 1,
    });
  }
  find() {
    return Promise.resolve({ found: false, complete: true, next: 0, size: this.text.length });
  }
}

/** A clock that the test advances. */
class FakeClock implements Clock {
  waiting?: { f: () => void; ms: number };
  later = (f: () => void, ms: number) => {
    const timer = { f, ms };
    this.waiting = timer;
    return () => {
      if (this.waiting === timer) this.waiting = undefined;
    };
  };
  async pass(): Promise<number | undefined> {
    const due = this.waiting;
    this.waiting = undefined;
    due?.f();
    await flushPromises();
    return due?.ms;
  }
}

const flushPromises = async () => {
  for (let i = 0; i < 30; i++) await Promise.resolve();
};
const line = (i: number) => `2026-11-21T03:22:58.114Z out line ${String(i)}\n`;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i)).join('');
const last = (r: LogReader) => r.getState().lines.at(-1)?.text;

let reader: LogReader | undefined;
afterEach(() => {
  reader?.close();
});

async function openLog(text: string, position: 'start' | 'end' | { offset: number }, running = true) {
  const log = new FakeLog();
  log.text = text;
  log.complete = !running;
  const clock = new FakeClock();
  const r = new LogReader(log, clock);
  reader = r;
  r.watch(running, false);
  r.follow(position === 'end');
  await r.goTo(position);
  await flushPromises();
  return { log, clock, r };
}

describe('LogReader', () => {
  it('shows the end of a long log after one call, and loads earlier lines on request', async () => {
    const { log, r } = await openLog(lines(1, 30_001), 'end', false);
    expect(log.calls.length).toBe(1);
    expect(last(r)).toBe('line 30000');
    const { start } = r.getState();
    expect(start).toBeGreaterThan(0);
    await r.loadBefore();
    expect(r.getState().start).toBeLessThan(start);
    expect(last(r)).toBe('line 30000');
  });

  it('polls fast while the log grows, slowly while it does not, and stops at its end', async () => {
    const { log, clock, r } = await openLog(line(1), 'end');
    log.text += line(2);
    await clock.pass();
    expect(last(r)).toBe('line 2');
    const quiet = [await clock.pass(), await clock.pass(), await clock.pass(), await clock.pass(), await clock.pass()];
    expect(quiet[0]).toBeLessThanOrEqual(250);
    expect(quiet.at(-1)).toBe(1000);
    log.text += line(3);
    log.complete = true;
    await clock.pass();
    expect(last(r)).toBe('line 3');
    expect(clock.waiting).toBeUndefined();
  });

  it('loads only the end of a log that grows faster than it is read', async () => {
    const { log, clock, r } = await openLog(line(1), 'end');
    log.text += lines(2, 60_002);
    log.calls = [];
    await clock.pass(); // reads the new size
    await clock.pass();
    expect(last(r)).toBe('line 60001');
    expect(log.calls.length).toBe(2);
  });

  it('does not change the lines of a reader above the end, but reports that there are new ones', async () => {
    const { log, clock, r } = await openLog(lines(1, 100), 'end');
    r.follow(false);
    const before = r.getState().lines;
    await clock.pass();
    expect(r.getState().hasNew).toBe(false);
    log.text += line(100);
    await clock.pass();
    expect(r.getState().lines).toBe(before);
    expect(r.getState().hasNew).toBe(true);
    await r.goTo('end');
    expect(last(r)).toBe('line 100');
    r.follow(true);
    log.text += line(101);
    await clock.pass();
    expect(last(r)).toBe('line 101');
  });

  it('keeps the shown lines while the server is out of reach, and catches up', async () => {
    const { log, clock, r } = await openLog(line(1), 'end');
    log.failure = new OfflineError();
    await clock.pass();
    await clock.pass();
    expect(r.getState()).toMatchObject({ offline: true });
    expect(last(r)).toBe('line 1');
    log.failure = undefined;
    log.text += line(2);
    await clock.pass();
    expect(r.getState().offline).toBe(false);
    expect(last(r)).toBe('line 2');
  });

  it('opens as soon as the server can be reached', async () => {
    const log = new FakeLog();
    log.failure = new OfflineError();
    const clock = new FakeClock();
    const r = new LogReader(log, clock);
    reader = r;
    await r.goTo({ offset: 40 });
    expect(r.getState()).toMatchObject({ offline: true, size: undefined });
    log.failure = undefined;
    log.text = lines(1, 5);
    await clock.pass();
    expect(r.getState()).toMatchObject({ jump: 1, target: { offset: 40 } });
  });

  it('reports a refusal, and stops polling until a retry', async () => {
    const { log, clock, r } = await openLog(line(1), 'end');
    log.failure = new ApiError(404, { type: '', title: '', status: 404, code: 'not_found', detail: 'gone' });
    await clock.pass();
    expect(r.getState().error?.problem.detail).toBe('gone');
    expect(clock.waiting).toBeUndefined();
    log.failure = undefined;
    log.text += line(2);
    r.retry();
    await clock.pass();
    expect(last(r)).toBe('line 2');
  });

  it('reports that the store of the log is away, and does not blame the server', async () => {
    const log = new FakeLog();
    log.failure = new ApiError(503, {
      type: '',
      title: '',
      status: 503,
      code: 'unavailable',
      detail: 'the bucket is away',
      reason: 'log_store_away',
    });
    reader = new LogReader(log, new FakeClock());
    await reader.goTo('end');
    expect(reader.getState()).toMatchObject({ offline: false, error: { problem: { reason: 'log_store_away' } } });
  });

  it('does not poll while the log is hidden', async () => {
    const { log, clock, r } = await openLog(line(1), 'end');
    r.watch(true, true);
    await clock.pass();
    log.calls = [];
    await clock.pass();
    expect(log.calls).toEqual([]);
    log.text += line(2);
    r.watch(true, false);
    await clock.pass();
    expect(last(r)).toBe('line 2');
  });

  it('ignores the late answer to an earlier jump', async () => {
    const { log, r } = await openLog(lines(1, 60_001), 'start', false);
    const read = log.read.bind(log);
    let release: () => void = () => undefined;
    const gate = new Promise<void>((done) => {
      release = done;
    });
    log.read = async (offset, limit) => {
      const part = await read(offset, limit);
      if (offset < 0) await gate;
      return part;
    };
    const first = r.goTo('end');
    await r.goTo({ offset: 1_000_000 });
    release();
    await first;
    expect(r.getState().target).toEqual({ offset: 1_000_000 });
    expect(last(r)).not.toBe('line 60000');
  });
});
