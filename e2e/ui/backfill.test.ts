import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'nightly',
    params: { region: 'east' },
    triggers: [{ cron: '30 2 * * *' }],
    jobs: [
      {
        key: 'load',
        tasks: [{ key: 'orders', handler: 'shell', params: { command: server.gated('orders') } }],
      },
    ],
  });
  const job = (key: string, command: string) => ({
    key: 'load',
    tasks: [{ key, handler: 'shell', params: { command } }],
  });
  const head = { apiVersion: 'hivego/v1', kind: 'Schedule' };
  await server.apply({
    ...head,
    name: 'orders',
    triggers: [{ cron: '0 */8 * * *' }],
    jobs: [job('hour', server.gated('hours'))],
  });
  await server.apply({
    ...head,
    name: 'mart',
    triggers: [{ cron: '30 23 * * *', after: [{ schedule: 'orders', window: 'same_day' }] }],
    jobs: [job('day', 'true')],
  });
  await server.apply({
    ...head,
    name: 'mail',
    triggers: [{ cron: '45 23 * * *', after: [{ schedule: 'mart', window: 'same_day' }] }],
    jobs: [job('send', 'true')],
  });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('a backfill', () => {
  it('is made in the menu of a schedule, and is followed to its end', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    await page.getByRole('button', { name: 'More for nightly' }).click();
    await page.getByRole('menuitem', { name: 'Backfill…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('7 moments').waitFor();
    await dialog.getByText('Newest first').click();
    await dialog.getByLabel('Batches at once').fill('3');
    await dialog.getByRole('button', { name: 'Run 7 batches' }).click();

    const strip = page.getByRole('region', { name: 'Backfill #1' });
    await strip.getByText('3 running').waitFor();
    await strip.getByText('4 waiting').waitFor();
    expect(page.url()).toContain('/batches?backfill=1');
    await strip.getByRole('button', { name: 'Pause' }).click();
    await strip.getByText('paused').waitFor();
    server.open('orders');
    await strip.getByText('3 of 7').waitFor();
    await strip.getByRole('button', { name: 'Continue' }).click();
    await strip.getByText('7 of 7').waitFor();
    await strip.getByText('done').waitFor();
    const batches = page.getByRole('link', { name: /^nightly / });
    await batches.nth(6).waitFor();
    expect(await batches.count()).toBe(7);
    await ada.leave();
  });

  it('fills the schedules that wait for it', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter('/backfills?schedule=orders');
    await page.getByRole('button', { name: 'Backfill…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('21 moments').waitFor();
    await dialog.getByLabel('Fill the schedules that wait for it too').check();
    const moments = dialog.getByRole('list', { name: 'Moments by schedule' });
    await moments.getByText('mart').waitFor();
    await accessible(page, 'the dialog with dependants');
    await picture(page, 'backfill/en-1280-dependants-dialog');
    await dialog.getByLabel('Batches at once').fill('4');
    await dialog.getByRole('button', { name: 'Run 35 batches' }).click();
    const strip = page.getByRole('region', { name: 'Backfill #2' });
    await strip.getByText('4 running').first().waitFor();
    const lines = strip.getByRole('list', { name: 'Its schedules' });
    await lines.getByText('0 of 21').waitFor();
    await accessible(page, 'the progress of schedules');
    await picture(page, 'backfill/en-1280-dependants');
    server.open('hours');
    await strip.getByText('35 of 35').waitFor();
    await strip.getByText('done').waitFor();
    await lines.getByText('7 of 7').nth(1).waitFor();
    await ada.leave();
  });

  it.each(APPEARANCES)('fits in $language at $width pixels', async (appearance) => {
    const name = `backfill/${appearance.language}-${String(appearance.width)}`;
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    await ada.enter('/backfills');
    await page.getByRole('region').first().waitFor();
    await fits(page, `the backfills in ${appearance.language}`);
    await accessible(page, `the backfills in ${appearance.language}`);
    await picture(page, `${name}-list`);
    await page.goto('/batches?backfill=1');
    await page.getByRole('region').first().waitFor();
    await fits(page, `the batches of one in ${appearance.language}`);
    await picture(page, `${name}-batches`);
    await page.goto('/backfills?schedule=nightly');
    await page.getByRole('button', { name: appearance.language === 'en' ? 'Backfill…' : '补数…' }).click();
    await page.getByRole('dialog').getByText(/7/).first().waitFor();
    await accessible(page, `the dialog in ${appearance.language}`);
    await fits(page, `the dialog in ${appearance.language}`);
    await picture(page, `${name}-dialog`);
    await ada.leave();
  });
});
