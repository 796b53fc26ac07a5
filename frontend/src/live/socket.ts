import type { Schemas } from '@/api/client';

/** A message from the server over the live connection. */
export type LiveFrame = Schemas['LiveFrame'];
/** A message to the server over the live connection. */
export type LiveRequest = Schemas['LiveRequest'];

/** The state of the connection, as pages show it. */
export type LiveStatus = 'connecting' | 'live' | 'offline';

/** What a page follows. */
export type Topic = { topic: 'batch'; batch: number } | { topic: 'batches' } | { topic: 'executors' };

interface Follower {
  topic: Topic;
  receive: (frame: LiveFrame) => void;
  /** The epoch and number of the frame heard last; none while a snapshot is awaited. */
  at?: { epoch?: number; n: number };
  /** Gives up waiting for the snapshot. */
  stopWait?: () => void;
}

/** The parts of the browser that the socket needs; tests give their own. */
export interface World {
  open: () => WebSocket;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Calls f once after ms; the answer takes that back. */
  later: (f: () => void, ms: number) => () => void;
  /** From 0 up to 1. */
  random: () => number;
}

/**
 * Waits between attempts to connect (milliseconds). They double, with a random part, so that not all pages meet a
 * restarted server at once.
 */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
/**
 * A connection that lasted this long was sound, and the waits start from the first again; one that ended sooner was
 * not.
 */
const GOOD = 5_000;
/**
 * The server sends a message regularly. A connection that is silent this long is dead, whatever the browser reports.
 */
const SILENCE = 40_000;
/** A topic's snapshot comes at once; if not by then, it is asked for again. */
const SNAPSHOT = 10_000;
/** The server ends a connection with this code when the session is over. */
const SESSION_OVER = 4401;

/**
 * One connection for all topics of a page. It comes back by itself and follows every topic anew: each then begins with
 * a snapshot. Frames of a topic reach its follower in order and without gaps; where one is missing, or the server's
 * epoch has changed, the topic is followed anew instead.
 */
export class LiveSocket {
  private socket?: WebSocket;
  private readonly followers = new Map<number, Follower>();
  private nextId = 1;
  private wait = FIRST_WAIT;
  private stopRetry?: () => void;
  private stopWatch?: () => void;
  private opened = 0; // when this connection was opened; 0 if it is not yet
  private heard = 0;
  private closed = true;
  private status: LiveStatus = 'connecting';
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly world: World,
    private readonly onHello: (frame: LiveFrame) => void = () => undefined,
    /** Called if the server refuses the session or ends it: the page should check who is logged in. */
    private readonly onRefused: () => void = () => undefined,
  ) {}

  /**
   * The state of the connection, and when its last message came (milliseconds by this machine's clock; 0 for never).
   */
  getStatus = (): LiveStatus => this.status;
  lastHeard = (): number => this.heard;
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Connects, and stays so. */
  start = (): void => {
    if (!this.closed) return;
    this.closed = false;
    this.connect();
  };

  /** Follows a topic until the answered function is called. */
  follow(topic: Topic, receive: (frame: LiveFrame) => void): () => void {
    const id = this.nextId++;
    this.followers.set(id, { topic, receive });
    if (this.closed) this.start();
    else this.ask(id);
    return () => {
      const follower = this.followers.get(id);
      if (!follower) return;
      follower.stopWait?.();
      this.followers.delete(id);
      this.send({ op: 'drop', id });
    };
  }

  /** Tries at once: the network is back, or a person asked. */
  retryNow = (): void => {
    if (this.socket || this.closed) return;
    this.wait = FIRST_WAIT;
    this.connect();
  };

  /** The network says that it is gone: no need to wait for silence. */
  lost = (): void => {
    if (this.socket) this.drop();
  };

  /** The page is seen again, maybe after a sleep in which timers and sockets died without a word. */
  wake = (): void => {
    if (this.closed) return;
    if (this.socket && this.opened && this.world.now() - this.heard >= SILENCE) this.drop();
    this.retryNow();
  };

  /** Ends the connection and all retries. */
  close(): void {
    this.closed = true;
    this.stopRetry?.();
    this.detach();
    this.set('connecting');
  }

  private connect(): void {
    this.stopRetry?.();
    let socket: WebSocket;
    try {
      socket = this.world.open();
    } catch {
      this.drop();
      return;
    }
    this.socket = socket;
    this.watch(); // over the opening too: a network that swallows everything would hold it for minutes
    socket.onopen = () => {
      this.opened = this.world.now();
      this.hear();
      this.set('live');
      for (const id of this.followers.keys()) this.ask(id);
    };
    socket.onmessage = (event) => {
      this.take(event.data);
    };
    socket.onclose = (event) => {
      // A browser does not tell why a connection was not let in: it may be the session.
      const refused = event.code === SESSION_OVER || !this.opened;
      this.drop();
      if (refused) this.onRefused();
    };
  }

  private take(data: unknown): void {
    const frame = parse(data);
    if (!frame) {
      this.drop(); // whoever speaks there, it is not the server
      return;
    }
    this.hear();
    if (frame.op === 'hello') {
      this.onHello(frame);
      return;
    }
    const follower = frame.id === undefined ? undefined : this.followers.get(frame.id);
    if (!follower || frame.id === undefined) return; // dropped meanwhile
    if (frame.op === 'delta') {
      if (!follower.at) return; // of before: its snapshot is on the way
      if (frame.epoch !== follower.at.epoch || frame.n !== follower.at.n + 1) {
        this.ask(frame.id);
        return;
      }
    }
    follower.stopWait?.();
    follower.at = frame.op === 'refused' ? undefined : { epoch: frame.epoch, n: frame.n ?? 0 };
    follower.receive(frame);
  }

  /** Follows a topic (anew); until its snapshot comes, what else comes is void. */
  private ask(id: number): void {
    const follower = this.followers.get(id);
    if (!follower) return;
    follower.stopWait?.();
    follower.at = undefined;
    if (this.send({ op: 'follow', id, ...follower.topic }))
      follower.stopWait = this.world.later(() => {
        this.ask(id);
      }, SNAPSHOT);
  }

  private send(request: LiveRequest): boolean {
    if (this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify(request));
    return true;
  }

  private hear(): void {
    this.heard = this.world.now();
    this.watch();
  }

  private watch(): void {
    this.stopWatch?.();
    this.stopWatch = this.world.later(() => {
      this.drop();
    }, SILENCE);
  }

  private detach(): void {
    this.stopWatch?.();
    this.followers.forEach((f) => f.stopWait?.());
    const socket = this.socket;
    this.socket = undefined;
    if (this.opened && this.world.now() - this.opened >= GOOD) this.wait = FIRST_WAIT;
    this.opened = 0;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private drop(): void {
    if (this.closed) return;
    this.detach();
    this.stopRetry?.();
    this.stopRetry = this.world.later(
      () => {
        this.connect();
      },
      this.wait * (0.5 + this.world.random() / 2),
    );
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    this.set('offline');
  }

  private set(status: LiveStatus): void {
    if (status === this.status) return;
    this.status = status;
    this.listeners.forEach((l) => {
      l();
    });
  }
}

function parse(data: unknown): LiveFrame | undefined {
  try {
    const frame: unknown = JSON.parse(String(data));
    return typeof frame === 'object' && frame !== null && 'op' in frame ? (frame as LiveFrame) : undefined;
  } catch {
    return undefined;
  }
}
