import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { edit, replaceIn } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;
let person: Person;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), Server.begun()]);
  person = await Person.come(browser, server, { height: 900 });
  page = person.page;
  await person.enter();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'yaml',
    jobs: [
      { key: 'load', tasks: [{ key: 'one', title: 'The first', handler: 'shell', params: { command: 'echo 1' } }] },
      { key: 'mart', tasks: [{ key: 'two', handler: 'shell', params: { command: 'echo 2' } }] },
    ],
  });
});
afterAll(async () => {
  await person.leave();
  await browser.close();
  await server.stop();
});

const HEAD = `apiVersion: hivego/v1
kind: Schedule
name: yaml
jobs:
  - key: load
    tasks:
      - {key: one, title: The first, handler: shell, params: {command: echo 1}}
  - key: mart
    tasks:
      - key: two
        handler: shell
`;
const list = () => page.getByRole('listbox', { name: 'Completions' });
const offered = () =>
  list()
    .getByRole('option')
    .evaluateAll((all) => all.map((one) => one.querySelector('.cm-completionLabel')?.textContent ?? ''));
const editor = () => page.locator('.cm-content');
const text = () =>
  editor().evaluate((content) => [...content.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));

/** Takes the first completion. The editor ignores Enter for the first 75 ms of a list, which protects fast typists. */
async function accept(): Promise<void> {
  await page.waitForTimeout(150);
  await page.keyboard.press('Enter');
}

describe('completion in the YAML view', () => {
  it('offers keys and values by the schema, with their description', async () => {
    await edit(page, 'yaml', '?view=yaml');
    await editor().waitFor();
    await replaceIn(editor(), HEAD);
    await page.keyboard.type('        ret');
    await list().waitFor();
    expect((await offered())[0]).toBe('retry');
    await page.locator('.cm-completionInfo').getByText('New attempts after failures, in the same round.').waitFor();
    await picture(page, 'editor/complete');
    await accept();
    await page.keyboard.type('ma');
    await until('its fields are offered', async () => (await offered()).join() === 'max,maxDelay');
    await accept();
    await page.keyboard.type('2\n');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('nee');
    await list().waitFor();
    await accept();
    await page.keyboard.type('o');
    await until('earlier tasks are offered', async () => (await offered()).join() === 'one');
    await accept();
    expect(await text()).toContain('        retry:\n          max: 2\n        needs: [one]');
    await page.getByText('Text and draft agree').waitFor();
  });

  it('offers handlers and their parameters', async () => {
    await replaceIn(editor(), HEAD.replace('        handler: shell\n', ''));
    await page.keyboard.type('        handler: s');
    await until('handlers are offered', async () => (await offered()).includes('shell'));
    await page.keyboard.type('h');
    await until('one is left', async () => (await offered()).join() === 'shell');
    await accept();
    await page.keyboard.type('\nparam');
    await list().waitFor();
    await accept();
    await page.keyboard.type('comm');
    await until('its parameters are offered', async () => (await offered()).includes('command'));
    await accept();
    await page.keyboard.type('echo ${{ ti');
    await until('names of expressions are offered', async () => (await offered()).includes('tick.date'));
    // A longer list scrolls by the arrow keys of the text, which axe does not see.
    await page.keyboard.type('ck.dat');
    await until('one is left', async () => (await offered()).join() === 'tick.date');
    await accessible(page, 'completion in YAML');
  });

  it('closes by Escape, which leaves everything else open', async () => {
    await replaceIn(editor(), HEAD);
    await page.keyboard.press('Control+f');
    await page.locator('.cm-search').waitFor();
    await editor().click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('        tim');
    await list().waitFor();
    await page.keyboard.press('Escape');
    await list().waitFor({ state: 'detached' });
    expect(await page.locator('.cm-search').count()).toBe(1);
    await page.keyboard.press('Control+Space');
    await list().waitFor();
    await page.keyboard.press('Escape');
    await list().waitFor({ state: 'detached' });
  });
  it('reports no error', () => {
    expect(person.errors).toEqual([]);
  });
});
