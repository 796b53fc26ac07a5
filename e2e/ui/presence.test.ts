import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit, openTask, writeCode } from './harness/editor';
import { Proxy } from './harness/proxy';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
let proxy: Proxy;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  proxy = await Proxy.before(server.url);
  await server.user('ada.lovelace');
  await server.user('bob');
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'shared',
    jobs: [
      {
        key: 'first',
        tasks: ['one', 'two'].map((key) => ({ key, handler: 'shell', params: { command: `echo ${key}` } })),
      },
    ],
  });
  ada = await Person.come(browser, server, { height: 900 });
  bob = await Person.come(browser, { url: proxy.url }, { height: 900 });
  await ada.enter('/', 'ada.lovelace');
  await bob.enter('/', 'bob');
});
afterAll(async () => {
  await ada.leave();
  await bob.leave();
  await proxy.close();
  await server.stop();
  await browser.close();
});

/** The button in the header, while it says these words. */
const others = (page: Page, words: string | RegExp) => page.locator('main header').getByRole('button', { name: words });

describe('people who have a schedule open', () => {
  it('see who else has it open, who edits, and which tasks they have chosen', async () => {
    for (const { page } of [ada, bob]) {
      await edit(page, 'shared');
      await cardOf(page, 'one').waitFor();
    }
    await others(ada.page, 'bob has it open').waitFor();
    await others(bob.page, 'ada.lovelace has it open').waitFor();

    await openTask(bob.page, 'two');
    const card = cardOf(ada.page, 'two');
    await card.getByText('BO', { exact: true }).waitFor();
    expect(await card.getAttribute('title')).toContain('chosen by bob');
    expect(await cardOf(ada.page, 'one').getAttribute('title')).not.toContain('chosen by');
    expect(await cardOf(bob.page, 'two').getAttribute('title')).not.toContain('chosen by');

    await writeCode(bob.page, 'Command', 'echo two of Bob');
    const button = others(ada.page, 'bob is editing, 1 change');
    await button.waitFor();
    await accessible(ada.page, 'an editor with another person');
    await picture(ada.page, 'editor/presence');
    await button.click();
    const list = ada.page.getByRole('dialog', { name: 'Who else has it open' });
    await list.getByText('chosen: two').waitFor();
    await accessible(ada.page, 'the list of people');
    await ada.page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
  });

  it('see who has chosen tasks also where their cards are not drawn: on bars of jobs, and in the table', async () => {
    const tasksOf = (job: string) =>
      Array.from({ length: 100 }, (_, n) => ({
        key: `${job}${String(n)}`,
        handler: 'shell',
        params: { command: 'true' },
      }));
    const jobs = ['a', 'b'].map((key) => ({ key: `job-${key}`, tasks: tasksOf(key) }));
    await server.apply({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'large', jobs });
    const [here, there] = [await ada.tab(), await bob.tab()];
    await edit(here, 'large');
    await there.goto('/schedules/large?task=a5');
    const row = (key: string) => here.locator(`[data-job="job-${key}"]`);
    await row('a').getByText('BO', { exact: true }).waitFor();
    await here.getByRole('button', { name: /job-a.*\(a task chosen by bob\)/ }).waitFor();
    expect(await row('b').getByText('BO', { exact: true }).count()).toBe(0);
    await accessible(here, 'bars of jobs with another person');
    await picture(here, 'editor/presence-jobs');
    await here.getByRole('tab', { name: 'Table' }).click();
    await here.locator('[data-row="a5"]').getByText('chosen by bob').waitFor();
    expect(await here.getByText('chosen by bob').count()).toBe(1);
    await accessible(here, 'a table with another person');
    await picture(here, 'editor/presence-table');
    await here.close();
    await there.close();
  });

  it('are one person with two windows, and see that they have another', async () => {
    const tab = await ada.tab();
    await edit(tab, 'shared');
    await others(tab, /^bob is editing, 1 change\.\s*you, in another window/).waitFor();
    await others(ada.page, /^bob is editing, 1 change\.\s*you, in another window/).waitFor();
    await others(bob.page, /^ada\.lovelace has it open\.$/).waitFor();
    await tab.close();
    await others(ada.page, /^bob is editing, 1 change\.$/).waitFor();
  });

  it('come back after the connection or the server was away', async () => {
    proxy.down();
    await others(ada.page, /bob/).waitFor({ state: 'detached' });
    await others(bob.page, /ada/).waitFor({ state: 'detached' });
    proxy.up();
    await others(ada.page, /^bob is editing, 1 change\.$/).waitFor();
    await others(bob.page, /^ada\.lovelace has it open\.$/).waitFor();
    await cardOf(ada.page, 'two').getByText('BO', { exact: true }).waitFor();

    await server.kill();
    await others(ada.page, /bob/).waitFor({ state: 'detached' });
    await server.again();
    await others(ada.page, /^bob is editing, 1 change\.$/).waitFor();
    await others(bob.page, /^ada\.lovelace has it open\.$/).waitFor();
  });

  it('are gone once they leave the editor', async () => {
    await bob.page.getByRole('link', { name: 'Schedules' }).first().click();
    await others(ada.page, /bob/).waitFor({ state: 'detached' });
    expect(await cardOf(ada.page, 'two').getAttribute('title')).not.toContain('chosen by');
    expect([...ada.errors, ...bob.errors]).toEqual([]);
  });

  it.each([1280, 390])('have room in the header, however many they are (%i px)', async (width) => {
    const guest = await Person.come(browser, server, { width });
    const people = Array.from({ length: 20 }, (_, n) => ({
      name: `person-${String(n)}`,
      windows: [n + 1],
      changes: n < 3 ? n + 1 : 0,
      tasks: ['one'],
    }));
    // The server's frames pass, and a crowd comes instead of the people of the topic.
    await guest.page.routeWebSocket(/\/api\/v1\/live$/, (ws) => {
      const real = ws.connectToServer();
      real.onMessage((text) => {
        const frame = JSON.parse(String(text)) as { people?: unknown };
        ws.send(JSON.stringify(frame.people ? { ...frame, people } : frame));
      });
    });
    await guest.enter('/', 'ada.lovelace');
    await edit(guest.page, 'shared');
    const button = others(guest.page, width > 1100 ? /15 more people$/ : /18 more people$/);
    await button.waitFor();
    await cardOf(guest.page, 'one').getByText('+18', { exact: true }).waitFor();
    const header = await guest.page.locator('main header').boundingBox();
    expect(header?.height).toBeLessThanOrEqual(width > 1100 ? 53 : 100);
    const box = await button.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    expect(await guest.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await accessible(guest.page, `a crowd at ${String(width)} px`);
    await picture(guest.page, `editor/presence-crowd-${String(width)}`);
    await guest.leave();
  });
});
