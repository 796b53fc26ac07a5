import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBrowser, Person, picture } from './harness/browser';
import { addTask, cardOf, drag, edit, middle, publishButton, still, viewTab, yamlOf } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;
let person: Person;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  person = await Person.come(browser, server, { height: 900 });
  page = person.page;
  await person.enter();
});
afterAll(async () => {
  expect(person.errors).toEqual([]);
  await person.leave();
  await server.stop();
  await browser.close();
});

const task = (key: string, needs?: string[]) => ({
  key,
  handler: 'shell',
  params: { command: `\n# a comment\necho ${key}` },
  ...(needs && { needs }),
});
const schedule = (name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  jobs: [
    { key: 'top', tasks: [task('one'), task('two')] },
    { key: 'low', tasks: [task('three', ['one']), task('four', ['one', 'two'])] },
  ],
});

it('marks empty fields as to fill in, not as faults, and leads through them', async () => {
  await server.apply(schedule('fill'));
  await edit(page, 'fill');
  expect(await cardOf(page, 'one').innerText()).toContain('echo one');
  await addTask(page, 'top', 'six shell');
  await addTask(page, 'top', 'seven shell');
  await cardOf(page, 'six').and(page.locator('[data-fault="empty"]')).waitFor();
  await publishButton(page).getByText('2 to fill in').waitFor();
  await picture(page, 'editor/to-fill-in');
  await publishButton(page).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Command is missing in 2 tasks').waitFor();
  await dialog.getByRole('button', { name: 'six', exact: true }).first().click();
  await dialog.waitFor({ state: 'detached' });
  const field = page.locator('[data-field="params.command"] .cm-content');
  const write = async (name: string) => {
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await until('the command has the focus', () => field.evaluate((e) => e === document.activeElement));
    await page.keyboard.type(`echo ${name}`);
  };
  await write('six');
  const walk = page.getByRole('region', { name: 'Fields to fill in' });
  await walk.getByText('1 left').waitFor();
  await page.keyboard.press('F8');
  await write('seven');
  await walk.getByText('All of them are filled in.').waitFor();
  await walk.getByRole('button', { name: 'Publish…' }).click();
  await dialog.getByRole('button', { name: 'Publish v2' }).click();
  await page.getByText('published · v2').waitFor();
});

it('cuts all dependencies of a task in one step, and an undo returns the whole picture', async () => {
  await server.apply(schedule('picture'));
  await edit(page, 'picture');
  await cardOf(page, 'four').waitFor();
  const boxes = async () =>
    JSON.stringify(await Promise.all(['one', 'two', 'three', 'four'].map((key) => still(cardOf(page, key)))));
  const before = await boxes();
  const target = await still(cardOf(page, 'two'));
  await drag(page, await middle(cardOf(page, 'three')), { x: target.x - 6, y: target.y + target.height / 2 });
  await until('the picture has changed', async () => (await boxes()) !== before);
  await page.getByRole('button', { name: /^Undo: / }).click();
  await until('it is the picture from before', async () => (await boxes()) === before);

  await cardOf(page, 'four').click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Cut dependencies' }).click();
  await page.getByText('draft · 1 change since v1').waitFor();
  expect((await yamlOf(page)).match(/needs/g)).toHaveLength(1);
  await viewTab(page, 'Canvas').click();
  await page.getByRole('button', { name: 'Undo: Remove 2 dependencies' }).click();
  await page.getByText('published · v1').waitFor();
});
