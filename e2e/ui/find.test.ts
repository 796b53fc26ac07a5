import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, dialogHasFocus, fits, openBrowser, Person, picture } from './harness/browser';
import { Server, until } from './harness/server';

const warehouse = (name: string, title: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  title,
  jobs: [
    {
      key: 'load',
      tasks: [
        { key: 'orders', title: '订单同步', handler: 'shell', params: { command: 'true' } },
        { key: 'broken', handler: 'shell', params: { command: 'exit 3' } },
      ],
    },
  ],
});

let browser: Browser;
let server: Server;
let failed: number;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), Server.begun()]);
  await server.apply(warehouse('warehouse', '仓库同步'));
  await server.apply(warehouse('reports', 'Monthly reports'));
  failed = await server.run('warehouse');
  await server.ended(failed);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const bar = (page: Page) => page.getByRole('combobox', { name: /^(Find or do|查找或操作)$/ });
const options = (page: Page) => page.getByRole('listbox', { name: /^(Find or do|查找或操作)$/ }).getByRole('option');
const current = (page: Page) => options(page).and(page.locator('[aria-selected=true]'));

async function openBar(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await bar(page).waitFor();
  await dialogHasFocus(page);
}

/** Types a query, waits until it finds something first, and presses Enter. */
async function choose(page: Page, query: string, first: string | RegExp): Promise<void> {
  await openBar(page);
  await page.keyboard.type(query);
  await current(page).filter({ hasText: first }).waitFor();
  await page.keyboard.press('Enter');
  await bar(page).waitFor({ state: 'detached' });
}

describe('the command bar', () => {
  let person: Person;
  beforeAll(async () => {
    person = await Person.come(browser, server);
    await person.enter('/');
    await person.page.getByRole('link', { name: 'warehouse' }).first().waitFor();
  });
  afterAll(async () => {
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('finds schedules by name, title and pinyin, and returns the focus', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Batches' }).first().focus();
    await openBar(page);
    await page.keyboard.press('Escape');
    await until('the focus returns', () => page.evaluate(() => document.activeElement?.textContent === 'Batches'));
    await choose(page, 'cktb', 'warehouse');
    await page.waitForURL('**/schedules/warehouse');
    await choose(page, 'month rep', 'reports');
    await page.waitForURL('**/schedules/reports');
    await page.goto('/');
    await page.getByRole('link', { name: 'warehouse', exact: true }).first().waitFor();
    await choose(page, 'warehouse', 'warehouse');
    await page.waitForURL('**/schedules/warehouse');
  });

  it('keeps what is typed while it is loaded for the first time', async () => {
    const visitor = await Person.come(browser, server);
    const { page } = visitor;
    let load: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      void page.route(/\/CommandBar-[^/]*\.js$/, async (route) => {
        resolve();
        await new Promise<void>((go) => {
          load = go;
        });
        await route.continue();
      });
    });
    await visitor.enter('/');
    await page.getByRole('link', { name: 'warehouse', exact: true }).first().waitFor();
    await page.keyboard.press('Control+k');
    await asked;
    await page.keyboard.type('month rex');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter'); // nothing is found yet, and no button of the page is pressed
    load();
    await bar(page).waitFor();
    await dialogHasFocus(page);
    await page.keyboard.type('ports');
    await expect.poll(() => bar(page).inputValue()).toBe('month reports');
    await current(page).filter({ hasText: 'reports' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/schedules/reports');
    expect(visitor.errors).toEqual([]);
    await visitor.leave();
  });

  it('finds batches by number and by schedule', async () => {
    const { page } = person;
    await choose(page, `#${String(failed)}`, `#${String(failed)}`);
    await page.waitForURL(`**/batches/${String(failed)}`);
    await openBar(page);
    await page.keyboard.type('wareh');
    await options(page)
      .filter({ hasText: `warehouse #${String(failed)}` })
      .waitFor();
    await page.keyboard.press('Control+k');
    await bar(page).waitFor({ state: 'detached' });
  });

  it('finds tasks and actions of the page, only those that it offers now', async () => {
    const { page } = person;
    await page.goto(`/batches/${String(failed)}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await choose(page, 'ddtb', '订单同步');
    await page.waitForURL('**task=orders**');
    await openBar(page);
    await picture(page, 'find/batch');
    await page.keyboard.type('pause');
    await page.getByText('Nothing matches “pause”').waitFor();
    await page.keyboard.press('Escape');
    await choose(page, 'resume', 'Resume…');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Resume/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('shows the latest visits first', async () => {
    const { page } = person;
    await page.goto('/executors');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openBar(page);
    await until('a batch is the latest', async () =>
      ((await options(page).first().textContent()) ?? '').includes(`warehouse #${String(failed)}`),
    );
    await page.keyboard.press('Escape');
  });

  it('switches the theme and the language', async () => {
    const { page } = person;
    await choose(page, 'dark', 'Theme: Dark');
    await page.locator('[data-mantine-color-scheme=dark]').waitFor();
    await choose(page, 'zh', '中文');
    await page.locator('html[lang=zh]').waitFor();
    await choose(page, 'zt light', '主题');
    await page.locator('[data-mantine-color-scheme=light]').waitFor();
    await choose(page, 'english', 'English');
    await page.locator('html[lang=en]').waitFor();
  });
});

describe('the keys of all pages', () => {
  let person: Person;
  beforeAll(async () => {
    person = await Person.come(browser, server);
    await person.enter('/');
    await person.page.getByRole('link', { name: 'warehouse' }).first().waitFor();
  });
  afterAll(async () => {
    expect(person.errors).toEqual([]);
    await person.leave();
  });
  const pressing = async (...keys: string[]) => {
    for (const key of keys) await person.page.keyboard.press(key);
  };

  it('jump to pages, also from the canvas, where C has another meaning', async () => {
    const { page } = person;
    for (const [key, path] of [
      ['b', '/batches'],
      ['e', '/executors'],
      ['c', '/calendars'],
      ['a', '/alerts'],
      ['s', '/'],
    ] as const) {
      await pressing('g', key);
      await page.waitForURL((url) => url.pathname === path);
    }
    await page.goto('/schedules/warehouse');
    await page.getByRole('application').focus();
    await pressing('g', 'c');
    await page.waitForURL('**/calendars');
    await pressing('g', 's');
    await page.getByRole('link', { name: 'warehouse' }).first().waitFor();
  });

  it('go through the rows of a list, and do nothing in a field', async () => {
    const { page } = person;
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await pressing('j');
    const first = await focused();
    await pressing('j');
    const second = await focused();
    expect(second).not.toBe(first);
    await pressing('k');
    expect(await focused()).toBe(first);
    await page.getByRole('searchbox').focus();
    await pressing('j', 'g', 'b', '?');
    expect(await page.getByRole('searchbox').inputValue()).toBe('jgb?');
    expect(new URL(page.url()).pathname).toBe('/');
    await page.getByRole('searchbox').fill('');
    await page.locator('tbody').getByRole('link', { name: 'warehouse' }).first().waitFor();
    await page.getByRole('link', { name: 'Schedules' }).first().focus();
    await pressing('j', 'Enter');
    await page.waitForURL('**/schedules/*');
  });

  it('can be turned off in their list', async () => {
    const { page } = person;
    await page.goto('/batches');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await pressing('?');
    const list = page.getByRole('dialog', { name: 'Keys' });
    await list.getByText('Next row').waitFor();
    await accessible(page, 'the list of keys');
    await picture(page, 'find/keys');
    await list.getByRole('switch').press('Space');
    await pressing('Escape');
    await list.waitFor({ state: 'detached' });
    await pressing('g', 'e', '?');
    expect(await list.count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/batches');
    await choose(page, 'keys', 'Keys');
    await list.getByRole('switch').press('Space');
    await pressing('Escape');
    await list.waitFor({ state: 'detached' });
    await pressing('g', 'e');
    await page.waitForURL('**/executors');
  });
});

it.each([
  ['en', false, 1280, 800],
  ['zh', true, 1280, 800],
  ['en', true, 390, 844],
  ['zh', false, 390, 844],
] as const)('the command bar is accessible: %s, dark %s, %s px', async (language, dark, width, height) => {
  const person = await Person.come(browser, server, { language, dark, width, height });
  const { page } = person;
  await person.enter('/');
  await page.getByRole('link', { name: 'warehouse' }).first().waitFor();
  const name = `${language}-${dark ? 'dark' : 'light'}-${String(width)}`;
  await openBar(page);
  await accessible(page, `the command bar, ${name}`);
  await picture(page, `find/empty-${name}`);
  await page.keyboard.type('ware');
  await options(page).filter({ hasText: 'warehouse' }).first().waitFor();
  await accessible(page, `the results, ${name}`);
  await fits(page, `the command bar, ${name}`);
  await picture(page, `find/results-${name}`);
  await page.keyboard.press('ArrowDown');
  expect(await current(page).count()).toBe(1);
  expect(await bar(page).getAttribute('aria-activedescendant')).toBe(await current(page).getAttribute('id'));
  expect(person.errors).toEqual([]);
  await person.leave();
});
