import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card } from './harness/batch';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { still } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'large', jobs: JOBS });
});
afterAll(async () => {
  await server.stop();
  await browser.close();
});

/** Three jobs of 60 tasks. A task needs one of the job before. The last job has one task. Two tasks fail. */
const JOBS = [
  ...['read', 'price', 'write'].map((job, j, jobs) => ({
    key: job,
    tasks: Array.from({ length: 60 }, (_, i) => ({
      key: `${job}_${String(i)}`,
      handler: 'shell',
      params: { command: job === 'price' && i % 50 === 7 ? 'exit 1' : 'true' },
      ...(j > 0 && { needs: [`${jobs[j - 1] ?? ''}_${String(i)}`] }),
    })),
  })),
  { key: 'end', tasks: [{ key: 'end', handler: 'shell', params: { command: 'true' }, needs: ['write_7', 'price_1'] }] },
];

const bar = (page: Page, job: string) => page.locator(`[data-job="${job}"]`);
/** Clicks on a part of the graph once it stands still. */
const click = async (target: Locator) => {
  await still(target);
  await target.click();
};
const isOpen = (page: Page, job: string) =>
  until(`${job} is open`, async () => (await bar(page, job).getAttribute('aria-expanded')) === 'true');
const isFolded = (page: Page, job: string) =>
  until(`${job} is folded`, async () => (await bar(page, job).getAttribute('aria-expanded')) === 'false');

describe('a batch of many tasks', () => {
  let person: Person;
  let page: Page;
  let id: number;
  beforeAll(async () => {
    id = await server.run('large', { wait: true });
    person = await Person.come(browser, server);
    page = person.page;
    await person.enter(`/batches/${String(id)}`);
  });
  afterAll(async () => {
    await person.leave();
  });

  it('opens with a bar for each job, and shows what was skipped because of the failures', async () => {
    await page.getByRole('button', { name: 'Job 2, price: 60 tasks, 2 failed', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Job 3, write: 60 tasks, 2 skipped', exact: true }).waitFor();
    expect(await page.locator('[data-card]').count()).toBe(0);
    await page.locator('[data-ribbons="red"]').getByText('2', { exact: true }).waitFor();
    await accessible(page, 'the jobs of a batch');
    await picture(page, 'zoom-jobs');
  });

  it('unfolds one job in place, with the failed tasks first, and folds it again', async () => {
    const before = await bar(page, 'price').boundingBox();
    await click(bar(page, 'price'));
    await isOpen(page, 'price');
    await card(page, 'price_7').waitFor();
    await card(page, 'price_57').waitFor();
    await page.locator('[data-tiles]').waitFor();
    const after = await bar(page, 'price').boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(3);
    await accessible(page, 'an open job');
    await click(bar(page, 'read'));
    await isFolded(page, 'price');
    await isOpen(page, 'read');
    await page.keyboard.press('Escape');
    await isFolded(page, 'read');
  });

  it('goes by keys from bar to bar, opens by Enter and folds by Escape', async () => {
    const graph = page.getByRole('application');
    await graph.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await until('the second bar is active', async () => {
      const active = await graph.getAttribute('aria-activedescendant');
      return active !== null && active === (await bar(page, 'price').getAttribute('id'));
    });
    await page.keyboard.press('Enter');
    await isOpen(page, 'price');
    await page.keyboard.press('ArrowDown');
    await card(page, 'price_7').and(page.locator('[data-active]')).waitFor();
    await page.keyboard.press('Escape');
    await isFolded(page, 'price');
  });

  it('unfolds the job of a task that is searched', async () => {
    await page.keyboard.press('/');
    await page.getByPlaceholder('Find a task').fill('write_7');
    await page.getByRole('option').filter({ hasText: 'write_7' }).first().click();
    await isOpen(page, 'write');
  });

  it('leads to tiles and cards and back', async () => {
    await page.getByRole('button', { name: 'Cards', exact: true }).click();
    await page.locator('[data-card]').first().waitFor();
    await page.getByRole('button', { name: 'Jobs', exact: true }).click();
    await bar(page, 'read').waitFor();
  });

  it('opens the job of the task in the address', async () => {
    await page.goto(`/batches/${String(id)}?task=price_57`);
    await isOpen(page, 'price');
    await card(page, 'price_57').waitFor();
  });
});

describe('the editor with many tasks', () => {
  it('has bars, and edits the tasks of an open job', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter('/schedules/large');
    await click(bar(page, 'write').locator('[data-own]'));
    await isOpen(page, 'write');
    await click(page.locator('[data-task="write_3"]'));
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Job 3, write: 59 tasks', exact: true }).waitFor();
    await page.keyboard.press('Control+z');
    await page.getByRole('button', { name: 'Job 3, write: 60 tasks', exact: true }).waitFor();
    await person.leave();
  });
});
