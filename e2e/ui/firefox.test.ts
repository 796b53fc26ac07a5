import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFirefox, Tab } from './harness/firefox';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
let tab: Tab;
beforeAll(async () => {
  [browser, server] = await Promise.all([openFirefox(), Server.begun()]);
  tab = await Tab.open(browser);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const cardOf = (task: string) => `[data-task="${task}"][data-editable]`;

/** Adds a task by a double click into the first lane or the one below. */
async function addTask(job: number, key: string): Promise<void> {
  const heads = await tab.page.$$eval('[data-lane-head]', (all) => all.map((e) => (e as HTMLElement).dataset.laneHead));
  const head = await tab.box(`[data-lane-head="${heads[job] ?? ''}"]`);
  const scene = await tab.box('.react-flow');
  await tab.page.mouse.click(scene.x + scene.width / 2, head.y + head.height / 2, { count: 2 });
  await tab.waitFor('[role=dialog] input');
  await tab.page.waitForFunction(() => document.activeElement instanceof HTMLInputElement);
  await tab.page.keyboard.type(`${key} shell`);
  await tab.page.keyboard.press('Enter');
  await tab.waitFor(cardOf(key));
}

/** Writes the command of a task in its drawer. */
async function command(task: string, text: string): Promise<void> {
  await tab.box(cardOf(task));
  await tab.click(cardOf(task));
  await tab.page.waitForFunction(
    (key) => [...document.querySelectorAll('input')].some((field) => field.value === key),
    {},
    task,
  );
  await tab.click('.cm-content[aria-label="Command"]');
  await tab.page.keyboard.type(text);
  await tab.page.waitForFunction(
    (written) => document.querySelector('.cm-content[aria-label="Command"]')?.textContent === written,
    {},
    text,
  );
}

// What Chromium shows in detail, another engine must be able to do: log in, edit, publish, run, watch.
describe('in Firefox', () => {
  it('logs in', async () => {
    await tab.logIn(server);
    await tab.waitFor('a::-p-text(warehouse)');
  });

  it('builds two tasks, draws a dependency and publishes', async () => {
    await tab.click('button::-p-text(New schedule)');
    await tab.write('[role=dialog] input[type=text], [role=dialog] input:not([type])', 'letters');
    await tab.click('[role=dialog] button::-p-text(Make it)');
    await tab.click('button::-p-text(First job)');
    await tab.click('[data-add-job]');
    await tab.page.waitForFunction(() => document.querySelectorAll('[data-lane-head]').length === 2);
    await addTask(0, 'a');
    await addTask(1, 'b');
    const from = await tab.box(cardOf('a'));
    const to = await tab.box(cardOf('b'));
    const { mouse } = tab.page;
    await mouse.move(from.x + from.width / 2, from.y + from.height);
    await mouse.down();
    await mouse.move(to.x + to.width / 2, to.y - 4, { steps: 6 });
    await mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 });
    await mouse.up();
    await command('a', server.gated('a'));
    await command('b', 'echo b');
    await tab.waitFor('::-p-text(saved)');
    await tab.picture('firefox/editor');
    await tab.click('button::-p-text(Publish v1)');
    await tab.click('[role=dialog] button::-p-text(Publish v1)');
    await tab.waitFor('::-p-text(published · v1)');
    const { definition } = await server.get<{ definition: { jobs: { tasks: { key: string; needs?: string[] }[] }[] } }>(
      '/schedules/letters',
    );
    expect(definition.jobs.map(({ tasks }) => tasks.map(({ key, needs = [] }) => [key, ...needs]))).toEqual([
      [['a']],
      [['b', 'a']],
    ]);
  });

  it('runs it, and watches it to its end', async () => {
    await tab.click('button::-p-text(Run…)');
    await tab.click('[role=dialog] button::-p-text(Run now)');
    await tab.waitFor('[data-task="a"][data-state="running"]');
    await tab.waitFor('[data-task="b"][data-state="waiting"]');
    server.open('a'); // from here on all that the page shows comes over the websocket
    await tab.waitFor('[data-task="a"][data-state="succeeded"]');
    await tab.waitFor('[data-task="b"][data-state="succeeded"]');
    await tab.waitFor('[data-mood="succeeded"]');
    await tab.waitFor('::-p-text(2 of 2 succeeded)');
    await tab.picture('firefox/batch');
    expect(tab.errors).toEqual([]);
  });
});
