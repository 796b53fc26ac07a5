import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string;
  }
}

function listening(where: { port: number; host: string } | { path: string }): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(undefined);
    });
    server.listen(where, () => {
      resolve(server);
    });
  });
}

/**
 * Returns a port on which no process listens. It is below the range from which the kernel takes ports for connections.
 * Until this process ends, a socket with the port in its name reserves it against other callers of this function.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 1000; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const claim = await listening({ path: `\0hivego-test-port-${String(port)}` });
    if (!claim) continue;
    const server = await listening({ port, host: '127.0.0.1' });
    if (server) {
      await new Promise((resolve) => server.close(resolve));
      claim.unref();
      return port;
    }
    claim.close();
  }
  throw new Error('no port from 20000 to 32000 is free');
}

function binaries(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((v) => join(root, v, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  return found ? `${found}/` : '';
}

/** Starts one PostgreSQL for all tests, in a temporary folder, unless HIVEGO_TEST_POSTGRES_URL names one. */
export default async function setup(project: TestProject): Promise<() => void> {
  const given = process.env.HIVEGO_TEST_POSTGRES_URL;
  if (given) {
    project.provide('postgres', given);
    return () => undefined;
  }
  const dir = mkdtempSync(join(tmpdir(), 'hivego-ui-postgres-'));
  const bin = binaries();
  const root = process.getuid?.() === 0; // PostgreSQL refuses to run as root
  const run = (command: string, ...args: string[]) => {
    if (root)
      execFileSync('runuser', ['-u', 'postgres', '--', `${bin}${command}`, ...args], {
        cwd: dir,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
    else execFileSync(`${bin}${command}`, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  if (root) execFileSync('chown', ['postgres', dir]);
  const data = join(dir, 'data');
  const port = await freePort();
  run('initdb', '-D', data, '-U', 'hivego', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C');
  run(
    'pg_ctl',
    '-D',
    data,
    '-w',
    '-l',
    join(dir, 'log'),
    '-o',
    `-p ${String(port)} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`,
    'start',
  );
  project.provide('postgres', `postgres://hivego@127.0.0.1:${String(port)}/postgres?sslmode=disable`);
  return () => {
    run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
    rmSync(dir, { recursive: true, force: true });
  };
}
