import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, dialogHasFocus, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';
import { inReach, textNames, textsOf, worded } from './harness/texts';

const CHINA = fileURLToPath(new URL('../../docs/examples/calendars/china.csv', import.meta.url));

let browser: Browser;
let server: Server;
let person: Person | undefined;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
});
afterEach(async () => {
  await person?.leave();
  person = undefined;
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** Opens a page of a new user's browser. */
async function enter(path: string, appearance?: Appearance): Promise<Page> {
  person = await Person.come(browser, server, appearance);
  await person.enter(path);
  return person.page;
}

/** The document of a calendar with entries. */
const calendar = (name: string, over: object = {}) => ({ apiVersion: 'hivego/v1', kind: 'Calendar', name, ...over });

/** The cell of a day, such as `Mon, 5 October 2026`. */
const cell = (page: Page, day: string): Locator => page.getByRole('gridcell', { name: new RegExp(`^${day}`) });

const bar = (page: Page): Locator => page.getByRole('region', { name: 'Unsaved changes' });

/** Saves the edits of the page with a note. */
async function save(page: Page, note = ''): Promise<void> {
  await bar(page).getByRole('button', { name: 'Save…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What you changed, and why').fill(note);
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await bar(page).waitFor({ state: 'detached' });
}

interface Saved {
  revision: number;
  definition: { holidays?: object[]; workdays?: object[] };
}

describe('the calendars', () => {
  it('begin with an import of a file, whose mistakes are named', async () => {
    const page = await enter('/calendars');
    await page.getByRole('heading', { name: 'There is no calendar yet' }).waitFor();
    await page.getByRole('button', { name: 'Import…' }).click();
    const dialog = page.getByRole('dialog', { name: 'New calendar from a file' });
    const text = dialog.getByLabel('File with days');
    await text.fill('date,kind\n2026-10-01,holiday\n2026-10-32,holiday\n');
    await dialog.getByText('Line 3: 2026-10-32 is not a date. Write one such as 2026-10-01.').waitFor();
    expect(await text.inputValue()).toContain('2026-10-32'); // nothing is lost
    await dialog.locator('input[type=file]').setInputFiles(CHINA);
    await dialog.getByText('33 holidays and 6 make-up workdays in 2026').waitFor();
    await dialog.getByLabel('Title').fill('中国节假日与调休');
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('china');
    await dialog.getByRole('button', { name: 'Create' }).click();

    await page.getByRole('heading', { name: 'china', level: 1 }).waitFor();
    await page.goto('/calendars/china?year=2026');
    await cell(page, 'Thu,? 1 October 2026, holiday, 国庆节 National Day').waitFor();
    await cell(page, 'Sat,? 10 October 2026, make-up workday, 国庆节调休').waitFor();
    const facts = page.getByRole('complementary', { name: 'Numbers of the year' });
    expect(await facts.innerText()).toMatch(/Workdays\s+248\s+of them make-up\s+6\s+Holidays\s+33/);
    await page.getByRole('button', { name: 'Next year' }).click();
    await page.getByText('This calendar has no days for 2027').waitFor();
    await page.goto('/calendars');
    await page.getByRole('row', { name: /china.*Mon to Fri.*until 2026.*no schedule.*admin/ }).waitFor();
    await page.getByRole('button', { name: 'New calendar…' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('china');
    await page.getByText('There is a calendar china already.').waitFor();
  });

  it('are edited by mouse and by keyboard, undone, saved, and restored', async () => {
    await server.apply(calendar('plant', { holidays: [{ date: '2026-12-25', name: 'Christmas' }] }));
    const page = await enter('/calendars/plant?year=2026');
    // By mouse: a drag over three days.
    await cell(page, 'Mon,? 5 October').hover();
    await page.mouse.down();
    await cell(page, 'Tue,? 6 October').hover();
    await cell(page, 'Wed,? 7 October').hover();
    await page.mouse.up();
    const editor = page.getByRole('dialog');
    await editor.getByLabel('Name').fill('Inventory');
    await editor.getByRole('button', { name: 'Apply' }).click();
    await bar(page).getByText('3 changes').waitFor();
    await cell(page, 'Tue,? 6 October 2026, holiday, Inventory, not saved yet').waitFor();

    // By keyboard: two days of a weekend become make-up workdays.
    await cell(page, 'Wed,? 7 October').focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight'])
      await page.keyboard.press(key);
    await page.getByText('2 days selected').waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await dialogHasFocus(page);
    expect(await editor.getByLabel('make-up workday').isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type('for December');
    await page.keyboard.press('Enter');
    await bar(page).getByText('5 changes').waitFor();
    await cell(page, 'Sat,? 17 October 2026, make-up workday, for December').waitFor();
    // The focus is back on the day, and Delete gives it to its weekday.
    await page.keyboard.press('Delete');
    await bar(page).getByText('3 changes').waitFor();
    await page.keyboard.press('Control+z');
    await bar(page).getByText('5 changes').waitFor();
    await bar(page).getByRole('button', { name: 'Undo' }).click();
    await bar(page).getByText('3 changes').waitFor();
    await bar(page).getByRole('button', { name: 'Redo' }).click();
    await bar(page).getByText('5 changes').waitFor();

    // To leave asks.
    await page.getByRole('link', { name: 'Batches' }).click();
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay here' })
      .click();
    await save(page, 'inventory in October');
    await page.reload();
    await cell(page, 'Sun,? 18 October 2026, make-up workday, for December').waitFor();
    const saved = await server.get<Saved>('/calendars/plant');
    expect(saved.revision).toBe(2);
    expect(saved.definition).toMatchObject({
      holidays: [
        { from: '2026-10-05', to: '2026-10-07', name: 'Inventory' },
        { date: '2026-12-25', name: 'Christmas' },
      ],
      workdays: [{ from: '2026-10-17', to: '2026-10-18', name: 'for December' }],
    });

    await page.getByText('History', { exact: true }).click();
    await page.getByText('inventory in October').waitFor();
    await page.getByText('holiday, Inventory').waitFor();
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await bar(page).getByText('5 changes').waitFor();
    await save(page);
    expect((await server.get<Saved>('/calendars/plant')).definition.workdays).toBeUndefined();
  });

  it('keep the edits when somebody else has saved', async () => {
    await server.apply(calendar('shared', { holidays: [{ date: '2026-12-25', name: 'Christmas' }] }));
    const page = await enter('/calendars/shared?year=2026');
    await cell(page, 'Thu,? 24 December').click();
    await page.getByRole('dialog').getByLabel('Name').fill('closed');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await bar(page).getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('dialog').getByLabel('What you changed, and why').waitFor();
    await server.apply(calendar('shared', { holidays: [{ date: '2026-12-26', name: 'Boxing Day' }] }));
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('dialog', { name: 'Revision 2 was saved by admin meanwhile' });
    await conflict.getByText('2 changes by admin').waitFor();
    await conflict.getByText('holiday, Boxing Day').waitFor();
    await conflict.getByText('1 change of yours').waitFor();
    await picture(page, 'calendars/conflict');
    await conflict.getByRole('button', { name: 'Add my changes to theirs' }).click();
    await cell(page, 'Sat,? 26 December 2026, holiday, Boxing Day').waitFor();
    await save(page);
    expect((await server.get<Saved>('/calendars/shared')).definition.holidays).toEqual([
      { date: '2026-12-24', name: 'closed' },
      { date: '2026-12-26', name: 'Boxing Day' },
    ]);
  });

  it('are deleted only if no schedule uses them', async () => {
    await server.apply(calendar('used'));
    await server.apply(calendar('spare'));
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'month-end',
      triggers: [{ cron: '0 3 * * *', calendar: { name: 'used', workday: -1 } }],
      jobs: [{ key: 'close', tasks: [{ key: 'books', handler: 'shell', params: { command: 'true' } }] }],
    });
    const page = await enter('/calendars');
    await page.getByRole('button', { name: 'More for used' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'used is in use' });
    expect(await dialog.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await dialog.getByRole('link', { name: 'month-end' }).click();
    await page.waitForURL(/\/schedules\/month-end\?view=settings/);
    await page.goto('/calendars');
    await page.getByRole('button', { name: 'More for spare' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('spare is deleted').waitFor();
    await page.getByRole('link', { name: 'spare', exact: true }).waitFor({ state: 'detached' });
  });
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 860 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('the calendars', () => {
  it('are reached from every page on a phone', async () => {
    const page = await enter('/batches', { width: 390, height: 844 });
    await page.getByRole('link', { name: 'Calendars' }).waitFor();
    await inReach(page, 'the header');
    await fits(page, 'the header');
    await picture(page, 'calendars/en-390-header');
    await page.getByRole('link', { name: 'Calendars' }).click();
    await page.getByRole('heading', { name: 'Calendars', level: 1 }).waitFor();
  });

  it.each(APPEARANCES)('fit in $language at $width pixels', async (appearance) => {
    const { language, width } = appearance;
    const names = textNames();
    const text = textsOf(language);
    const shows = async (page: Page, what: string) => {
      await worded(page, names, `${what} in ${language}`);
      await fits(page, `${what} in ${language}`);
      await accessible(page, `${what} in ${language}`);
      await picture(page, `calendars/${language}-${String(width)}-${what}`);
    };
    await server.apply(readFileSync(CHINA.replace('.csv', '.yaml'), 'utf8').replace('name: china', 'name: holidays'));
    const page = await enter('/calendars', appearance);
    await page.getByRole('link', { name: 'holidays', exact: true }).waitFor();
    await shows(page, 'list');
    await page.goto('/calendars/holidays?year=2026');
    await page.getByRole('gridcell').first().waitFor();
    await shows(page, 'year');
    const day = page.locator('[data-kind=makeUp][data-day]').nth(1);
    await day.click();
    await dialogHasFocus(page);
    await page.getByRole('dialog').getByLabel(text('calendars:edit.name')).fill('x');
    await shows(page, 'day');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('calendars:edit.go') })
      .click();
    await page.getByRole('button', { name: text('calendars:draft.save') }).waitFor();
    await shows(page, 'draft');
    await page.getByText(text('calendars:view.history'), { exact: true }).click();
    await page.getByRole('list', { name: text('calendars:history.title') }).waitFor();
    await shows(page, 'history');
    await page.getByRole('button', { name: text('calendars:action.import') }).click();
    await page.getByRole('dialog').getByLabel(text('calendars:file.label')).fill('date\n2026-10-32\n');
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await shows(page, 'import');
  });
});
