import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { edit, publish } from './harness/editor';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'files',
    params: { region: 'east' },
    jobs: [{ key: 'load', tasks: [{ key: 'a', handler: 'shell', params: { command: 'echo region=$region' } }] }],
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

describe('a webhook', () => {
  it('is added in the editor, gets a secret on the page of the ticks, and makes a batch when called', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    await edit(page, 'files', '?view=settings');
    await page.getByRole('button', { name: 'Add a trigger' }).click();
    await page.getByLabel('Unit of the cycle').selectOption('when a program calls');
    await page.getByLabel('Name of the webhook').fill('ready');
    await page.getByRole('button', { name: 'Take a parameter from the body' }).click();
    await page.getByLabel('Path in the body').fill('/order/region');
    await picture(page, 'webhooks/editor');
    await page
      .getByText(/^saved/)
      .first()
      .waitFor();
    await publish(page, 2);

    await page.goto('/schedules/files/ticks');
    const webhooks = page.getByRole('region', { name: 'Webhooks' });
    await webhooks.getByText('It has no secret yet').waitFor();
    await webhooks.getByRole('button', { name: 'Make a secret for ready' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make the secret' }).click();
    const secret = (await dialog.getByText(/^hgw_/).textContent()) ?? '';
    await dialog.getByText(/^curl /).waitFor();
    await picture(page, 'webhooks/secret');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await webhooks.getByText('The secret is from').waitFor();

    const address = new URL('/hooks/files/ready', page.url());
    const headers = { Authorization: `Bearer ${secret}` };
    const called = await fetch(address, { method: 'POST', headers, body: '{"order":{"region":"west"}}' });
    expect(called.status).toBe(202);
    await page.getByRole('link', { name: '#1', exact: true }).click();
    await page.getByRole('link', { name: 'Parameters' }).click();
    await page.getByText('west', { exact: true }).first().waitFor();
    await picture(page, 'webhooks/batch');
    await ada.leave();
  });

  it.each(APPEARANCES)('fits in $language at $width pixels', async (appearance) => {
    const name = `webhooks/${appearance.language}-${String(appearance.width)}`;
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    await ada.enter('/schedules/files/ticks');
    await page.getByText('POST /hooks/files/ready').waitFor();
    await fits(page, `webhooks in ${appearance.language}`);
    await accessible(page, `webhooks in ${appearance.language}`);
    await picture(page, `${name}-ticks`);
    await page.getByRole('button', { name: appearance.language === 'en' ? /^New secret…/ : /^更换密钥…/ }).click();
    await page.getByRole('dialog').waitFor();
    await accessible(page, `the secret in ${appearance.language}`);
    await picture(page, `${name}-dialog`);
    await page.goto('/schedules/files?view=settings');
    await page.getByLabel(appearance.language === 'en' ? 'Name of the webhook' : 'webhook 名称').waitFor();
    await fits(page, `the webhook in the editor in ${appearance.language}`);
    await picture(page, `${name}-editor`);
    await ada.leave();
  });
});
