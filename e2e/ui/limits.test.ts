import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';
import { textNames, worded } from './harness/texts';

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'load',
    jobs: [
      { key: 'only', tasks: [{ key: 'work', handler: 'shell', pool: { name: 'dw' }, params: { command: 'true' } }] },
    ],
  });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe('limits and pools', () => {
  it('an administrator makes a pool, pauses the server, and lets it go on', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter('/settings');
    await page.getByText('No limits', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'New pool…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('dw');
    await dialog.getByLabel('Slots', { exact: true }).fill('3');
    await dialog.getByLabel('Reason').fill('its connections');
    await accessible(page, 'the dialog of a pool');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Pool dw.*0 of 3.*its connections.*admin/ }).waitFor();

    await page.getByRole('button', { name: 'New limit…' }).click();
    await dialog.getByLabel('Tasks at the same time').fill('0');
    await dialog.getByLabel('Reason').fill('deploy');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Whole server.*paused; 0 still running.*deploy/ }).waitFor();

    // The batch waits and says why; home says it too.
    const id = await server.run('load');
    await page.goto('/');
    const paused = page.getByRole('status', { name: 'The server is paused: no task starts.' });
    await paused.getByText(/By admin.*: deploy\./).waitFor();
    await accessible(page, 'home while the server is paused');
    await picture(page, 'limits/paused');
    await paused.getByRole('link', { name: 'Change the limit' }).click();
    await page.getByRole('button', { name: 'Actions for Whole server' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No limits', { exact: true }).waitFor();
    expect((await server.ended(id)).state).toBe('succeeded');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it.each([
    { language: 'en', dark: false, width: 1280, height: 860 },
    { language: 'zh', dark: true, width: 390, height: 844 },
  ] as const satisfies Appearance[])('fit in $language at $width pixels', async (appearance) => {
    const { language, width } = appearance;
    await server.hivego('limit', 'tag', 'night', '5', '--reason', 'the warehouse is small');
    const person = await Person.come(browser, server, appearance);
    const { page } = person;
    await person.enter('/settings');
    await page.getByRole('row').nth(1).waitFor();
    await worded(page, textNames(), `limits in ${language}`);
    await fits(page, `limits in ${language}`);
    await accessible(page, `limits in ${language}`);
    await picture(page, `limits/${language}-${String(width)}`);
    await person.leave();
  });
});
