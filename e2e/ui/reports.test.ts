import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;

const schedule = (name: string, command: string, tags: string[]) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  tags,
  jobs: [{ key: 'main', tasks: [{ key: 'load', handler: 'shell', params: { command } }] }],
});

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply(schedule('good', 'true', ['dwh']));
  await server.apply(schedule('bad', 'false', ['web']));
  for (const name of ['good', 'good', 'bad']) await server.run(name, { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
  { language: 'en', dark: false, width: 1920, height: 1080 },
] as const satisfies Appearance[];

describe('the reports', () => {
  it.each(APPEARANCES)('fit and are accessible: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    const en = appearance.language === 'en';
    const judge = async (what: string) => {
      await picture(page, `reports/${what}-${appearance.language}-${String(appearance.width)}`);
      await fits(page, what);
      await accessible(page, what);
    };
    await person.enter('/reports');
    await page.getByRole('heading', { name: en ? 'Slots and executors' : '槽位与执行器' }).waitFor();
    await page.locator('canvas').nth(4).waitFor();
    await page
      .getByText(en ? 'As a table' : '看表格')
      .first()
      .click();
    await judge('page');
    await page.goto('/reports?tag=nothing');
    await page.getByRole('heading', { name: en ? 'No batches on these days' : '这些天没有批次' }).waitFor();
    await judge('empty');
    await page.route('**/api/v1/reports/batches?*', (route) => route.abort());
    await page.goto('/reports?days=7');
    await page.getByRole('alert').first().waitFor();
    await judge('failing');
    await person.leave();
  });

  it('lead to the batches that they count, and are saved as CSV', async () => {
    const person = await Person.come(browser, server, { language: 'en', dark: false, width: 1280, height: 800 });
    const { page } = person;
    await person.enter('/reports');
    const table = page.getByRole('region', { name: 'By schedule' });
    await table.getByRole('row', { name: /good/ }).waitFor();
    expect(await table.getByRole('row', { name: /good/ }).textContent()).toContain('100%');
    const saving = page.waitForEvent('download');
    await page.getByRole('region', { name: 'By schedule' }).getByText('Save as CSV').click();
    const text = readFileSync(await (await saving).path(), 'utf8');
    expect(text.split('\r\n')[0]).toContain('Schedule,Batches,Success');
    expect(text).toContain('good,2,1,0');
    await page.getByRole('radiogroup', { name: 'Rows' }).getByText('Tag').click();
    await page.getByRole('button', { name: /dwh/ }).click();
    await expect.poll(() => page.url()).toContain('tag=dwh');
    await table.getByRole('row', { name: /good/ }).getByRole('link', { name: 'good' }).click();
    await page.waitForURL('**/schedules/good/runs?**');

    // A report by executor leads to the list of batches with the same filter.
    await page.goto('/reports?executor=embedded');
    await table.getByRole('row', { name: /good/ }).getByRole('link', { name: '2', exact: true }).click();
    await page.waitForURL('**/batches?**executor=embedded**');
    await page.goto('/reports');
    await page.getByLabel('Started by').fill('cron');
    await page.getByLabel('Started by').press('Enter');
    await page.getByRole('heading', { name: 'No batches on these days' }).waitFor();
    expect(page.url()).toContain('by=cron');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
