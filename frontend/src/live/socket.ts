import type { Schemas } from '@/api/client';

/** A message from the server over the live connection. */
export type LiveFrame = Schemas['LiveFrame'];
/** A message to the server over the live connection. */
export type LiveRequest = Schemas['LiveRequest'];

/** The state of the connection. */
export type LiveStatus = 'connecting' | 'live' | 'offline';

/** A topic of the live connection. */
export type Topic = { topic: 'batch'; batch: number } | { topic: 'batches' } | { topic: 'executors' };

/** What this window tells the others who have the same schedule open. */
export interface Presence {
  /** The number of changes of the draft. */
  changes: number;
  /** The keys of the chosen tasks. */
  tasks: string[];
}

/** The topic that tells who has a schedule open, with what this window tells there. */
type PresenceTopic = { topic: 'presence'; schedule: string; window: number } & Presence;

/** A schedule that this window has open. */
export interface Joined {
  /** Tells the others something new. Fast changes are gathered. */
  present: (presence: Presence) => void;
  leave: () => void;
}

interface Follower {
  topic: Topic | PresenceTopic;
  receive: (frame: LiveFrame) => void;
  /** The epoch and number of the last frame; undefined while waiting for a snapshot. */
  position?: { epoch?: number; n: number };
  /** Stops waiting for the snapshot. */
  stopWait?: () => void;
}

/** The parts of the browser that the socket uses. Tests replace them. */
export interface Environment {
  open: () => WebSocket;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Calls f once after ms. The returned function cancels the call. */
  later: (f: () => void, ms: number) => () => void;
  /** From 0 up to 1. */
  random: () => number;
}

/**
 * Delays between attempts to connect (milliseconds). They double and have a random part, so that not all pages connect
 * to a restarted server at once.
 */
const FIRST_DELAY = 500;
const MAX_DELAY = 15_000;
/** After a connection of at least this duration (milliseconds), the delays start again at the first one. */
const STABLE_AFTER = 5_000;
/**
 * The server sends messages regularly. A connection without a message for this long (milliseconds) counts as broken.
 */
const MAX_SILENCE = 40_000;
/** If no snapshot of a topic arrives within this time (milliseconds), it is requested again. */
const SNAPSHOT_TIMEOUT = 10_000;
/** The shortest time between two messages about the presence of this window, in milliseconds. */
const PRESENCE_EVERY = 500;
/** The server closes a connection with this code when the session has ended. */
const SESSION_ENDED = 4401;
/** The server closes a connection with this code when it does not understand a message. */
const MALFORMED = 4400;

/**
 * The connection for all topics of a page. It reconnects by itself and follows every topic again; each then begins with
 * a snapshot. A follower receives the frames of its topic in order and without gaps. If a frame is missing, or the
 * epoch of the server has changed, the topic is followed again.
 */
export class LiveSocket {
  private socket?: WebSocket;
  private readonly followers = new Map<number, Follower>();
  private nextId = 1;
  private delay = FIRST_DELAY;
  private stopRetry?: () => void;
  private stopSilenceTimer?: () => void;
  private openedAt = 0; // 0 while the connection is not open
  private lastMessageAt = 0;
  private closed = true;
  /** The server did not understand a message: it may be of an earlier version, which has no presence. */
  private presenceRefused = false;
  private status: LiveStatus = 'connecting';
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly environment: Environment,
    private readonly onHello: (frame: LiveFrame) => void = () => undefined,
    /** Called if the server refuses or ends the session: the page should check its session. */
    private readonly onRefused: () => void = () => undefined,
  ) {}

  getStatus = (): LiveStatus => this.status;
  /** When the last message arrived, by the local clock in milliseconds; 0 if there was none. */
  lastHeard = (): number => this.lastMessageAt;
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Connects, and reconnects until close is called. */
  start = (): void => {
    if (!this.closed) return;
    this.closed = false;
    this.connect();
  };

  /** Follows a topic until the returned function is called. */
  follow(topic: Topic, receive: (frame: LiveFrame) => void): () => void {
    const id = this.add({ topic, receive });
    return () => {
      this.drop(id);
    };
  }

  /**
   * Tells that a window has a schedule open, and receives who else has. After a new connection the server learns anew
   * what the window tells.
   */
  join(schedule: string, window: number, presence: Presence, receive: (frame: LiveFrame) => void): Joined {
    const topic: PresenceTopic = { topic: 'presence', schedule, window, ...presence };
    const id = this.add({ topic, receive });
    let sent = JSON.stringify(presence);
    let sentAt = this.environment.now();
    let stopTimer: (() => void) | undefined;
    const tell = () => {
      stopTimer = undefined;
      const now: Presence = { changes: topic.changes, tasks: topic.tasks };
      if (JSON.stringify(now) === sent || this.presenceRefused) return;
      sent = JSON.stringify(now);
      sentAt = this.environment.now();
      this.send({ op: 'present', id, ...now });
    };
    return {
      present: (next) => {
        Object.assign(topic, next);
        stopTimer ??= this.environment.later(tell, Math.max(0, sentAt + PRESENCE_EVERY - this.environment.now()));
      },
      leave: () => {
        stopTimer?.();
        this.drop(id);
      },
    };
  }

  private add(follower: Follower): number {
    const id = this.nextId++;
    this.followers.set(id, follower);
    if (this.closed) this.start();
    else this.requestTopic(id);
    return id;
  }

  private drop(id: number): void {
    const follower = this.followers.get(id);
    if (!follower) return;
    follower.stopWait?.();
    this.followers.delete(id);
    this.send({ op: 'drop', id });
  }

  /** Reconnects at once, because the network is back or the user requested it. */
  retryNow = (): void => {
    if (this.socket || this.closed) return;
    this.delay = FIRST_DELAY;
    this.connect();
  };

  /** Called when the browser reports that the network is lost. */
  connectionLost = (): void => {
    if (this.socket) this.reconnectLater();
  };

  /**
   * Called when the page becomes visible again. After a sleep of the machine, the connection may be broken unnoticed.
   */
  wake = (): void => {
    if (this.closed) return;
    if (this.socket && this.openedAt && this.environment.now() - this.lastMessageAt >= MAX_SILENCE)
      this.reconnectLater();
    this.retryNow();
  };

  /** Ends the connection and all retries. */
  close(): void {
    this.closed = true;
    this.stopRetry?.();
    this.detach();
    this.setStatus('connecting');
  }

  private connect(): void {
    this.stopRetry?.();
    let socket: WebSocket;
    try {
      socket = this.environment.open();
    } catch {
      this.reconnectLater();
      return;
    }
    this.socket = socket;
    this.watchSilence(); // also while connecting, because a network that drops packets would delay it for minutes
    socket.onopen = () => {
      this.openedAt = this.environment.now();
      this.noteMessage();
      this.setStatus('live');
      for (const id of this.followers.keys()) this.requestTopic(id);
    };
    socket.onmessage = (event) => {
      this.handle(event.data);
    };
    socket.onclose = (event) => {
      // A browser does not report why the server refused a connection. The session may have ended.
      const refused = event.code === SESSION_ENDED || !this.openedAt;
      if (event.code === MALFORMED) this.presenceRefused = true;
      this.reconnectLater();
      if (refused) this.onRefused();
    };
  }

  private handle(data: unknown): void {
    const frame = parse(data);
    if (!frame) {
      this.reconnectLater(); // the message is not from a HiveGo server
      return;
    }
    this.noteMessage();
    if (frame.op === 'hello') {
      this.onHello(frame);
      return;
    }
    const follower = frame.id === undefined ? undefined : this.followers.get(frame.id);
    if (!follower || frame.id === undefined) return; // no longer followed
    if (frame.op === 'delta') {
      if (!follower.position) return; // older than the snapshot that was requested
      if (frame.epoch !== follower.position.epoch || frame.n !== follower.position.n + 1) {
        this.requestTopic(frame.id);
        return;
      }
    }
    follower.stopWait?.();
    follower.position = frame.op === 'refused' ? undefined : { epoch: frame.epoch, n: frame.n ?? 0 };
    follower.receive(frame);
  }

  /** Requests a topic. Until its snapshot arrives, its other frames are ignored. */
  private requestTopic(id: number): void {
    const follower = this.followers.get(id);
    if (!follower || (follower.topic.topic === 'presence' && this.presenceRefused)) return;
    follower.stopWait?.();
    follower.position = undefined;
    if (this.send({ op: 'follow', id, ...follower.topic }))
      follower.stopWait = this.environment.later(() => {
        this.requestTopic(id);
      }, SNAPSHOT_TIMEOUT);
  }

  private send(request: LiveRequest): boolean {
    if (this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify(request));
    return true;
  }

  private noteMessage(): void {
    this.lastMessageAt = this.environment.now();
    this.watchSilence();
  }

  private watchSilence(): void {
    this.stopSilenceTimer?.();
    this.stopSilenceTimer = this.environment.later(() => {
      this.reconnectLater();
    }, MAX_SILENCE);
  }

  private detach(): void {
    this.stopSilenceTimer?.();
    this.followers.forEach((f) => f.stopWait?.());
    const socket = this.socket;
    this.socket = undefined;
    if (this.openedAt && this.environment.now() - this.openedAt >= STABLE_AFTER) this.delay = FIRST_DELAY;
    this.openedAt = 0;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private reconnectLater(): void {
    if (this.closed) return;
    this.detach();
    this.stopRetry?.();
    this.stopRetry = this.environment.later(
      () => {
        this.connect();
      },
      this.delay * (0.5 + this.environment.random() / 2),
    );
    this.delay = Math.min(this.delay * 2, MAX_DELAY);
    this.setStatus('offline');
  }

  private setStatus(status: LiveStatus): void {
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
