import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { edit, openTask, publish } from './harness/editor';
import { Server, until } from './harness/server';
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

const SCHEDULE = { apiVersion: 'hivego/v1', kind: 'Schedule' };

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

    await page.getByRole('button', { name: 'New pool…' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('dw');
    await dialog.getByLabel('Slots', { exact: true }).fill('1.5');
    await dialog.getByText('It exists already. Change it in the list.').waitFor();
    await dialog.getByText('A whole number, such as 3.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'New limit…' }).click();
    await dialog.getByLabel('Tasks at the same time').fill('0');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'For' }).click();
    await page.getByRole('option', { name: 'The whole server' }).click();
    await dialog.getByLabel('Reason').fill('deploy');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Whole server.*paused; 0 still running.*deploy/ }).waitFor();

    // The batch waits and says why; home says it too.
    const id = await server.run('load');
    await page.goto('/');
    const paused = page.getByRole('status', { name: 'The server is paused: no task starts.' });
    await paused.getByText(/By admin, .*: deploy\./).waitFor();
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

  it('an author gives a task a pool; while the task waits, its drawer says which one and who holds it', async () => {
    const work = { key: 'work', handler: 'shell', pool: { name: 'one' }, params: { command: server.gated('pool') } };
    await server.hivego('pools', 'set', 'one', '1', '--reason', 'it takes one session');
    await server.hivego('pools', 'set', 'closed', '0', '--reason', 'repair');
    await server.apply({ ...SCHEDULE, name: 'holder', jobs: [{ key: 'only', tasks: [work] }] });
    await server.apply({ ...SCHEDULE, name: 'author', jobs: [{ key: 'only', tasks: [{ ...work, pool: undefined }] }] });
    const holder = await server.run('holder');
    const person = await Person.come(browser, server, { height: 900 });
    const { page } = person;
    await person.enter();
    await edit(page, 'author');
    await openTask(page, 'work');
    await page.getByText('More', { exact: true }).click();
    const field = page.locator('[data-field="pool.name"]');
    await page.getByLabel('Pool', { exact: true }).click();
    await field.getByRole('option', { name: 'closed 0 of 0 taken' }).waitFor();
    await page.getByLabel('Pool', { exact: true }).fill('nowhere');
    await field.getByText('The server has no pool nowhere, so the task waits.').waitFor();
    await page.getByLabel('Pool', { exact: true }).fill('on');
    await field.getByRole('option', { name: /^one/ }).click();
    await field.getByText('1 of 1 taken').waitFor();
    await page.locator('[data-field="pool.slots"] input').fill('2');
    const slots = page.locator('[data-field="pool.slots"]');
    await slots.getByText('The task needs more slots than the pool one has (1), so it waits.').waitFor();
    await slots.locator('input').fill('1');
    await page.getByLabel('Priority', { exact: true }).fill('8');
    await accessible(page, 'the form of a pool');
    await picture(page, 'limits/form');
    await publish(page, 2);
    expect(await server.hivego('export', 'author')).toMatch(/pool: one\b/);

    const id = await server.run('author');
    await page.goto(`/batches/${String(id)}?task=work`);
    const drawer = page.getByRole('region', { name: 'Task work' });
    await drawer.getByText('It waits for slots of pool one: 1 of 1 are taken.').waitFor();
    await drawer.getByText('Set by admin: it takes one session').waitFor();
    const holders = drawer.getByRole('list', { name: 'Who holds the slots' });
    await holders.getByRole('link', { name: 'holder / work' }).waitFor();
    await accessible(page, 'a task that waits for a pool');
    await picture(page, 'limits/waits');
    await server.hivego('pools', 'set', 'one', '0', '--reason', 'repair');
    await drawer.getByText('Pool one has no slots now.').waitFor();
    await server.hivego('pools', 'set', 'one', '2');
    await until('the task runs', async () => (await server.batch(id)).tasks[0]?.state === 'running');
    server.open('pool');
    expect([(await server.ended(holder)).state, (await server.ended(id)).state]).toEqual(['succeeded', 'succeeded']);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it.each([
    { language: 'en', dark: false, width: 1280, height: 860 },
    { language: 'en', dark: true, width: 1280, height: 860 },
    { language: 'zh', dark: false, width: 1280, height: 860 },
    { language: 'en', dark: false, width: 390, height: 844 },
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
    await picture(page, `limits/${language}-${appearance.dark ? 'dark' : 'light'}-${String(width)}`);
    await person.leave();
  });
});
