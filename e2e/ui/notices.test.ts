import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card, shows } from './harness/batch';
import { openBrowser, Person, picture } from './harness/browser';
import { cardOf, drag, edit, openTask, still } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const shell = (key: string, command: string) => ({ key, handler: 'shell', params: { command } });
const bottomOf = async (place: Locator) => {
  const { y, height } = await still(place);
  return y + height;
};

describe('a notice over a graph', () => {
  let server: Server;
  let gate: string;
  beforeAll(async () => {
    server = await Server.begun();
    gate = mkdtempSync(join(tmpdir(), 'hivego-ui-gate-'));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(gate, { recursive: true, force: true });
  });

  it('moves no card of a batch, and covers none for good', async () => {
    const wait = (name: string) => `until [ -e ${join(gate, name)} ]; do sleep 0.05; done`;
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'gated',
      jobs: [{ key: 'all', tasks: [shell('bad', `${wait('bad')}; exit 1`), shell('slow', wait('slow'))] }],
    });
    const id = await server.run('gated');
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter(`/batches/${String(id)}`);
    await shows(page, 'bad', 'running');
    await shows(page, 'slow', 'running');
    const before = await still(card(page, 'slow'));
    const tab = await still(page.getByRole('link', { name: 'Table' }));
    writeFileSync(join(gate, 'bad'), '');
    const notice = page.locator('section', { hasText: '1 task failed' });
    await notice.waitFor();
    expect(await still(card(page, 'slow'))).toEqual(before);
    expect(await bottomOf(notice)).toBeLessThanOrEqual(before.y);
    expect(await still(page.getByRole('link', { name: 'Table' }))).toEqual(tab);
    await picture(page, 'notices/batch');

    // A drag moves a card out from under it. "Show all" and a reload place all cards below it.
    await drag(page, { x: before.x, y: before.y + 200 }, { x: before.x, y: before.y + 400 });
    expect((await still(card(page, 'slow'))).y).toBeGreaterThanOrEqual(await bottomOf(notice));
    await page.getByRole('button', { name: 'Show all' }).click();
    expect((await still(card(page, 'slow'))).y).toBeGreaterThanOrEqual(await bottomOf(notice));
    await page.reload();
    await notice.waitFor();
    expect((await still(card(page, 'slow'))).y).toBeGreaterThanOrEqual(await bottomOf(notice));

    // Above a table it has its own space.
    await page.getByRole('link', { name: 'Table' }).click();
    expect((await still(page.getByRole('textbox', { name: 'Find tasks' }))).y).toBeGreaterThanOrEqual(
      await bottomOf(notice),
    );
    writeFileSync(join(gate, 'slow'), '');
    await server.ended(id);
    await person.leave();
  });

  it('moves no card in the editor', async () => {
    const doc = (command: string) => ({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'shown',
      jobs: [{ key: 'all', tasks: [shell('one', command), shell('two', 'true')] }],
    });
    await server.apply(doc('true'));
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter();
    await edit(page, 'shown');
    // The selected card does not move either, though the view moves for it when it is covered.
    await openTask(page, 'two');
    const before = await still(cardOf(page, 'two'));
    await server.apply(doc('echo of somebody else'));
    const notice = page.locator('section', { hasText: 'published v2' });
    await notice.waitFor();
    expect(await still(cardOf(page, 'two'))).toEqual(before);
    expect(await bottomOf(notice)).toBeLessThanOrEqual(before.y);
    await picture(page, 'notices/editor');
    // The palette beside it stays usable.
    await page.getByRole('button', { name: /^Add a task: HTTP/ }).click({ trial: true });
    await notice.getByRole('button', { name: 'Show it' }).click();
    await until('it is gone', async () => (await notice.count()) === 0);
    expect(await still(cardOf(page, 'two'))).toEqual(before);
    await person.leave();
  });
});
