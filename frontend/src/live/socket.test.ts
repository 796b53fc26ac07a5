import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type LiveFrame, type LiveRequest, LiveSocket, type Environment } from './socket';

/** A network and a clock that the test controls. */
class FakeEnvironment implements Environment {
  time = 1_000_000;
  sockets: FakeSocket[] = [];
  refuse = false;
  private timers: { at: number; f: () => void }[] = [];

  open = (): WebSocket => {
    if (this.refuse) throw new DOMException('blocked', 'SecurityError');
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket as unknown as WebSocket;
  };
  now = () => this.time;
  random = () => 1; // the full delay
  later = (f: () => void, ms: number) => {
    const timer = { at: this.time + ms, f };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((t) => t !== timer);
    };
  };
  /** Advances the time, and runs the due timers. */
  pass(ms: number) {
    const end = this.time + ms;
    for (;;) {
      const next = this.timers.filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers = this.timers.filter((t) => t !== next);
      this.time = next.at;
      next.f();
    }
    this.time = end;
  }
  get last(): FakeSocket {
    return this.sockets.at(-1)!;
  }
  get timerCount() {
    return this.timers.length;
  }
}

class FakeSocket {
  readyState = 0;
  sent: LiveRequest[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: ((e: { code: number }) => void) | null = null;
  accept() {
    this.readyState = 1;
    this.onopen?.();
  }
  deliver(frame: LiveFrame | string) {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) });
  }
  hello() {
    this.deliver({ op: 'hello', epoch: 1, now: '2026-11-22T00:00:00.000Z' });
  }
  end(code = 1006) {
    this.readyState = 3;
    this.onclose?.({ code });
  }
  send(text: string) {
    this.sent.push(JSON.parse(text) as LiveRequest);
  }
  close() {
    this.readyState = 3;
  }
}

const snapshot = (id: number, n = 1, epoch = 1): LiveFrame => ({ op: 'snapshot', id, epoch, n });
const delta = (id: number, n: number, epoch = 1): LiveFrame => ({ op: 'delta', id, epoch, n });

let env: FakeEnvironment;
let socket: LiveSocket;
let received: string[];
const hello = vi.fn();
const refused = vi.fn();
const receive = (frame: LiveFrame) => {
  received.push(`${frame.op} ${String(frame.n ?? '')}`.trim());
};
const requestedIds = (s: FakeSocket) => s.sent.filter((r) => r.op === 'follow').map((r) => r.id);

beforeEach(() => {
  hello.mockClear();
  refused.mockClear();
  env = new FakeEnvironment();
  socket = new LiveSocket(env, hello, refused);
  received = [];
});

describe('frames', () => {
  it('reach the follower from the snapshot on, in order', () => {
    socket.follow({ topic: 'batch', batch: 7 }, receive);
    env.last.accept();
    expect(env.last.sent).toEqual([{ op: 'follow', id: 1, topic: 'batch', batch: 7 }]);
    env.last.hello();
    env.last.deliver(delta(1, 9)); // before the snapshot: ignored
    env.last.deliver(snapshot(1));
    env.last.deliver(delta(1, 2));
    expect(received).toEqual(['snapshot 1', 'delta 2']);
    expect(hello).toHaveBeenCalledOnce();
    expect(socket.getStatus()).toBe('live');
  });

  it.each([
    ['a gap', delta(1, 4)],
    ['a repetition', delta(1, 1)],
    ['another epoch', delta(1, 2, 2)],
  ])('after %s the topic is followed again, once', (_, frame) => {
    socket.follow({ topic: 'batches' }, receive);
    env.last.accept();
    env.last.deliver(snapshot(1));
    env.last.deliver(frame);
    env.last.deliver(delta(1, 5));
    env.last.deliver(delta(1, 6));
    expect(requestedIds(env.last)).toEqual([1, 1]);
    env.last.deliver(snapshot(1, 7, 2));
    env.last.deliver(delta(1, 8, 2));
    expect(received).toEqual(['snapshot 1', 'snapshot 7', 'delta 8']);
  });

  it('may start again with a snapshot of the server', () => {
    socket.follow({ topic: 'batches' }, receive);
    env.last.accept();
    env.last.deliver(snapshot(1));
    env.last.deliver(snapshot(1, 20));
    env.last.deliver(delta(1, 21));
    expect(received).toEqual(['snapshot 1', 'snapshot 20', 'delta 21']);
  });

  it('are requested again if no snapshot arrives', () => {
    socket.follow({ topic: 'batches' }, receive);
    env.last.accept();
    env.pass(10_000);
    expect(requestedIds(env.last)).toEqual([1, 1]);
    env.last.deliver(snapshot(1));
    env.pass(10_000);
    expect(requestedIds(env.last)).toEqual([1, 1]);
  });

  it('report a refusal, after which the topic is not requested again', () => {
    socket.follow({ topic: 'batch', batch: 1 }, receive);
    env.last.accept();
    env.last.deliver({ op: 'refused', id: 1 });
    env.last.deliver(delta(1, 2));
    env.pass(30_000);
    expect(received).toEqual(['refused']);
    expect(requestedIds(env.last)).toEqual([1]);
  });

  it('of a dropped topic are ignored', () => {
    const drop = socket.follow({ topic: 'batches' }, receive);
    env.last.accept();
    env.last.deliver(snapshot(1));
    drop();
    drop();
    env.last.deliver(delta(1, 2));
    expect(received).toEqual(['snapshot 1']);
    expect(env.last.sent.filter((r) => r.op === 'drop')).toEqual([{ op: 'drop', id: 1 }]);
    env.pass(10_000);
    expect(requestedIds(env.last)).toEqual([1]);
  });

  it.each(['not json', '[]', 'null', '3', '{"no":"op"}'])('that are invalid (%s) end the connection', (text) => {
    socket.follow({ topic: 'batches' }, receive);
    env.last.accept();
    env.last.deliver(text);
    expect(socket.getStatus()).toBe('offline');
    expect(received).toEqual([]);
  });
});

describe('the connection', () => {
  it('reconnects with growing delays, and follows all topics again', () => {
    socket.follow({ topic: 'batches' }, receive);
    socket.follow({ topic: 'executors' }, receive);
    const delays: number[] = [];
    for (let n = 1; n <= 8; n++) {
      const at = env.time;
      env.last.end();
      while (env.sockets.length === n) env.pass(1);
      delays.push(env.time - at);
    }
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
    env.last.accept();
    expect(requestedIds(env.last)).toEqual([1, 2]);
    expect(socket.getStatus()).toBe('live');
  });

  it('increases the delay for a server that closes each connection', () => {
    socket.start();
    for (let n = 0; n < 4; n++) {
      env.last.accept();
      env.last.hello();
      env.last.end();
      env.pass(500 * 2 ** n - 1);
      expect(env.sockets).toHaveLength(n + 1);
      env.pass(1);
      expect(env.sockets).toHaveLength(n + 2);
    }
    env.last.accept();
    env.pass(5_000); // a stable connection
    env.last.end();
    env.pass(500);
    expect(env.sockets).toHaveLength(6);
  });

  it('counts as broken after a long silence, but not while the server sends messages', () => {
    socket.start();
    env.last.accept();
    for (let n = 0; n < 10; n++) {
      env.pass(15_000);
      env.last.hello();
    }
    expect(socket.getStatus()).toBe('live');
    const at = env.time;
    env.pass(39_999);
    expect(socket.getStatus()).toBe('live');
    env.pass(1);
    expect(socket.getStatus()).toBe('offline');
    expect(socket.lastHeard()).toBe(at);
  });

  it('is closed if it does not open', () => {
    socket.start();
    env.pass(40_500);
    expect(env.sockets).toHaveLength(2);
  });

  it('retries if the browser refuses to open it', () => {
    env.refuse = true;
    socket.start();
    expect(socket.getStatus()).toBe('offline');
    env.refuse = false;
    env.pass(500);
    expect(env.sockets).toHaveLength(1);
  });

  it('is closed when the network is lost, and opened at once when it is back', () => {
    socket.follow({ topic: 'batches' }, receive);
    env.last.accept();
    socket.connectionLost();
    expect(socket.getStatus()).toBe('offline');
    const [before] = [env.sockets[0]!];
    before.end(); // the late close event is ignored
    expect(env.timerCount).toBe(1);
    socket.connectionLost();
    socket.retryNow();
    expect(env.sockets).toHaveLength(2);
    env.last.accept();
    expect(requestedIds(env.last)).toEqual([1]);
    socket.retryNow();
    env.pass(20_000);
    expect(env.sockets).toHaveLength(2);
  });

  it('reconnects at once after a sleep', () => {
    socket.start();
    env.last.accept();
    env.time += 3_600_000; // no timer ran
    socket.wake();
    expect(env.sockets).toHaveLength(2);
    env.last.accept();
    socket.wake();
    expect(env.sockets).toHaveLength(2);
  });

  it('does not request a topic that was dropped while it was closed', () => {
    const drop = socket.follow({ topic: 'batches' }, receive);
    socket.follow({ topic: 'executors' }, receive);
    env.last.end();
    drop();
    env.pass(500);
    env.last.accept();
    expect(requestedIds(env.last)).toEqual([2]);
  });

  it('reports a refused connection, and the end of the session', () => {
    socket.start();
    env.last.end();
    expect(refused).toHaveBeenCalledTimes(1);
    env.pass(500);
    env.last.accept();
    env.last.end();
    expect(refused).toHaveBeenCalledTimes(1);
    env.pass(1000);
    env.last.accept();
    env.last.end(4401);
    expect(refused).toHaveBeenCalledTimes(2);
  });

  it('stays closed without a timer after it was closed while connecting', () => {
    socket.follow({ topic: 'batches' }, receive);
    const first = env.last;
    socket.close();
    expect(first.readyState).toBe(3);
    first.accept();
    first.end();
    socket.connectionLost();
    socket.retryNow();
    socket.wake();
    env.pass(120_000);
    expect(env.sockets).toHaveLength(1);
    expect(env.timerCount).toBe(0);
    expect(socket.getStatus()).toBe('connecting');
    socket.start();
    env.last.accept();
    expect(requestedIds(env.last)).toEqual([1]);
  });

  it('notifies its listeners only of changes', () => {
    const listener = vi.fn();
    const stop = socket.subscribe(listener);
    socket.start();
    env.last.accept();
    env.last.hello();
    expect(listener).toHaveBeenCalledTimes(1);
    env.last.end();
    env.pass(500);
    env.last.end();
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    socket.close();
    expect(listener).toHaveBeenCalledTimes(2);
  });
});

describe('the presence of a window', () => {
  const here = { topic: 'presence', schedule: 'nightly', window: 9 };
  const sent = () => env.last.sent.map(({ op, changes, tasks }) => [op, changes, tasks]);

  it('is told at once, and its changes at most twice a second', () => {
    const joined = socket.join('nightly', 9, { changes: 0, tasks: [] }, receive);
    env.last.accept();
    expect(env.last.sent).toEqual([{ op: 'follow', id: 1, ...here, changes: 0, tasks: [] }]);
    env.last.deliver(snapshot(1));
    for (let changes = 1; changes <= 100; changes++) {
      joined.present({ changes, tasks: ['load'] });
      env.pass(20);
    }
    env.pass(1000);
    const reports = sent().slice(1);
    expect(reports.length).toBeGreaterThanOrEqual(4);
    expect(reports.length).toBeLessThanOrEqual(6);
    expect(reports.at(-1)).toEqual(['present', 100, ['load']]);
    joined.present({ changes: 101, tasks: [] });
    joined.present({ changes: 100, tasks: ['load'] });
    env.pass(1000);
    expect(sent()).toHaveLength(1 + reports.length); // nothing has changed
    joined.present({ changes: 102, tasks: [] });
    joined.leave();
    env.pass(1000);
    expect(sent().slice(1 + reports.length)).toEqual([['drop', undefined, undefined]]);
  });

  it('is told anew after a new connection, as it is by then', () => {
    const joined = socket.join('nightly', 9, { changes: 0, tasks: [] }, receive);
    env.last.accept();
    env.last.end();
    joined.present({ changes: 4, tasks: ['load'] });
    env.pass(500);
    env.last.accept();
    expect(env.last.sent).toEqual([{ op: 'follow', id: 1, ...here, changes: 4, tasks: ['load'] }]);
  });

  it('is not told to a server that does not understand it; the other topics go on', () => {
    socket.follow({ topic: 'batches' }, receive);
    const joined = socket.join('nightly', 9, { changes: 0, tasks: [] }, receive);
    env.last.accept();
    env.last.end(4400);
    env.pass(500);
    env.last.accept();
    expect(requestedIds(env.last)).toEqual([1]);
    joined.present({ changes: 4, tasks: [] });
    env.pass(1000);
    expect(sent().some(([op]) => op === 'present')).toBe(false);
  });
});
