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

/** How long a thing that must come may take on a busy machine, in seconds: a bound, never a wait. */
export const PATIENCE = 120;

/** Waits until f answers something true; fails with what it was waiting for. */
export async function until<T>(what: string, f: () => Promise<T | false | undefined>, seconds = PATIENCE): Promise<T> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const got = await f();
    if (got) return got;
    if (Date.now() > end) throw new Error(`waited ${String(seconds)} s in vain: ${what}`);
    await new Promise((r) => setTimeout(r, 50));
  }
}

/** What the tests read of a batch. */
export interface BatchAnswer {
  id: number;
  state: string;
  live: boolean;
  round: number;
  revision: number;
  wish: string;
  tasks: { key: string; state: string; attempts: number; executor?: string }[];
}

/** A real server in a folder of its own, with its executor in its process unless told otherwise. */
export class Server {
  private process?: ChildProcess;
  private said = '';
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

  /** Starts one that has its administrator already, added without the browser. */
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
      this.said += chunk.toString();
    };
    this.process.stdout?.on('data', hear);
    this.process.stderr?.on('data', hear);
    await until(`the server is ready; it said:\n${this.said}`, async () => {
      if (this.process?.exitCode !== null) throw new Error(`the server has ended; it said:\n${this.said}`);
      return (await fetch(`${this.url}/readyz`).catch(() => undefined))?.ok;
    });
  }

  /** What it has printed so far. */
  output(): string {
    return this.said;
  }

  /** Ends the process at once, as a power cut would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Ends the process as a person would. */
  async halt(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** Ends the process and removes its folder. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    rmSync(this.data, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((r) => child.once('exit', r));
    child.kill(signal);
    await gone;
  }

  /** Adds a user without the browser. */
  async user(name: string, ...flags: string[]): Promise<void> {
    const add = execute(BINARY, ['user', 'add', name, ...flags, '--password-stdin', '--data', this.data], {
      env: { ...process.env, ...this.env },
    });
    add.child.stdin?.end(`${PASSWORD}\n`);
    await add;
  }

  /** Runs a command of the command line against the server and answers what it prints. */
  async hivego(...args: string[]): Promise<string> {
    const env = { ...process.env, ...this.env, HIVEGO_SERVER: this.url, HIVEGO_TOKEN: await this.bearer() };
    const { stdout } = await execute(BINARY, args, { env, maxBuffer: 1 << 26 });
    return stdout.trim();
  }

  private async bearer(): Promise<string> {
    const env = { ...process.env, ...this.env };
    this.token ||= (
      await execute(BINARY, ['token', 'create', '--user', 'admin', '--data', this.data], { env })
    ).stdout.trim();
    return this.token;
  }

  /** What the API answers to a GET. */
  async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      headers: { Authorization: `Bearer ${await this.bearer()}` },
    });
    if (!answer.ok) throw new Error(`GET ${path}: ${String(answer.status)} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** Saves a schedule, given as YAML or as the object that it stands for. */
  async apply(document: string | object): Promise<void> {
    const file = join(this.data, `apply-${String(++this.applied)}.yaml`);
    writeFileSync(file, typeof document === 'string' ? document : JSON.stringify(document));
    await this.hivego('apply', '-f', file);
  }

  /** Runs a schedule and answers the number of its batch; with `wait`, when it has ended, however it ended. */
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

  /** A batch with its task runs, as the API tells it. */
  async batch(id: number): Promise<BatchAnswer> {
    return this.get<BatchAnswer>(`/batches/${String(id)}`);
  }

  /** A command for a task that runs until the gate is opened, and then ends with a code. */
  gated(gate: string, code = 0): string {
    return `until [ -e ${this.gate(gate)} ]; do sleep 0.05; done; echo through ${gate}; exit ${String(code)}`;
  }

  /** Lets tasks through. */
  open(...gates: string[]): void {
    for (const gate of gates) writeFileSync(this.gate(gate), '');
  }

  private gate(name: string): string {
    return join(this.data, `gate-${name}`);
  }

  /** Starts an executor of a process of its own in a group, and answers how to kill it. */
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
        const gone = new Promise((r) => child.once('exit', r));
        child.kill('SIGKILL');
        await gone;
      },
    };
  }
}

let databases = 0;

/** An empty database in the PostgreSQL of the tests. */
async function freshDatabase(): Promise<string> {
  const base = new URL(inject('postgres'));
  const name = `ui_${String(process.pid)}_${String(++databases)}`;
  await execute('psql', [base.toString(), '-q', '-c', `CREATE DATABASE ${name}`]);
  base.pathname = `/${name}`;
  return base.toString();
}
