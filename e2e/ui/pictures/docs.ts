import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { connection, shows } from '../harness/batch';
import { openBrowser, Person } from '../harness/browser';
import { cardOf, drag, edit, handleOf, middle, openTask, publishButton, replaceIn } from '../harness/editor';
import { Server } from '../harness/server';
import { fillWithPast } from './night';

// The pictures of the documents: `npm run pictures` takes them anew. They show the examples, as they really run.
const FOLDER = fileURLToPath(new URL('../../../docs/images', import.meta.url));
const CHINA = fileURLToPath(new URL('../../../docs/examples/calendars/china.yaml', import.meta.url));

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

it('takes the pictures of the documents', async () => {
  mkdirSync(FOLDER, { recursive: true });
  const person = await Person.come(browser, server, { reducedMotion: true });
  const { page } = person;
  const take = (name: string) => page.screenshot({ path: `${FOLDER}/${name}.png` });
  const warehouse = await server.run('warehouse', { wait: true });
  for (let i = 0; i < 3; i++) await server.run('warehouse', { wait: true });
  const report = await server.run('weather-report', { wait: true });
  await server.apply((await server.hivego('export', 'weather-report')).replaceAll('precipitation_mm', 'precipitation'));

  await person.enter(`/batches/${String(report)}?task=monthly`);
  await shows(page, 'monthly', 'failed');
  await page
    .getByRole('region', { name: 'Task monthly' })
    .getByText(/no such column/)
    .first()
    .waitFor();
  await page.getByText('Warmest and coldest day').first().waitFor();
  await connection(page, 'live');
  await take('task');
  await page.getByRole('button', { name: 'Resume from here…' }).click();
  await page.getByRole('dialog').getByText('With the latest, v2').click();
  await page.getByRole('dialog').getByText('1 of these tasks differs').waitFor();
  await page.getByRole('dialog').getByText('differs in v2').waitFor();
  await take('plan');

  await page.goto(`/batches/${String(warehouse)}`);
  await shows(page, 'k', 'succeeded');
  await connection(page, 'live');
  await take('batch');

  await page.goto('/');
  await page.getByRole('link', { name: 'weather-report' }).first().waitFor();
  await connection(page, 'live');
  await take('schedules');
  await person.leave();
});

it('takes the pictures of many batches', async () => {
  const many = await Server.begun();
  try {
    await fillWithPast(many);
    const stages = Array.from({ length: 24 }, (_, i) => ({
      key: `stage_${String(i + 1)}`,
      tasks: Array.from({ length: 20 + ((i * 7) % 11) * 10 }, (_, n) => ({
        key: `part_${String(i + 1)}_${String(n + 1)}`,
        handler: 'shell',
        params: { command: i === 3 && n % 40 === 7 ? 'exit 1' : 'true' },
      })),
    }));
    await many.apply({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'measurements', flow: 'needs', jobs: stages });
    const large = await many.run('measurements', { wait: true });
    const person = await Person.come(browser, many, { reducedMotion: true, width: 1440, height: 900 });
    const { page } = person;
    const take = async (name: string) => {
      await connection(page, 'live');
      await page.screenshot({ path: `${FOLDER}/${name}.png` });
    };
    await person.enter('/');
    await page.getByRole('application').waitFor();
    await page.getByText('deadlock detected').first().waitFor();
    await take('night');

    await page.goto('/schedules/orders-warehouse/runs');
    await page.getByRole('grid').waitFor();
    await take('runs');

    await page.goto('/reports');
    await page.locator('canvas').nth(4).waitFor();
    await take('reports');

    const [newest] = (await many.get<{ items: { id: number }[] }>('/batches?schedule=orders-warehouse&limit=1')).items;
    await page.goto(`/batches/${String(newest?.id)}?view=timeline`);
    await page.getByRole('list', { name: 'When each task ran' }).getByRole('button').first().waitFor();
    await take('timeline');

    await page.goto(`/batches/${String(large)}`);
    await page.getByText('stage_4').first().waitFor();
    await take('large');
    await person.leave();
  } finally {
    await many.stop();
  }
});

it('takes the picture of a calendar', async () => {
  await server.apply(readFileSync(CHINA, 'utf8'));
  const person = await Person.come(browser, server, { reducedMotion: true, height: 860 });
  const { page } = person;
  await person.enter('/calendars/china?year=2026');
  const day = page.getByRole('gridcell', { name: /^Sat,? 14 February/ });
  await day.click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).waitFor();
  await connection(page, 'live');
  await page.screenshot({ path: `${FOLDER}/calendar.png` });
  await person.leave();
});

it('takes the pictures of the editor', async () => {
  await server.apply((await server.hivego('export', 'warehouse')).replace('name: warehouse', 'name: flights'));
  const light = await Person.come(browser, server, { reducedMotion: true, height: 860 });
  const dark = await Person.come(browser, server, { reducedMotion: true, height: 860, dark: true });
  for (const [person, name] of [
    [light, 'editor'],
    [dark, 'editor-dark'],
  ] as const) {
    await person.enter();
    await edit(person.page, 'flights');
    await openTask(person.page, 'd');
    await person.page.getByText('Waits for', { exact: true }).waitFor();
    await connection(person.page, 'live');
    await person.page.screenshot({ path: `${FOLDER}/${name}.png` });
  }
  await dark.leave();

  const { page } = light;
  const take = (name: string) => page.screenshot({ path: `${FOLDER}/${name}.png` });
  await drag(page, await handleOf(page, 'e'), await middle(cardOf(page, 'f')), { hold: true });
  await page.locator('[data-tip="refused"]').waitFor();
  await take('editor-refused');
  await page.keyboard.press('Escape');
  await page.mouse.up();

  await openTask(page, 'k');
  const code = page.locator('.cm-content').first();
  await code.waitFor();
  await take('editor-task');
  const text = (await code.locator('.cm-line').allInnerTexts()).map((line) => line.replace(/\n$/, '')).join('\n');
  await replaceIn(code, `set -eu\n${text}`);
  await page.getByText('draft · 1 change since v1').waitFor();
  await publishButton(page).first().click();
  await page.getByRole('dialog').getByLabel('What you changed, and why').fill('Stop at the first fault');
  await take('editor-publish');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Diff' }).click();
  await page
    .getByRole('region', { name: 'Comparison' })
    .or(page.getByText('Revisions', { exact: true }))
    .first()
    .waitFor();
  await connection(page, 'live');
  await take('editor-diff');
  await page.goto('/executors');
  await page.getByText('embedded').first().waitFor();
  await connection(page, 'live');
  await take('executors');
  await light.leave();
});
