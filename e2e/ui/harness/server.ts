import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { freePort } from './postgres';

const BINARY = fileURLToPath(new URL('../../../bin/hivego', import.meta.url));
const execute = promisify(execFile);

export type Database = 'sqlite' | 'postgres';
export const PASSWORD = 'a hive of honey';

/** The longest time in seconds that a test waits for an event on a busy machine. */
export const PATIENCE = 120;

/** Calls f until its result is truthy, and returns that. After the given time it fails with the name of the event. */
export async function until<T>(
  what: string | (() => string),
  f: () => Promise<T | false | undefined>,
  seconds = PATIENCE,
): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const got = await f();
    if (got) return got;
    if (Date.now() > end)
      throw new Error(`not within ${String(seconds)} s: ${typeof what === 'string' ? what : what()}`);
    await new Promise((r) => setTimeout(r, 50));
  }
}

/** The fields of a batch that the tests read. */
export interface BatchAnswer {
  id: number;
  state: string;
  live: boolean;
  round: number;
  revision: number;
  wish: string;
  tasks: { key: string; state: string; attempts: number; executor?: string }[];
}

/** A real server with its own data folder. Without other arguments it has an executor in its process. */
export class Server {
  private process?: ChildProcess;
  private printed = '';
  private applied = 0;
  private token = '';

  private constructor(
    readonly url: string,
    readonly data: string,
    private readonly args: string[],
    private readonly env: Record<string, string>,
  ) {}

  /** Starts one and waits until it is ready. */
  static async start(database: Database = 'sqlite', ...args: string[]): Promise<Server> {
    const data = mkdtempSync(join(tmpdir(), 'hivego-ui-'));
    const env: Record<string, string> = {};
    if (database === 'postgres') env.HIVEGO_DATABASE_URL = await freshDatabase();
    const server = new Server(`http://127.0.0.1:${String(await freePort())}`, data, args, env);
    await server.again();
    return server;
  }

  /** Starts one and adds its administrator by the command line. */
  static async begun(database?: Database, ...args: string[]): Promise<Server> {
    const server = await Server.start(database, ...args);
    try {
      await server.user('admin', '--admin');
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** Starts the process (again) on the same data and address. */
  async again(): Promise<void> {
    const listen = this.url.replace('http://', '');
    this.process = spawn(BINARY, ['serve', '--data', this.data, '--listen', listen, ...this.args], {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const hear = (chunk: Buffer) => {
      this.printed += chunk.toString();
    };
    this.process.stdout?.on('data', hear);
    this.process.stderr?.on('data', hear);
    await until(
      () => `the server is ready; it printed:\n${this.printed}`,
      async () => {
        if (this.process?.exitCode !== null) throw new Error(`the server has ended; it printed:\n${this.printed}`);
        return (await fetch(`${this.url}/readyz`).catch(() => undefined))?.ok;
      },
    );
  }

  /** The output of the process until now. */
  output(): string {
    return this.printed;
  }

  /** Kills the process. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Lets the process shut down. */
  async halt(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Lets the process shut down, and removes its folder. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    rmSync(this.data, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((r) => child.once('exit', r));
    child.kill(signal);
    await exited;
  }

  /** Adds a user by the command line. */
  async user(name: string, ...flags: string[]): Promise<void> {
    const add = execute(BINARY, ['user', 'add', name, ...flags, '--password-stdin', '--data', this.data], {
      env: { ...process.env, ...this.env },
    });
    add.child.stdin?.end(`${PASSWORD}\n`);
    await add;
  }

  /** Runs a command of the command line against the server and returns its output. */
  async hivego(...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.env, HIVEGO_SERVER: this.url, HIVEGO_TOKEN: await this.bearer() };
    const { stdout } = await execute(BINARY, args, { env, maxBuffer: 1 << 26 });
    return stdout.trim();
  }

  /** A token of the administrator. */
  async bearer(): Promise<string> {
    const env = { ...process.env, ...this.env };
    this.token ||= (
      await execute(BINARY, ['token', 'create', '--user', 'admin', '--data', this.data], { env })
    ).stdout.trim();
    return this.token;
  }

  /** The API's response to a GET. */
  async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      headers: { Authorization: `Bearer ${await this.bearer()}` },
    });
    if (!answer.ok) throw new Error(`GET ${path}: ${String(answer.status)} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** Saves a schedule, given as YAML or as an object. */
  async apply(document: string | object): Promise<void> {
    const file = join(this.data, `apply-${String(++this.applied)}.yaml`);
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
    await this.hivego('apply', '-f', file);
  }

  /** Runs a schedule and returns the number of its batch. With `wait` it waits until the batch has ended. */
  async run(schedule: string, { wait = false, args = [] as string[] } = {}): Promise<number> {
    const id = Number(await this.hivego('run', schedule, ...args));
    if (wait) await this.ended(id);
    return id;
  }

  /** Waits until a batch has ended. */
  async ended(id: number): Promise<BatchAnswer> {
    return until(`batch ${String(id)} has ended`, async () => {
      const batch = await this.batch(id);
      return !batch.live && batch;
    });
  }

  /** A batch with its task runs, from the API. */
  async batch(id: number): Promise<BatchAnswer> {
    return this.get<BatchAnswer>(`/batches/${String(id)}`);
  }

  /** A shell command that runs until `open` is called for the gate, and then exits with the code. */
  gated(gate: string, code = 0): string {
    return `until [ -e ${this.gate(gate)} ]; do sleep 0.05; done; echo through ${gate}; exit ${String(code)}`;
  }

  /** Opens gates. */
  open(...gates: string[]): void {
    for (const gate of gates) writeFileSync(this.gate(gate), '');
  }

  private gate(name: string): string {
    return join(this.data, `gate-${name}`);
  }

  /** Starts a separate executor in a group. Returns a function that kills it. */
  async executor(group: string): Promise<{ kill: () => Promise<void> }> {
    const env = { ...process.env, ...this.env };
    const token = (
      await execute(BINARY, ['token', 'create', '--group', group, '--name', group, '--data', this.data], { env })
    ).stdout.trim();
    const file = join(this.data, `token-${group}`);
    writeFileSync(file, token, { mode: 0o600 });
    const child = spawn(
      BINARY,
      [
        'executor',
        '--server',
        this.url,
        '--listen',
        '127.0.0.1:0',
        '--group',
        group,
        '--name',
        group,
        '--data',
        join(this.data, `executor-${group}`),
        '--token-file',
        file,
      ],
      { stdio: 'ignore' },
    );
    await until(`executor ${group} is online`, async () => (await this.hivego('executors')).includes(group));
    return {
      kill: async () => {
        const exited = new Promise((r) => child.once('exit', r));
        child.kill('SIGKILL');
        await exited;
      },
    };
  }
}

let databases = 0;

/** Creates an empty database in the tests' PostgreSQL and returns its address. */
async function freshDatabase(): Promise<string> {
  const base = new URL(inject('postgres'));
  const name = `ui_${String(process.pid)}_${String(++databases)}`;
  await execute('psql', [base.toString(), '-q', '-c', `CREATE DATABASE ${name}`]);
  base.pathname = `/${name}`;
  return base.toString();
}
