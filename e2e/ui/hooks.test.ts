import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { edit, publish, yamlOf } from './harness/editor';
import { Server, until } from './harness/server';

const shell = (command: string) => ({ handler: 'shell', params: { command } });

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'nightly',
    onFailure: [shell('echo the mail about $HIVEGO_EVENT_TASK')],
    jobs: [
      { key: 'load', tasks: [{ key: 'a', ...shell('exit 4'), onEnd: [shell('echo cleaned up after a; exit 5')] }] },
    ],
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

describe('hooks', () => {
  it('stand beside what they follow, with their logs one click away', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    const id = await server.run('nightly');
    await page.goto(`/batches/${String(id)}`);
    const hooks = page.getByRole('group', { name: 'Hooks', exact: true });
    await hooks.getByRole('link', { name: 'Hooks of the batch, round 1: succeeded' }).click();
    await page.getByText('the mail about a').waitFor();
    await page.getByRole('link', { name: `follows batch #${String(id)}` }).click();

    await page.goto(`/batches/${String(id)}?task=a`);
    const region = page.getByRole('region', { name: 'Task a' });
    await region.getByRole('link', { name: 'Hooks after failed, round 1: failed' }).waitFor();
    await accessible(page, 'the task with its hooks');
    await picture(page, 'hooks/task');
    await region.getByRole('link', { name: 'Hooks after failed, round 1: failed' }).click();
    await page.getByText('cleaned up after a').waitFor();
    expect(await hooks.count()).toBe(0);
    await ada.leave();
  });

  it('are made in the editor', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    await edit(page, 'nightly', '?view=settings');
    await page.getByRole('button', { name: 'add a hook after a success' }).click();
    const form = page.getByRole('group', { name: 'After a success, 1' });
    await form.getByRole('combobox', { name: 'Handler' }).waitFor();
    await form.locator('.cm-content').first().click();
    await page.keyboard.type('echo all is well');
    await form.getByRole('textbox', { name: 'Timeout' }).first().fill('30');
    await accessible(page, 'the form of hooks');
    await picture(page, 'hooks/editor');
    await page
      .getByText(/^saved/)
      .first()
      .waitFor();
    await publish(page, 2);
    await edit(page, 'nightly', '?view=yaml');
    await until('the hook is in the YAML', async () => {
      const text = await yamlOf(page);
      return text.includes('onSuccess:') && text.includes('echo all is well') && text.includes('timeout: 30s');
    });
    await ada.leave();
  });

  it.each(APPEARANCES)('look good: $language, dark $dark, $width px', async (appearance) => {
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    await ada.enter();
    const name = `hooks/${appearance.language}-${String(appearance.width)}`;
    await page.goto('/batches/1?task=a');
    await page.locator('a[href*="onEnd-1"]').waitFor();
    await fits(page, 'the task');
    await accessible(page, 'the task');
    await picture(page, `${name}-task`);
    await edit(page, 'nightly', '?view=settings');
    await page.locator('[data-field="onFailure[0]"]').scrollIntoViewIfNeeded();
    await fits(page, 'the settings');
    await accessible(page, 'the settings');
    await picture(page, `${name}-settings`);
    await ada.leave();
  });
});
