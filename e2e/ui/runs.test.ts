import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, dialogHasFocus, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;

const folder = mkdtempSync(join(tmpdir(), 'hivego-runs-'));
const repaired = join(folder, 'repaired');
const batches: number[] = [];

const shell = (key: string, command: string, needs: string[] = []) => ({
  key,
  needs,
  handler: 'shell',
  params: { command },
});

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  const schedule = (name: string, load: string) => ({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name,
    jobs: [
      { key: 'extract', title: 'Extract', tasks: [shell('orders', 'true'), shell('bins', 'true')] },
      { key: 'load', title: 'Load', tasks: [shell('core', load, ['orders'])] },
      { key: 'publish', title: 'Publish', tasks: [shell('mart', 'true', ['core'])] },
    ],
  });
  await server.apply(schedule('night', 'true'));
  batches.push(await server.run('night', { wait: true }));
  await server.apply(schedule('night', `test -e ${repaired}`));
  batches.push(await server.run('night', { wait: true }), await server.run('night', { wait: true }));
  await server.apply(schedule('empty', 'true'));
  await server.apply(schedule('gated', server.gated('load')));
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

/** The text of the current cell, for assistive technology. */
const cell = (page: Page) => page.getByRole('grid').getByRole('gridcell');
const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

describe('the runs of a schedule', () => {
  it.each(APPEARANCES)('fit and are accessible: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    const judge = async (what: string) => {
      await picture(page, `runs/${what}-${appearance.language}-${String(appearance.width)}`);
      await fits(page, what);
      await accessible(page, what);
    };
    await person.enter(`/schedules/night/runs?batch=${String(batches[2])}&task=core&jobs=*`);
    await page
      .getByRole('complementary')
      .getByText(appearance.language === 'en' ? /exit code 1/ : /退出码/)
      .waitFor();
    await judge('details');
    await page.goto('/schedules/night/runs');
    await page.getByRole('grid').focus();
    await press(page, 'Home', 'Space');
    await page.getByRole('region', { name: appearance.language === 'en' ? 'Marked tasks' : '选中的任务' }).waitFor();
    await judge('marked');
    await page.goto('/schedules/empty/runs');
    await page.getByRole('heading', { name: appearance.language === 'en' ? 'No batch yet' : '还没有批次' }).waitFor();
    await judge('empty');
    await page.goto('/schedules/night/runs?before=1');
    await page
      .getByRole('link', { name: appearance.language === 'en' ? 'Show all batches' : '显示所有批次' })
      .waitFor();
    await judge('filtered');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('are read by keys, and repaired in several batches by one plan', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter('/schedules/night');
    await page.getByRole('link', { name: 'Runs' }).click();
    const grid = page.getByRole('grid', { name: 'Batches and tasks of night' });
    await grid.focus();
    await cell(page)
      .filter({ hasText: /^Extract · .* batch \d+ · 2 succeeded$/ })
      .waitFor();
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown');
    await cell(page)
      .filter({ hasText: new RegExp(`^core · .* batch ${String(batches[2])} · failed`) })
      .waitFor();

    // A batch that succeeded cannot be closed. The other one can.
    await press(page, 'Control+Home', 'Space', 'Control+End', 'Space');
    await page.getByText('3 tasks in 2 batches marked').waitFor();
    await page.getByRole('button', { name: 'Close the batches…' }).click();
    const dialog = page.getByRole('dialog');
    await dialogHasFocus(page);
    await dialog.getByRole('button', { name: 'Close in 2 batches' }).click();
    await dialog.getByText('Say why it is left as it is').waitFor();
    await dialog.getByLabel('Why').fill('nobody needs it');
    await dialog.getByRole('button', { name: 'Close in 2 batches' }).click();
    await dialog.getByText('1 of 2 batches is done. 1 was refused.').waitFor();
    await picture(page, 'runs/refused');
    await accessible(page, 'a repair with a refusal');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    expect((await server.get<{ closedNote: string }>(`/batches/${String(batches[2])}`)).closedNote).toBe(
      'nobody needs it',
    );

    // Both failed tasks are resumed by one plan.
    await page.getByRole('button', { name: 'Remove all marks' }).click();
    await grid.focus();
    await press(page, 'Control+End', 'ArrowUp', 'ArrowUp', 'Space', 'ArrowLeft', 'Space');
    await page.getByText('2 tasks in 2 batches marked').waitFor();
    writeFileSync(repaired, '');
    await page.getByRole('button', { name: 'Resume…' }).click();
    await dialogHasFocus(page);
    await dialog.getByText('Two tasks run again: core, mart').first().waitFor();
    await picture(page, 'runs/plan');
    await accessible(page, 'the plan of two batches');
    await dialog.getByLabel('Why (optional)').fill('the table is back');
    await dialog.getByRole('button', { name: 'Resume 4 tasks in 2 batches' }).click();
    await dialog.getByText('2 of 2 batches are done.').waitFor();
    await picture(page, 'runs/resumed');
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    for (const id of batches.slice(1)) expect(await server.ended(id)).toMatchObject({ state: 'succeeded', round: 2 });
    await grid.focus();
    await cell(page).filter({ hasText: 'succeeded after a retry or in a later round' }).waitFor();
    await page.getByRole('region', { name: 'Marked tasks' }).waitFor({ state: 'hidden' });

    // A key opens the run in its batch.
    await press(page, 'Enter');
    await page.waitForURL(`**/batches/${String(batches[1])}?task=core`);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('change while a batch runs, and grow by new batches', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter('/schedules/gated/runs');
    await page.getByRole('heading', { name: 'No batch yet' }).waitFor();
    const id = await server.run('gated');
    await page.getByRole('grid').focus();
    await press(page, 'Control+End', 'ArrowUp', 'ArrowUp');
    await cell(page)
      .filter({ hasText: new RegExp(`^core · .* batch ${String(id)} · running$`) })
      .waitFor();
    await picture(page, 'runs/running');
    const next = await server.run('gated');
    await page.locator('[role=grid][aria-colcount="3"]').waitFor(); // the names, and two batches
    await press(page, 'ArrowRight');
    await cell(page)
      .filter({ hasText: `batch ${String(next)}` })
      .waitFor();
    server.open('load');
    await cell(page)
      .filter({ hasText: new RegExp(`batch ${String(next)} · succeeded`) })
      .waitFor();
    await press(page, 'ArrowLeft');
    await cell(page)
      .filter({ hasText: new RegExp(`batch ${String(id)} · succeeded`) })
      .waitFor();
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('are opened by the pointer, and marked by a drag', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter('/schedules/night/runs');
    const grid = page.getByRole('grid');
    const box = await grid.boundingBox();
    if (!box) throw new Error('the grid has no box');
    // The middle of a cell: columns of 20 pixels begin after names of 214, lines of 24 after a head of 130.
    const at = (x: number, y: number): [number, number] => [box.x + 214 + x * 20 + 7, box.y + 130 + y * 24 + 12];
    await page.mouse.move(...at(0, 1));
    await page
      .getByTestId('runs-tip')
      .getByText(/succeeded/)
      .waitFor();
    await page.mouse.click(...at(0, 1));
    await page.getByRole('complementary').getByRole('heading', { name: 'orders' }).waitFor();
    expect(page.url()).toContain('task=orders');
    await page.getByRole('button', { name: 'The batch after' }).click();
    await page.waitForURL(`**batch=${String(batches[1])}**`);
    await page.keyboard.down('Shift');
    await page.mouse.move(...at(0, 1));
    await page.mouse.down();
    await page.mouse.move(...at(2, 2), { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByText('6 tasks in 3 batches marked').waitFor();
    await page.mouse.click(box.x + 60, box.y + 130 + 12);
    await page.waitForURL('**jobs=load**');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
