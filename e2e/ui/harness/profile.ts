import { execFileSync } from 'node:child_process';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM, FLAGS } from './browser';
import { PASSWORD } from './server';

/** A browser with a profile that is kept on the disk, as a person's own is; it can be killed. */
export async function openProfile(folder: string, url: string): Promise<{ page: Page; settled: () => Promise<void>; kill: () => Promise<void>; close: () => Promise<void> }> {
  const context: BrowserContext = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM, args: FLAGS, baseURL: url, locale: 'en-US', viewport: { width: 1280, height: 900 }, timezoneId: 'Asia/Shanghai',
  });
  const page = context.pages()[0] ?? await context.newPage();
  // Who was logged in may have to log in again; what they did is there.
  await context.request.post('/api/v1/session', { data: { name: 'admin', password: PASSWORD }, headers: { Origin: url } });
  return {
    page,
    // A browser writes what pages keep to its disk within seconds of its own: what is asked for here is written by then.
    settled: async () => {
      const size = () => execFileSync('du', ['-sb', folder]).toString();
      let last = '';
      for (let same = 0; same < 3;) {
        await new Promise((r) => setTimeout(r, 1000));
        const now = size();
        same = now === last ? same + 1 : 0;
        last = now;
      }
    },
    kill: async () => {
      const gone = new Promise((r) => context.once('close', r));
      // Chromium is known by its profile's folder; only this one has it.
      const own = execFileSync('pgrep', ['-f', '--', `--user-data-dir=${folder}`]).toString().trim().split('\n').map(Number);
      for (const pid of own) try { process.kill(pid, 'SIGKILL'); } catch { /* gone with its parent */ }
      await gone;
    },
    close: () => context.close(),
  };
}
