import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
let failed = 0;

const MANY = 130;

const schedule = (name: string, command: string, more: object = {}) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  ...more,
  jobs: [
    { key: 'load', tasks: [{ key: 'core', handler: 'shell', params: { command } }] },
    { key: 'publish', tasks: [{ key: 'mart', handler: 'shell', params: { command: 'true' } }] },
  ],
});

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply(schedule('warehouse', 'exit 3', { triggers: [{ cron: '0 * * * *' }] }));
  failed = await server.run('warehouse', { wait: true });
  for (let n = 0; n < MANY; n++) await server.apply(schedule(`mart-${String(n).padStart(3, '0')}`, 'true'));
  await server.run('mart-100', { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('all schedules on one axis', () => {
  it.each(APPEARANCES)('fit and are accessible: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    await person.enter(`/timeline?batch=${String(failed)}&of=warehouse`);
    await page.getByRole('listitem').filter({ hasText: 'core' }).first().waitFor();
    const what = `axis/${appearance.language}-${String(appearance.width)}`;
    await picture(page, what);
    await fits(page, what);
    await accessible(page, what);
    await page.getByRole('searchbox').fill('nothing has this name');
    await page.getByText(appearance.language === 'en' ? 'No schedule has this text' : '没有名称包含').waitFor();
    await accessible(page, `${what}-none`);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('open from the night, show only the rows in view, and keep window, search and batch in the address', async () => {
    const person = await Person.come(browser, server, { reducedMotion: true });
    const { page } = person;
    await person.enter('/');
    await page.getByText('±3 h').click();
    await page.getByRole('link', { name: 'all on one axis' }).click();
    await page.waitForURL('**/timeline?hours=3');
    const axis = page.getByRole('application');
    // What failed comes first. Of the 130 others, only those in view are drawn.
    await axis.getByRole('link', { name: 'warehouse' }).waitFor();
    expect(await axis.getByRole('link').first().textContent()).toBe('warehouse');
    expect(await axis.getByRole('link').count()).toBeLessThan(70);

    await axis.focus();
    await page.keyboard.press('Home');
    await page
      .getByRole('status')
      .filter({ hasText: /^warehouse, .*: failed · nobody has settled it/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/timeline?hours=3&batch=${String(failed)}&of=warehouse`);
    const tasks = page.getByRole('list', { name: `Tasks of batch #${String(failed)}` });
    await tasks.getByRole('button', { name: /^core: failed/ }).waitFor();
    await axis.focus();
    await page.keyboard.press('Escape');
    await tasks.waitFor({ state: 'detached' });

    await axis.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await axis.getByRole('link', { name: `mart-${String(MANY - 1)}` }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('mart-1');
    await page.getByText('30 schedules').waitFor();
    await page.waitForURL('**/timeline?hours=3&q=mart-1');
    await axis.focus();
    await page.keyboard.press('+');
    await page.waitForURL(/from=.*to=.*q=mart-1|q=mart-1.*from=/);
    await page.reload();
    await axis.getByRole('link', { name: 'mart-100' }).waitFor();
    expect(await axis.getByRole('link', { name: 'warehouse' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.waitForURL('**/timeline?q=mart-1');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
