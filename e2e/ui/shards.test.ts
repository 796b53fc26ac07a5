import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';
import { textNames, worded } from './harness/texts';

let browser: Browser;
let server: Server;

const schedule = (name: string, shard: unknown, command: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  jobs: [{ key: 'only', tasks: [{ key: 'copy', handler: 'shell', shard, params: { command } }] }],
});

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  const failing =
    'echo "part $HIVEGO_SHARD_INDEX"; [ "$HIVEGO_SHARD_INDEX" != 1 ] || [ -e again ] || { touch again; exit 3; }';
  await server.apply(schedule('few', { count: 3 }, failing));
  await server.apply(schedule('many', { count: 500 }, 'true'));
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe('shards', () => {
  it('a person sees which shard failed, reads its log, and runs only that one again', async () => {
    const id = await server.run('few');
    expect((await server.ended(id)).state).toBe('failed');
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter(`/batches/${String(id)}`);
    await page.getByText('2/3', { exact: true }).waitFor();
    await page.goto(`/batches/${String(id)}?task=copy`);
    const drawer = page.getByRole('region', { name: /copy/ });
    await drawer.getByText('2 of 3 shards done').waitFor();
    await accessible(page, 'the shards of a task');
    await picture(page, 'shards/few');
    await drawer.getByRole('button', { name: /^Shard 1/ }).click();
    await drawer.getByText('part 1').waitFor();
    await drawer.getByText('Shard 1 of 3, counted from 0').waitFor();
    await accessible(page, 'a shard');
    await drawer.getByRole('button', { name: 'Rerun…' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('copy.1', { exact: true }).waitFor();
    await dialog
      .getByRole('button', { name: /Rerun|Run/ })
      .last()
      .click();
    expect((await server.ended(id)).state).toBe('succeeded');
    await drawer.getByRole('button', { name: 'All shards' }).click();
    await drawer.getByText('3 of 3 shards done').waitFor();
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it.each([
    { language: 'en', dark: true, width: 1280, height: 860 },
    { language: 'zh', dark: false, width: 390, height: 844 },
  ] as const satisfies Appearance[])(
    'unfold in table and timeline in $language at $width pixels',
    async (appearance) => {
      const { language, width } = appearance;
      const id = await server.run('few');
      await server.ended(id);
      const person = await Person.come(browser, server, appearance);
      const { page } = person;
      for (const view of ['table', 'timeline']) {
        await person.enter(`/batches/${String(id)}?view=${view}&task=copy.1`);
        await page.getByText('copy.1', { exact: true }).first().waitFor();
        await worded(page, textNames(), `unfolded shards in the ${view} in ${language}`);
        await fits(page, `unfolded shards in the ${view} in ${language}`);
        await accessible(page, `unfolded shards in the ${view}`);
        await picture(page, `shards/${view}-${language}-${String(width)}`);
      }
      expect(person.errors).toEqual([]);
      await person.leave();
    },
  );

  it.each([
    { language: 'en', dark: false, width: 1280, height: 860 },
    { language: 'zh', dark: true, width: 390, height: 844 },
  ] as const satisfies Appearance[])('fit in $language at $width pixels, with 500 of them', async (appearance) => {
    const { language, width } = appearance;
    const id = await server.run('many');
    expect((await server.ended(id)).state).toBe('succeeded');
    const person = await Person.come(browser, server, appearance);
    const { page } = person;
    await person.enter(`/batches/${String(id)}?task=copy`);
    await page.locator('[aria-setsize="500"]').first().waitFor();
    expect(await page.locator('[aria-setsize="500"]').count()).toBeLessThan(60);
    await worded(page, textNames(), `shards in ${language}`);
    await fits(page, `shards in ${language}`);
    await picture(page, `shards/many-${language}-${String(width)}`);
    await person.leave();
  });
});
