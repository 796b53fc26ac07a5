import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext { postgres: string }
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => { resolve(typeof address === 'object' && address ? address.port : 0); });
    });
  });
}

function binaries(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((v) => join(root, v, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  return found ? `${found}/` : '';
}

/** Starts a PostgreSQL for all tests in a folder of its own, or takes that of HIVEGO_TEST_POSTGRES_URL. */
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
    if (root) execFileSync('runuser', ['-u', 'postgres', '--', `${bin}${command}`, ...args], { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
    else execFileSync(`${bin}${command}`, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  if (root) execFileSync('chown', ['postgres', dir]);
  const data = join(dir, 'data');
  const port = await freePort();
  run('initdb', '-D', data, '-U', 'hivego', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C');
  run('pg_ctl', '-D', data, '-w', '-l', join(dir, 'log'), '-o', `-p ${String(port)} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`, 'start');
  project.provide('postgres', `postgres://hivego@127.0.0.1:${String(port)}/postgres?sslmode=disable`);
  return () => {
    run('pg_ctl', '-D', data, '-m', 'immediate', 'stop');
    rmSync(dir, { recursive: true, force: true });
  };
}
