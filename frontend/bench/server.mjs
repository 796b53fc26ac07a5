// A server for the benchmarks that need a real one. Run `make build` first. HIVEGO_BENCH_BINARY names another binary.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BINARY = process.env.HIVEGO_BENCH_BINARY || fileURLToPath(new URL('../../bin/hivego', import.meta.url));
const PASSWORD = 'a hive of honey';
/** How long anything may take, in milliseconds. */
const TIMEOUT = 120_000;
const run = promisify(execFile);
const execute = (file, args, options) => run(file, args, { timeout: TIMEOUT, ...options });

export const sleep = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

/** Calls f repeatedly until it returns a true value. */
export async function until(description, f) {
  for (const end = Date.now() + TIMEOUT; Date.now() < end; await sleep(50)) {
    const result = await f();
    if (result) return result;
  }
  throw new Error(`timed out: ${description}`);
}

/** Starts a server with an administrator. `args` are more arguments of `serve`. */
export function startServer(...args) {
  const data = mkdtempSync(join(tmpdir(), 'hivego-bench-'));
  const port = 3000 + (process.pid % 1000) + 10_000;
  const url = `http://127.0.0.1:${port}`;
  const log = join(data, 'log');
  const server = spawn(
    'sh',
    [
      '-c',
      'exec "$0" "$@" 2>"$LOG"',
      BINARY,
      'serve',
      '--data',
      data,
      '--listen',
      `127.0.0.1:${port}`,
      '--log-format',
      'json',
      ...args,
    ],
    { env: { ...process.env, LOG: log }, stdio: 'ignore' },
  );
  const exited = new Promise((done) => {
    server.once('exit', done).once('error', done);
  });
  let env = process.env;
  const hivego = async (...words) => (await execute(BINARY, words, { env })).stdout.trim();
  return {
    data,
    url,
    log,
    hivego,
    /** Waits until the server is ready, and adds the administrator. */
    ready: async () => {
      await until('the server is ready', async () => {
        if (server.exitCode !== null || server.pid === undefined) throw new Error(readFileSync(log, 'utf8'));
        return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(TIMEOUT) }).catch(() => undefined))?.ok;
      });
      const add = execute(BINARY, ['user', 'add', 'admin', '--admin', '--password-stdin', '--data', data]);
      add.child.stdin.end(`${PASSWORD}\n`);
      await add;
      const token = (await execute(BINARY, ['token', 'create', '--user', 'admin', '--data', data])).stdout.trim();
      env = { ...process.env, HIVEGO_SERVER: url, HIVEGO_TOKEN: token };
    },
    apply: async (document) => {
      const file = join(data, `${document.name}.yaml`);
      writeFileSync(file, JSON.stringify(document));
      await hivego('apply', '-f', file);
    },
    /** A context of the browser in which the administrator is logged in. */
    logIn: async (browser, options) => {
      const context = await browser.newContext({ baseURL: url, locale: 'en-US', ...options });
      context.setDefaultTimeout(TIMEOUT);
      const login = await context.request.post('/api/v1/session', {
        data: { name: 'admin', password: PASSWORD },
        headers: { Origin: url },
      });
      if (!login.ok()) throw new Error(`log in: ${login.status()}`);
      return context;
    },
    stop: async () => {
      server.kill('SIGTERM');
      await Promise.race([exited, sleep(30_000)]);
      server.kill('SIGKILL');
      rmSync(data, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Calls cleanUp before the process ends by a signal. */
export function cleanUpAtSignals(cleanUp) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      void cleanUp().finally(() => process.exit(1));
    });
}
