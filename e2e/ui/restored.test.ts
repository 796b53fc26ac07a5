import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shows } from './harness/batch';
import { accessible, fits, type Appearance, openBrowser, Person, picture } from './harness/browser';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const one = (server: Server, name: string, command: string) =>
  server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name,
    jobs: [{ key: 'j', tasks: [{ key: 'load', handler: 'shell', params: { command } }] }],
  });

describe('a server whose database was restored', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.begun();
    await one(server, 'sales', 'echo of sales');
    await one(server, 'nightly', server.gated('nightly'));
    await one(server, 'stock', 'echo of stock');
    await server.run('sales', { wait: true });
    await server.halt();
    const file = join(server.data, 'hivego.db');
    copyFileSync(file, `${file}.backup`);
    await server.again();
    await server.run('sales', { wait: true });
    const running = await server.run('nightly');
    await until('the night runs', async () => (await server.batch(running)).tasks[0]?.state === 'running');
    await server.kill();
    for (const side of ['', '-wal', '-shm']) rmSync(file + side, { force: true });
    copyFileSync(`${file}.backup`, file);
    await server.again();
  });
  afterAll(async () => {
    await server.stop();
  });

  it('runs new tasks on its executors', async () => {
    const person = await Person.come(browser, server);
    const id = await server.run('stock', { wait: true });
    await person.enter(`/batches/${String(id)}`);
    await shows(person.page, 'load', 'succeeded');
    await person.page.goto(`/batches/${String(id)}?task=load&tab=log`);
    await person.page.getByText('of stock').first().waitFor();
    await person.leave();
  });

  it.each<Appearance>([
    { language: 'en', dark: false, width: 1280, height: 800 },
    { language: 'zh', dark: true, width: 390, height: 844 },
    { language: 'en', dark: true, width: 390, height: 844 },
    { language: 'zh', dark: false, width: 1280, height: 800 },
  ])('shows a notice on every page ($language, $width)', async (appearance) => {
    const person = await Person.come(browser, server, appearance);
    const { page } = person;
    for (const path of ['/', '/executors']) {
      if (path === '/') await person.enter(path);
      else await page.goto(path);
      const shown = page.getByRole('region', {
        name: appearance.language === 'zh' ? '数据库回到了过去' : 'The database went back',
      });
      await shown.waitFor();
      await until(
        'what was found is shown',
        async () => /nightly|已结束/.test(await shown.innerText()) || (await shown.locator('details').count()) > 0,
      );
      await shown.locator('summary').click();
      await shown.getByText('nightly').waitFor();
      await fits(page, 'a notice');
      await accessible(page, 'a notice');
      await picture(
        page,
        `restored/${path === '/' ? 'home' : 'executors'}-${appearance.language ?? ''}-${String(appearance.width)}`,
      );
    }
    await person.leave();
  });

  it('shows the notice until a user dismisses it', async () => {
    const person = await Person.come(browser, server);
    await person.enter('/');
    const shown = person.page.getByRole('region', { name: 'The database went back' });
    await shown.getByRole('button', { name: 'Dismiss' }).click();
    await shown.waitFor({ state: 'detached' });
    await person.page.reload();
    await person.page.getByRole('heading').first().waitFor();
    expect(await shown.count()).toBe(0);
    const { items } = await server.get<{ items: { dismissedBy: string; running: number }[] }>(
      '/notices?dismissed=true',
    );
    expect(items.map((n) => [n.dismissedBy, n.running])).toEqual([['admin', 1]]);
    await person.leave();
  });
});
