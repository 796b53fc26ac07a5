import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
let batch = 0;

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'orders',
    timezone: 'America/New_York',
    triggers: [{ cron: '20 3 * * *' }],
    jobs: [{ key: 'load', tasks: [{ key: 'core', handler: 'shell', params: { command: 'true' } }] }],
  });
  batch = await server.run('orders', { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** The pages with times, and the zone that each has without a choice. The browser is in Shanghai. */
const MINE = 'Asia/Shanghai';
const pages = () =>
  [
    ['/', MINE],
    ['/batches', MINE],
    ['/backfills', MINE],
    ['/executors', MINE],
    ['/alerts', MINE],
    ['/secrets', MINE],
    ['/calendars', MINE],
    ['/reports', MINE],
    ['/forecast', MINE],
    ['/timeline', MINE],
    ['/schedules/orders/ticks', 'America/New_York'],
    ['/schedules/orders/runs', 'America/New_York'],
    ['/schedules/orders/chain', 'America/New_York'],
    ['/schedules/orders?view=history', 'America/New_York'],
    [`/batches/${String(batch)}`, 'America/New_York'],
    [`/batches/${String(batch)}?view=params`, 'America/New_York'],
  ] as const;

const zoneButton = (page: Page, zone: string) => page.getByRole('button', { name: `all times ${zone}` });

describe('one clock', () => {
  it('is named once on each page, and all pages follow the choice', async () => {
    const person = await Person.come(browser, server, { reducedMotion: true });
    const { page } = person;
    for (const [path, zone] of pages()) {
      await person.enter(path);
      await zoneButton(page, zone).waitFor();
      expect(await page.getByRole('button', { name: /^all times / }).count(), path).toBe(1);
    }
    const title = page.getByRole('heading', { level: 1 });
    const inNewYork = await title.textContent();
    await zoneButton(page, 'America/New_York').click();
    await page.getByRole('menuitem', { name: /^UTC/ }).click();
    await zoneButton(page, 'UTC').waitFor();
    const inUtc = await title.textContent();
    expect(inUtc).not.toBe(inNewYork);
    for (const [path] of pages()) {
      await person.enter(path);
      await zoneButton(page, 'UTC').waitFor();
    }
    // The batch has the same name in the list, and the tooltip has the other zones.
    await person.enter('/batches');
    const moment = page.getByRole('link', { name: /^orders/ }).locator('time');
    expect(await moment.textContent()).toBe(inUtc);
    await moment.hover();
    await page.getByRole('tooltip').getByText(`America/New_York`).waitFor();
    expect(await page.getByRole('tooltip').textContent()).toContain(inNewYork?.trim());
    expect(await page.getByRole('tooltip').textContent()).toContain(MINE);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it.each([
    { language: 'en', dark: false, width: 1280, height: 800 },
    { language: 'zh', dark: true, width: 390, height: 844 },
  ] as const)('fits and is accessible: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    for (const [path] of pages()) {
      const what = `clock/${path.replace(/\W+/g, '-')}-${appearance.language}`;
      await person.enter(path);
      await page.getByRole('button', { name: /^(all times|所有时间) / }).waitFor();
      await picture(page, what);
      await fits(page, what);
      await accessible(page, what);
    }
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
