import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, fits, openBrowser, Person, picture } from './harness/browser';
import { PASSWORD, Server } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const TASKS = [...'abcdefghijk'];

// The first steps of a new user on an empty server.
describe.each(['sqlite', 'postgres'] as const)('a visitor, on %s', (database) => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.start(database);
    person = await Person.come(browser, server);
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('creates the administrator', async () => {
    const { page } = person;
    await page.goto('/');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('The password again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create and begin' }).click();
    await page.getByRole('link', { name: 'warehouse' }).first().waitFor();
  });

  it('runs the warehouse and watches eleven tasks in five lanes turn green', async () => {
    const { page } = person;
    await page
      .getByRole('row', { name: /warehouse/ })
      .getByRole('button', { name: /^Run/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.waitForURL('**/batches/*');
    await page.getByText('11 of 11 succeeded').waitFor();
    for (const task of TASKS) await page.locator(`[data-task="${task}"][data-state="succeeded"]`).first().waitFor();
    for (const lane of ['Extract', 'Load', 'Marts', 'Reports', 'Publish'])
      await page.locator('.react-flow').getByText(lane, { exact: true }).waitFor();
    await page.locator('[data-mood="succeeded"]').waitFor();
    await picture(page, `story/warehouse-${database}`);
  });

  it('sees the second example fail, reads its log at the error, corrects the schedule and resumes', async () => {
    const { page } = person;
    await page.getByRole('link', { name: 'Schedules' }).first().click();
    await page
      .getByRole('row', { name: /weather-report/ })
      .getByRole('button', { name: /^Run/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.waitForURL('**/batches/*');
    await page.locator('[data-task="monthly"][data-state="failed"]').first().waitFor();
    await page.getByText('1 task failed, 1 was skipped because of it.').first().waitFor();
    await page.locator('[data-task="monthly"]').first().click();
    const drawer = page.getByRole('region', { name: /monthly/ });
    await drawer
      .getByText(/no such column: precipitation_mm/)
      .first()
      .waitFor();
    await picture(page, `story/failed-${database}`);

    // The file is corrected, and applied again: the newest revision is what goes on.
    const yaml = await server.hivego('export', 'weather-report');
    await server.apply(yaml.replaceAll('precipitation_mm', 'precipitation'));
    await drawer.getByRole('button', { name: 'Resume from here…' }).click();
    const plan = page.getByRole('dialog');
    await plan.getByText('Nothing has changed yet.', { exact: false }).waitFor();
    await plan.getByText('With the latest, v2').click();
    await plan.getByText('of these tasks differ', { exact: false }).waitFor();
    await picture(page, `story/plan-${database}`);
    await plan.getByRole('button', { name: /^Resume \d tasks?$/ }).click();
    await page.getByText('5 of 5 succeeded').waitFor();
    await page.locator('[data-task="report"][data-state="succeeded"]').first().waitFor();

    // Only what had to run has run: the others have one attempt, of the first round.
    const id = new URL(page.url()).pathname.split('/').pop() ?? '';
    const batch = JSON.parse(await server.hivego('batch', id, '-o', 'json')) as {
      state: string;
      round: number;
      tasks: { key: string; attempts: number }[];
    };
    expect(batch.state).toBe('succeeded');
    expect(batch.round).toBe(2);
    expect(Object.fromEntries(batch.tasks.map((t) => [t.key, t.attempts]))).toMatchObject({
      extract: 1,
      load: 1,
      extremes: 1,
      report: 1,
    });
    expect(batch.tasks.find((t) => t.key === 'monthly')?.attempts).toBeGreaterThan(1);
    await picture(page, `story/repaired-${database}`);
  });

  it('switches to Chinese and to dark, and stays on the same page', async () => {
    const { page } = person;
    const before = page.url();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitemradio', { name: '中文' }).click();
    await page.getByText('成功').first().waitFor();
    await page.getByRole('button', { name: '账号' }).click();
    await page.getByRole('menuitemradio', { name: '深色' }).click();
    await page.reload();
    await page.getByText('成功').first().waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('zh');
    expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
    expect(new URL(page.url()).pathname).toBe(new URL(before).pathname);
    await picture(page, `story/chinese-dark-${database}`);

    // On a phone a list of tasks replaces the graph.
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(new URL(before).pathname);
    await page.getByRole('button', { name: /成功/ }).first().waitFor();
    await fits(page, 'the batch on a phone');
    await accessible(page, 'the batch on a phone, in Chinese and dark');
    await picture(page, `story/phone-${database}`);
    expect(person.errors).toEqual([]);
  });
});
