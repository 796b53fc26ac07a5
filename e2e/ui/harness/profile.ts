import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM, FLAGS } from './browser';
import { PASSWORD, PATIENCE, until } from './server';

/** A browser with a profile that is kept on the disk, as a person's own is; it can be killed. */
export async function openProfile(
  folder: string,
  url: string,
): Promise<{
  page: Page;
  settled: (text: string) => Promise<unknown>;
  kill: () => Promise<void>;
  close: () => Promise<void>;
}> {
  const context: BrowserContext = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM,
    args: FLAGS,
    baseURL: url,
    locale: 'en-US',
    viewport: { width: 1280, height: 900 },
    timezoneId: 'Asia/Shanghai',
  });
  context.setDefaultTimeout(PATIENCE * 1000);
  const page = context.pages()[0] ?? (await context.newPage());
  // Who was logged in may have to log in again; what they did is there.
  await context.request.post('/api/v1/session', {
    data: { name: 'admin', password: PASSWORD },
    headers: { Origin: url },
  });
  return {
    page,
    // A browser writes the storage of pages to its disk within seconds. This waits until the text is written.
    settled: (text) =>
      until(`the browser has written "${text}" to its disk`, () => Promise.resolve(written(folder, text))),
    kill: async () => {
      const gone = new Promise((r) => context.once('close', r));
      // Chromium is known by its profile's folder; only this one has it.
      const own = execFileSync('pgrep', ['-f', '--', `--user-data-dir=${folder}`])
        .toString()
        .trim()
        .split('\n')
        .map(Number);
      for (const pid of own)
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          /* gone with its parent */
        }
      await gone;
    },
    close: () => context.close(),
  };
}

/** Whether a text that a page stores is in the browser's files, in either of the two encodings that Chromium uses. */
function written(folder: string, text: string): boolean {
  const kept = join(folder, 'Default', 'Local Storage', 'leveldb');
  try {
    return readdirSync(kept)
      .filter((name) => name.endsWith('.log') || name.endsWith('.ldb'))
      .some((name) => {
        const bytes = readFileSync(join(kept, name));
        return bytes.includes(Buffer.from(text, 'latin1')) || bytes.includes(Buffer.from(text, 'utf16le'));
      });
  } catch {
    return false; // the browser is just tidying up: the next look tells
  }
}
