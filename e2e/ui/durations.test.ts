import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card, shows } from './harness/batch';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { Server, until } from './harness/server';

const folder = mkdtempSync(join(tmpdir(), 'hivego-durations-'));
const slow = join(folder, 'slow');

let browser: Browser;
let server: Server;
const ids: number[] = [];
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'daily',
    jobs: [
      {
        key: 'load',
        tasks: [
          { key: 'orders', handler: 'shell', params: { command: `test ! -e ${slow} || sleep 2.5` } },
          { key: 'prices', handler: 'shell', params: { command: 'true' } },
        ],
      },
    ],
  });
  for (let n = 0; n < 3; n++) ids.push(await server.run('daily', { wait: true }));
  writeFileSync(slow, '');
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe('how long a task takes', () => {
  it('stands beside the usual, with a sign if it is unusually long: card, table and phone', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter(`/batches/${String(ids[0])}`);
    await shows(page, 'orders', 'succeeded');
    // Nothing ran before the first batch. A fast machine takes less than a millisecond.
    expect(await card(page, 'orders').textContent()).toMatch(/succeeded · (\d+|< 1) ms/);

    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('usual-runs')) requests.push(request.url());
    });
    const id = await server.run('daily');
    await page.goto(`/batches/${String(id)}`);
    await shows(page, 'prices', 'succeeded');
    await card(page, 'prices')
      .getByText(/ms · usually (\d+|< 1) ms/)
      .waitFor();
    await card(page, 'orders').locator('[data-slow]').waitFor();
    await server.ended(id);
    await shows(page, 'orders', 'succeeded');
    await card(page, 'orders').getByText(/00:02/).waitFor();
    expect(await card(page, 'orders').textContent()).toMatch(
      /succeeded longer than usual 00:02 · usually (\d+|< 1) ms/,
    );
    expect(await card(page, 'prices').locator('[data-slow]').count()).toBe(0);
    await accessible(page, 'cards with the usual duration');
    await picture(page, 'durations-cards');

    await page.getByRole('link', { name: 'Table', exact: true }).click();
    const row = page.getByRole('row', { name: /orders/ });
    await row.locator('[data-slow]').waitFor();
    expect(await row.locator('td[title^="usually "]').count()).toBe(1);
    await page.getByRole('link', { name: 'Timeline', exact: true }).click();
    await page.locator('[data-slow]').first().waitFor();
    expect(requests).toHaveLength(1);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/batches/${String(id)}`);
    await page.getByRole('button', { name: /2 tasks succeeded/ }).click();
    await until('the list says the usual', async () =>
      /longer than usual 00:02 · usually (\d+|< 1) ms/.test((await page.locator('main').textContent()) ?? ''),
    );
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
