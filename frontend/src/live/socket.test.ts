import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type LiveFrame, type LiveRequest, LiveSocket, type World } from './socket';

/** A network, a clock and a server by hand. */
class FakeWorld implements World {
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
  random = () => 1; // the whole wait
  later = (f: () => void, ms: number) => {
    const timer = { at: this.time + ms, f };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((t) => t !== timer);
    };
  };
  /** Lets time pass, with everything that is due on the way. */
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
  get waiting() {
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
  say(frame: LiveFrame | string) {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) });
  }
  hello() {
    this.say({ op: 'hello', epoch: 1, now: '2026-11-22T00:00:00.000Z' });
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

let world: FakeWorld;
let socket: LiveSocket;
let heard: string[];
const hello = vi.fn();
const refused = vi.fn();
const receive = (frame: LiveFrame) => {
  heard.push(`${frame.op} ${String(frame.n ?? '')}`.trim());
};
const asks = (s: FakeSocket) => s.sent.filter((r) => r.op === 'follow').map((r) => r.id);

beforeEach(() => {
  hello.mockClear();
  refused.mockClear();
  world = new FakeWorld();
  socket = new LiveSocket(world, hello, refused);
  heard = [];
});

describe('frames', () => {
  it('reach the follower from the snapshot on, in order', () => {
    socket.follow({ topic: 'batch', batch: 7 }, receive);
    world.last.accept();
    expect(world.last.sent).toEqual([{ op: 'follow', id: 1, topic: 'batch', batch: 7 }]);
    world.last.hello();
    world.last.say(delta(1, 9)); // of a topic before: void
    world.last.say(snapshot(1));
    world.last.say(delta(1, 2));
    expect(heard).toEqual(['snapshot 1', 'delta 2']);
    expect(hello).toHaveBeenCalledOnce();
    expect(socket.getStatus()).toBe('live');
  });

  it.each([
    ['a gap', delta(1, 4)],
    ['a repetition', delta(1, 1)],
    ['another epoch', delta(1, 2, 2)],
  ])('after %s the topic is followed anew, once', (_, bad) => {
    socket.follow({ topic: 'batches' }, receive);
    world.last.accept();
    world.last.say(snapshot(1));
    world.last.say(bad);
    world.last.say(delta(1, 5));
    world.last.say(delta(1, 6));
    expect(asks(world.last)).toEqual([1, 1]);
    world.last.say(snapshot(1, 7, 2));
    world.last.say(delta(1, 8, 2));
    expect(heard).toEqual(['snapshot 1', 'snapshot 7', 'delta 8']);
  });

  it('may begin anew with a snapshot of the server', () => {
    socket.follow({ topic: 'batches' }, receive);
    world.last.accept();
    world.last.say(snapshot(1));
    world.last.say(snapshot(1, 20));
    world.last.say(delta(1, 21));
    expect(heard).toEqual(['snapshot 1', 'snapshot 20', 'delta 21']);
  });

  it('asks again for a snapshot that does not come', () => {
    socket.follow({ topic: 'batches' }, receive);
    world.last.accept();
    world.pass(10_000);
    expect(asks(world.last)).toEqual([1, 1]);
    world.last.say(snapshot(1));
    world.pass(10_000);
    expect(asks(world.last)).toEqual([1, 1]);
  });

  it('tell of a refusal, after which nothing is asked again', () => {
    socket.follow({ topic: 'batch', batch: 1 }, receive);
    world.last.accept();
    world.last.say({ op: 'refused', id: 1 });
    world.last.say(delta(1, 2));
    world.pass(30_000);
    expect(heard).toEqual(['refused']);
    expect(asks(world.last)).toEqual([1]);
  });

  it('of a dropped topic are not heard', () => {
    const drop = socket.follow({ topic: 'batches' }, receive);
    world.last.accept();
    world.last.say(snapshot(1));
    drop();
    drop();
    world.last.say(delta(1, 2));
    expect(heard).toEqual(['snapshot 1']);
    expect(world.last.sent.filter((r) => r.op === 'drop')).toEqual([{ op: 'drop', id: 1 }]);
    world.pass(10_000);
    expect(asks(world.last)).toEqual([1]);
  });

  it.each(['not json', '[]', 'null', '3', '{"no":"op"}'])('that are none (%s) end the connection', (text) => {
    socket.follow({ topic: 'batches' }, receive);
    world.last.accept();
    world.last.say(text);
    expect(socket.getStatus()).toBe('offline');
    expect(heard).toEqual([]);
  });
});

describe('the connection', () => {
  it('comes back with growing waits, and follows everything anew', () => {
    socket.follow({ topic: 'batches' }, receive);
    socket.follow({ topic: 'executors' }, receive);
    const waits: number[] = [];
    for (let n = 1; n <= 8; n++) {
      const at = world.time;
      world.last.end();
      while (world.sockets.length === n) world.pass(1);
      waits.push(world.time - at);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
    world.last.accept();
    expect(asks(world.last)).toEqual([1, 2]);
    expect(socket.getStatus()).toBe('live');
  });

  it('waits longer for a server that lets in and throws out', () => {
    socket.start();
    for (let n = 0; n < 4; n++) {
      world.last.accept();
      world.last.hello();
      world.last.end();
      world.pass(500 * 2 ** n - 1);
      expect(world.sockets).toHaveLength(n + 1);
      world.pass(1);
      expect(world.sockets).toHaveLength(n + 2);
    }
    world.last.accept();
    world.pass(5_000); // a good one
    world.last.end();
    world.pass(500);
    expect(world.sockets).toHaveLength(6);
  });

  it('is dead after a long silence, but not while the server says hello', () => {
    socket.start();
    world.last.accept();
    for (let n = 0; n < 10; n++) {
      world.pass(15_000);
      world.last.hello();
    }
    expect(socket.getStatus()).toBe('live');
    const at = world.time;
    world.pass(39_999);
    expect(socket.getStatus()).toBe('live');
    world.pass(1);
    expect(socket.getStatus()).toBe('offline');
    expect(socket.lastHeard()).toBe(at);
  });

  it('is given up when it does not open', () => {
    socket.start();
    world.pass(40_500);
    expect(world.sockets).toHaveLength(2);
  });

  it('survives a browser that refuses to open one', () => {
    world.refuse = true;
    socket.start();
    expect(socket.getStatus()).toBe('offline');
    world.refuse = false;
    world.pass(500);
    expect(world.sockets).toHaveLength(1);
  });

  it('follows the network: gone, and back at once', () => {
    socket.follow({ topic: 'batches' }, receive);
    world.last.accept();
    socket.lost();
    expect(socket.getStatus()).toBe('offline');
    const [before] = [world.sockets[0]!];
    before.end(); // the browser notices later: of no interest
    expect(world.waiting).toBe(1);
    socket.lost();
    socket.retryNow();
    expect(world.sockets).toHaveLength(2);
    world.last.accept();
    expect(asks(world.last)).toEqual([1]);
    socket.retryNow();
    world.pass(20_000);
    expect(world.sockets).toHaveLength(2);
  });

  it('after a sleep does not wait for what is dead', () => {
    socket.start();
    world.last.accept();
    world.time += 3_600_000; // no timer ran
    socket.wake();
    expect(world.sockets).toHaveLength(2);
    world.last.accept();
    socket.wake();
    expect(world.sockets).toHaveLength(2);
  });

  it('takes back a topic that is dropped while it is away', () => {
    const drop = socket.follow({ topic: 'batches' }, receive);
    socket.follow({ topic: 'executors' }, receive);
    world.last.end();
    drop();
    world.pass(500);
    world.last.accept();
    expect(asks(world.last)).toEqual([2]);
  });

  it('asks who is logged in when it is not let in, or when the session is over', () => {
    socket.start();
    world.last.end();
    expect(refused).toHaveBeenCalledTimes(1);
    world.pass(500);
    world.last.accept();
    world.last.end();
    expect(refused).toHaveBeenCalledTimes(1);
    world.pass(1000);
    world.last.accept();
    world.last.end(4401);
    expect(refused).toHaveBeenCalledTimes(2);
  });

  it('closed while connecting stays closed, without a timer left', () => {
    socket.follow({ topic: 'batches' }, receive);
    const first = world.last;
    socket.close();
    expect(first.readyState).toBe(3);
    first.accept();
    first.end();
    socket.lost();
    socket.retryNow();
    socket.wake();
    world.pass(120_000);
    expect(world.sockets).toHaveLength(1);
    expect(world.waiting).toBe(0);
    expect(socket.getStatus()).toBe('connecting');
    socket.start();
    world.last.accept();
    expect(asks(world.last)).toEqual([1]);
  });

  it('tells its listeners of changes only', () => {
    const shown = vi.fn();
    const stop = socket.subscribe(shown);
    socket.start();
    world.last.accept();
    world.last.hello();
    expect(shown).toHaveBeenCalledTimes(1);
    world.last.end();
    world.pass(500);
    world.last.end();
    expect(shown).toHaveBeenCalledTimes(2);
    stop();
    socket.close();
    expect(shown).toHaveBeenCalledTimes(2);
  });
});
