import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;
let failed: number;
let large: number;

const folder = mkdtempSync(join(tmpdir(), 'hivego-timeline-'));
const good = join(folder, 'good');
const again = join(folder, 'again');
const loaded = join(folder, 'loaded');

const shell = (key: string, command: string, more: object = {}) => ({
  key,
  handler: 'shell',
  params: { command },
  ...more,
});

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'night',
    jobs: [
      {
        key: 'extract',
        title: 'Extract',
        tasks: [
          // Orders end last, however slow the machine is.
          shell('orders', `until test -e ${loaded}; do sleep 0.05; done; rm ${loaded}; sleep 0.5`),
          shell('bins', `touch ${loaded}`),
          shell('carriers', `test -e ${again} || { touch ${again}; exit 1; }`, { retry: { max: 1, delay: '1s' } }),
        ],
      },
      { key: 'load', title: 'Load', tasks: [shell('core', `test -e ${good}`, { needs: ['orders', 'bins'] })] },
      { key: 'publish', title: 'Publish', tasks: [shell('mart', 'true', { needs: ['core'] })] },
    ],
  });
  writeFileSync(good, '');
  await server.run('night', { wait: true });
  rmSync(good);
  rmSync(again);
  failed = await server.run('night', { wait: true });
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'large',
    jobs: [
      { key: 'one', tasks: Array.from({ length: 60 }, (_, n) => shell(`a${String(n)}`, 'true')) },
      { key: 'two', tasks: Array.from({ length: 60 }, (_, n) => shell(`b${String(n)}`, 'true', { needs: ['a0'] })) },
    ],
  });
  large = await server.run('large', { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('the timeline of a batch', () => {
  it.each(APPEARANCES)('fits and is accessible: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    await person.enter('/batches');
    for (const [what, id] of [
      ['failed', failed],
      ['folded', large],
    ] as const) {
      await page.goto(`/batches/${String(id)}?view=timeline`);
      await page
        .getByRole('button', { name: appearance.language === 'en' ? /^Job / : /^作业 / })
        .first()
        .waitFor();
      await picture(page, `timeline/${what}-${appearance.language}-${String(appearance.width)}`);
      await fits(page, what);
      await accessible(page, what);
    }
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('says where the time went, and is searched and folded by keys', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter(`/batches/${String(failed)}?view=timeline`);
    const rows = page.getByRole('list', { name: 'When each task ran' });
    const task = (text: RegExp) => rows.getByRole('button', { name: text });
    await task(/^orders: succeeded, started .*, took .*, usually .*, on the critical path/).waitFor();
    await task(/^carriers: succeeded, .*, 2 attempts, .*paused 00:01 before a retry/).waitFor();
    await task(/^core: failed, exit code 1, .*on the critical path/).waitFor();
    await task(/^mart: skipped, because of core, usually/).waitFor();
    await page.getByRole('group', { name: 'The critical path' }).getByText('To the failure').waitFor();

    const job = task(/^Job Extract, 3 tasks/);
    await job.focus();
    await page.keyboard.press('ArrowLeft');
    await until('the job is folded', async () => (await job.getAttribute('aria-expanded')) === 'false');
    expect(await task(/^orders:/).count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await until('the next row has the focus', () =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.startsWith('orders:')),
    );

    await page.getByText('Failed first').click();
    await page.waitForURL(/sort=failed/);
    await until('the failed task is first', async () =>
      (await rows.getByRole('button').first().getAttribute('aria-label'))?.startsWith('core: failed'),
    );
    await page.keyboard.press('Escape');
    await page.getByPlaceholder('Find tasks').fill('mart');
    await page.waitForURL(/q=mart/);
    await until('one row is left', async () => (await rows.getByRole('button').count()) === 1);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('folds the jobs of many tasks, except the one of the task in the address', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter(`/batches/${String(large)}?view=timeline&task=b7`);
    const job = (name: string) => page.getByRole('button', { name: new RegExp(`^Job ${name}, 60 tasks`) });
    await job('one').waitFor();
    expect(await job('one').getAttribute('aria-expanded')).toBe('false');
    expect(await job('two').getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', { name: /^b7: succeeded/, pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Fold all' }).click();
    await until('all are folded', async () => (await job('two').getAttribute('aria-expanded')) === 'false');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
