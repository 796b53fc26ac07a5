import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, dialogHasFocus, fits, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit, still, tasksOn, viewTab, yamlOf } from './harness/editor';
import { Server, until } from './harness/server';

const shell = (key: string, command: string, more: object = {}) => ({
  key,
  handler: 'shell',
  params: { command },
  ...more,
});
const plan = (name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  title: 'Load the orders',
  jobs: [
    {
      key: 'load',
      tasks: [shell('load_a', 'load a.csv'), shell('load_b', 'reload b.csv\necho load', { title: 'Load b' })],
    },
    { key: 'mart', tasks: [shell('mart', 'echo', { needs: ['load_a', 'load_b'] })] },
  ],
});

let browser: Browser;
let server: Server;
let person: Person;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), Server.begun()]);
  person = await Person.come(browser, server, { height: 900 });
  page = person.page;
  await person.enter();
});
afterAll(async () => {
  await person.leave();
  await browser.close();
  await server.stop();
});

const dialog = () => page.getByRole('dialog', { name: /^(Find and replace|查找和替换)$/ });
const hits = () => dialog().getByRole('listitem');
const open = async () => {
  await page.keyboard.press('Control+h');
  await dialog().waitFor();
  await dialogHasFocus(page);
};
const listed = (count: number) =>
  until(`${String(count)} hits are listed`, async () => (await hits().count()) === count);

describe('find and replace', () => {
  it('lists each hit with its place, and replaces the chosen ones in one step of undo', async () => {
    await server.apply(plan('words'));
    await edit(page, 'words');
    await still(cardOf(page, 'mart'));
    await open();
    await dialog().getByLabel('Find', { exact: true }).fill('load');
    await listed(8);
    await dialog().getByLabel('Replace with').fill('fetch');
    await dialog().getByLabel('Match case').check();
    await listed(6);
    await dialog().getByLabel('Whole word').check();
    await listed(3);
    expect(await hits().allInnerTexts()).toEqual([
      expect.stringMatching(/Job load.*Key/s),
      expect.stringMatching(/Task load_a.*Command.*load a\.csv.*fetch a\.csv/s),
      expect.stringMatching(/Task load_b.*Command.*echo load.*echo fetch/s),
    ]);
    await dialog().getByLabel('Whole word').uncheck();
    await listed(6);
    // The hit in “reload” stays.
    await hits().filter({ hasText: 'reload' }).getByRole('checkbox').uncheck();
    await picture(page, 'editor/replace');
    await accessible(page, 'find and replace');
    await dialog().getByRole('button', { name: 'Replace 5' }).click();
    await page.getByText('5 hits replaced.').waitFor();
    await until('the tasks are renamed', async () => (await tasksOn(page)).join() === 'fetch_a,fetch_b,mart');
    const text = await yamlOf(page);
    expect(text).toContain('needs: [fetch_a, fetch_b]');
    expect(text).toContain('reload b.csv');
    expect(text).toContain('echo fetch');
    expect(text).toContain('title: Load b');
    await viewTab(page, 'Canvas').click();
    await still(cardOf(page, 'mart'));
    await page.getByRole('button', { name: 'Undo: Replace 5 hits' }).click();
    await page.getByText('published · v1').waitFor();
    expect(await tasksOn(page)).toEqual(['load_a', 'load_b', 'mart']);
  });

  it('is limited to names, and refuses names that are taken', async () => {
    await edit(page, 'words');
    await still(cardOf(page, 'mart'));
    await open();
    await dialog().getByText('Names', { exact: true }).click();
    await dialog().getByLabel('Regular expression').check();
    await dialog().getByLabel('Find', { exact: true }).fill('load_([ab])');
    await dialog().getByLabel('Replace with').fill('$1');
    await listed(2);
    await dialog().getByLabel('Replace with').fill('mart');
    await dialog().getByText('The name mart is taken; case makes no difference.').first().waitFor();
    expect(
      await dialog()
        .getByRole('button', { name: /^Replace/ })
        .isDisabled(),
    ).toBe(true);
    await dialog().getByLabel('Replace with').fill('$1');
    await dialog().getByRole('button', { name: 'Replace 2' }).click();
    await until('the tasks are renamed', async () => (await tasksOn(page)).join() === 'a,b,mart');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('published · v1').waitFor();
  });

  it('says what is wrong with a regular expression, and gives up one that does not end', async () => {
    await server.apply({
      ...plan('slow'),
      jobs: [{ key: 'one', tasks: [shell('a', `echo ${'a'.repeat(40)}!`)] }],
    });
    await edit(page, 'slow');
    await still(cardOf(page, 'a'));
    await open();
    const find = dialog().getByLabel('Find', { exact: true });
    await dialog().getByLabel('Regular expression').check();
    await find.fill('(a');
    await dialog().getByText('This is no regular expression: a bracket ( is not closed.').waitFor();
    await find.fill('(a+)+$');
    await dialog()
      .getByText(/^This regular expression takes too long/)
      .waitFor();
    // The page still answers.
    await find.fill('a+!');
    await listed(1);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  it('opens from the menu and from the command bar, and shows a hit', async () => {
    await edit(page, 'words');
    await still(cardOf(page, 'mart'));
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /Find and replace/ }).click();
    await dialog().waitFor();
    await dialog().getByLabel('Regular expression').uncheck();
    await dialog().getByText('Everywhere', { exact: true }).click();
    await dialog().getByLabel('Find', { exact: true }).fill('b.csv');
    await listed(1);
    await hits().getByRole('button').click();
    await page.waitForURL(/task=load_b/);
    await dialog().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: /Find or do/ }).waitFor();
    await page.keyboard.type('replace');
    await page.getByRole('option', { name: /Find and replace/ }).waitFor();
    await page.keyboard.press('Enter');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await viewTab(page, 'Canvas').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Find and replace').waitFor();
    await page.keyboard.press('Escape');
  });

  it('is the search of the text in the YAML view', async () => {
    await edit(page, 'words', '?view=yaml');
    await page.locator('.cm-content').waitFor();
    await page.keyboard.press('Control+h');
    await page.locator('.cm-search').waitFor();
    expect(await page.locator('.cm-search input[name=search]').getAttribute('placeholder')).toBe('Find');
    expect(await dialog().count()).toBe(0);
  });

  it('fits a phone, in Chinese and in the dark', async () => {
    const other = await Person.come(browser, server, { language: 'zh', dark: true, width: 390, height: 800 });
    await other.enter();
    await edit(other.page, 'words');
    await still(cardOf(other.page, 'mart'));
    await other.page.keyboard.press('Control+h');
    const panel = other.page.getByRole('dialog', { name: '查找和替换' });
    await panel.getByLabel('查找', { exact: true }).fill('load');
    await panel.getByRole('listitem').first().waitFor();
    await fits(other.page, 'find and replace on a phone');
    await picture(other.page, 'editor/replace-zh-dark-phone');
    await accessible(other.page, 'find and replace on a phone');
    expect(other.errors).toEqual([]);
    await other.leave();
  });
  it('reports no error', () => {
    expect(person.errors).toEqual([]);
  });
});
