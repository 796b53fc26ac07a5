import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM, FLAGS } from './browser';
import { PASSWORD, PATIENCE, until } from './server';

/** Opens a browser whose profile is stored in a folder and outlives it. The browser can be killed. */
export async function openProfile(
  folder: string,
  url: string,
): Promise<{
  page: Page;
  stored: (text: string) => Promise<unknown>;
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
  // The profile keeps drafts, but the session may have ended.
  await context.request.post('/api/v1/session', {
    data: { name: 'admin', password: PASSWORD },
    headers: { Origin: url },
  });
  return {
    page,
    // A browser writes the storage of its pages to the disk within seconds. This waits until it has written the text.
    stored: (text) =>
      until(`the browser has written "${text}" to its disk`, () => Promise.resolve(written(folder, text))),
    kill: async () => {
      const gone = new Promise((r) => context.once('close', r));
      // The profile's folder identifies the processes of this browser.
      const own = execFileSync('pgrep', ['-f', '--', `--user-data-dir=${folder}`])
        .toString()
        .trim()
        .split('\n')
        .map(Number);
      for (const pid of own)
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          /* it has ended with its parent */
        }
      await gone;
    },
    close: () => context.close(),
  };
}

/** Whether a text that a page stores is in the browser's files, in either of the two encodings that Chromium uses. */
function written(folder: string, text: string): boolean {
  const storage = join(folder, 'Default', 'Local Storage', 'leveldb');
  try {
    return readdirSync(storage)
      .filter((name) => name.endsWith('.log') || name.endsWith('.ldb'))
      .some((name) => {
        const bytes = readFileSync(join(storage, name));
        return bytes.includes(Buffer.from(text, 'latin1')) || bytes.includes(Buffer.from(text, 'utf16le'));
      });
  } catch {
    return false; // the browser has just replaced a file; the caller tries again
  }
}
