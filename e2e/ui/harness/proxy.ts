import { createServer, type Server as Listener, type Socket, connect } from 'node:net';
import { freePort } from './postgres';

/** Forwards connections from the browser to the server. While it is down, the network is interrupted. */
export class Proxy {
  private readonly sockets = new Set<Socket>();
  private cut = false;

  private constructor(
    readonly url: string,
    private readonly listener: Listener,
  ) {}

  static async before(target: string): Promise<Proxy> {
    const { hostname, port } = new URL(target);
    const own = await freePort();
    const listener = createServer((near) => {
      if (proxy.cut) {
        near.destroy();
        return;
      }
      const far = connect(Number(port), hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        proxy.sockets.add(from);
        from
          .on('error', () => {
            to.destroy();
          })
          .on('close', () => {
            proxy.sockets.delete(from);
            to.destroy();
          });
        from.pipe(to);
      }
    });
    const proxy = new Proxy(`http://127.0.0.1:${String(own)}`, listener);
    await new Promise<void>((resolve) => listener.listen(own, '127.0.0.1', resolve));
    return proxy;
  }

  /** Ends all connections and refuses new ones. */
  down(): void {
    this.cut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  up(): void {
    this.cut = false;
  }

  async close(): Promise<void> {
    this.down();
    await new Promise((resolve) => this.listener.close(resolve));
  }
}
