import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, fits, openBrowser, Person, picture } from './harness/browser';
import { edit, openTask, publish } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('routes', () => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun();
    await server.executor('default'); // a second one in the group of the embedded executor
    await until('both executors are online', async () => {
      const { items } = await server.get<{ items: { state: string }[] }>('/executors');
      return items.length === 2 && items.every((one) => one.state === 'online');
    });
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'routed',
      jobs: [{ key: 'only', tasks: [{ key: 'work', handler: 'shell', params: { command: 'true' } }] }],
    });
    person = await Person.come(browser, server);
    await person.enter('/executors');
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('an administrator sets the route of a group; the drawer shows why an attempt went to its executor', async () => {
    const { page } = person;
    const group = page.getByRole('region', { name: /Group default/ });
    await group.getByText('Route: least loaded').waitFor();
    await group.getByRole('button', { name: 'Change the route… default' }).click();
    const dialog = page.getByRole('dialog', { name: 'Route of group default' });
    await dialog.getByLabel('Route', { exact: true }).selectOption('last');
    await dialog.getByText('The last executor by name.').waitFor();
    await dialog.getByLabel('Why (optional)').fill('the first one is small');
    await accessible(page, 'the dialog of a route');
    await picture(page, 'route-dialog');
    await dialog.getByRole('button', { name: 'Set the route' }).click();
    await dialog.waitFor({ state: 'detached' });
    await group.getByText('Route: always the last').waitFor();
    await group.getByText(/set by admin .* · the first one is small/).waitFor();
    await accessible(page, 'the groups with their routes');

    const id = await server.run('routed', { wait: true });
    await page.goto(`/batches/${String(id)}?task=work&tab=attempts`);
    const drawer = page.getByRole('region', { name: 'Task work' });
    await drawer.getByText('Why this executor').click();
    await drawer.getByText('Route of the group: always the last.').waitFor();
    const rows = drawer.getByRole('table', { name: 'Executors of the group when the attempt was offered' });
    await rows.getByRole('row', { name: /embedded 0 of \d+ chosen/ }).waitFor();
    await rows.getByRole('row', { name: /default 0 of \d+ free/ }).waitFor();
    await accessible(page, 'why an attempt went to its executor');
    await picture(page, 'route-why');
    await page.setViewportSize({ width: 390, height: 800 });
    await fits(page, 'why an attempt went to its executor');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('the editor has a form for the route of a task and of the schedule', async () => {
    const { page } = person;
    await edit(page, 'routed');
    await openTask(page, 'work');
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('Conditions on labels').fill('gpu>a');
    await page.locator('[data-field="selector"]').getByText('“gpu>a” is not a condition on labels.').waitFor();
    await page.getByLabel('Conditions on labels').fill('!gpu');
    await page.getByLabel('Which executor', { exact: true }).selectOption('consistent_hash');
    await page.getByText('The same key always has the same executor.').waitFor();
    await page.getByLabel('Route key').fill('tick.date');
    await page.getByLabel('Rejected at most, times').fill('3');
    await accessible(page, 'the form of a route');
    await picture(page, 'route-form');
    await publish(page, 2);
    const yaml = await server.hivego('export', 'routed');
    for (const line of ['selector: "!gpu"', 'route: consistent_hash', 'routeKey: tick.date', 'reject: {max: 3}'])
      expect(yaml).toContain(line);
    const id = await server.run('routed', { wait: true });
    const { items } = await server.get<{ items: { scheduling?: { key?: string } }[] }>(
      `/batches/${String(id)}/attempts`,
    );
    expect(items[0]?.scheduling?.key).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
});
