import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shows } from './harness/batch';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { publish, replaceIn, still } from './harness/editor';
import { Server } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('a failed task', () => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun();
    person = await Person.come(browser, server, { height: 900 });
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('is corrected in the editor, and only the failed tasks run again', async () => {
    const { page } = person;
    const id = await server.run('weather-report', { wait: true });
    await page.goto(`/batches/${String(id)}?task=monthly`);
    const drawer = page.getByRole('region', { name: 'Task monthly' });
    await drawer
      .getByText(/no such column: precipitation_mm/)
      .first()
      .waitFor();
    await drawer.getByRole('button', { name: 'Edit…' }).first().click();
    await page.waitForURL('**/schedules/weather-report?**');
    // The drawer of this task is open, and names the batch.
    await page.getByText('Edited for').waitFor();
    await page.getByRole('link', { name: `batch ${String(id)}` }).waitFor();
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe('monthly');
    const code = page.locator('.cm-content').filter({ hasText: 'precipitation_mm' });
    await code.waitFor();
    await picture(page, 'editor/repair');
    await accessible(page, 'a task that is mended');

    const text = (await code.locator('.cm-line').allInnerTexts()).map((line) => line.replace(/\n$/, '')).join('\n');
    await replaceIn(page.locator('.cm-content').first(), text.replace('precipitation_mm', 'precipitation'));
    await page.getByText(/draft · 1 change since v1/).waitFor();
    await publish(page, 2);
    await page.getByText('v2 is published; it was edited for').waitFor();
    // The message does not cover the tools of the canvas.
    const foot = await page.locator('[data-toasts]').evaluate((region) => region.getBoundingClientRect().bottom);
    expect(foot).toBeLessThan((await still(page.getByRole('button', { name: 'Find a task' }))).y);
    await page.getByRole('button', { name: `Resume batch ${String(id)} with v2…` }).click();
    const plan = page.getByRole('dialog');
    await plan.getByText('1 of these tasks differs').waitFor();
    await picture(page, 'editor/repair-plan');
    await plan.getByRole('button', { name: 'Resume 2 tasks' }).click();
    await page.waitForURL(`**/batches/${String(id)}`);

    const batch = await server.ended(id);
    expect(batch).toMatchObject({ state: 'succeeded', round: 2, revision: 2 });
    expect(batch.tasks.map((t) => [t.key, t.attempts]).sort()).toEqual([
      ['extract', 1],
      ['extremes', 1],
      ['load', 1],
      ['monthly', expect.any(Number)],
      ['report', 1],
    ]);
    await shows(page, 'monthly', 'succeeded');
    await page.getByText('5 of 5 succeeded').waitFor();
    // The second round begins at the right end of the time line. Its name fits into the window.
    const round = await still(page.locator('i b').getByText('round 2'));
    expect(round.x + round.width).toBeLessThanOrEqual(1280);
    expect(person.errors).toEqual([]);
  });
});
