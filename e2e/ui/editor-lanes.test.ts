import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit, lanesOf, publish, still } from './harness/editor';
import { schedule, task } from './harness/schedules';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;
let person: Person;
let page: Page;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), Server.begun()]);
  person = await Person.come(browser, server, { height: 900 });
  page = person.page;
  await person.enter();
});
afterAll(async () => {
  await person.leave();
  await browser.close();
  await server.stop();
});

const become = (...want: string[]) =>
  until(
    () => `the lanes are ${want.join(' | ')}`,
    async () => JSON.stringify(await lanesOf(page)) === JSON.stringify(want),
  );

describe('the clipboard of the canvas', () => {
  it('says what was copied, and which dependencies a paste leaves out; a button keeps them', async () => {
    await server.apply(schedule('clip', ['top', task('one'), task('free')], ['low', task('two', ['one'])]));
    await edit(page, 'clip');
    await still(cardOf(page, 'two'));
    await cardOf(page, 'two').click();
    await page.keyboard.press('Control+c');
    await page.getByText('1 task copied.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await page.getByText('3 tasks copied.').waitFor();
    await cardOf(page, 'two').click();
    await page.keyboard.press('Control+c');
    await page.getByText('1 task copied.').waitFor();
    await cardOf(page, 'free').click();
    await page.mouse.move(2, 2);
    await page.keyboard.press('Control+v');
    await become('top one free two2', 'low two');
    await page.getByText('1 dependency was left out, because its task is not above: one → two.').waitFor();
    await picture(page, 'editor/clip-left-out');
    await page.getByRole('button', { name: 'Paste below them' }).click();
    await become('top one free', 'low two two2');
    await page.getByRole('button', { name: 'Undo: Paste two2' }).click();
    await page.getByText('published · v1').waitFor();
  });

  it('says which tasks another schedule does not have', async () => {
    await server.apply(schedule('elsewhere', ['only', task('here')]));
    await edit(page, 'elsewhere');
    await edit(page, 'clip');
    await still(cardOf(page, 'two'));
    await cardOf(page, 'two').click();
    await page.keyboard.press('Control+c');
    await page.getByRole('button', { name: 'Open elsewhere' }).click();
    await still(cardOf(page, 'here'));
    await page.locator('.react-flow').focus();
    await page.keyboard.press('Control+v');
    await page.getByText(/because its task is not in this schedule: one → two/).waitFor();
    expect(await page.getByRole('button', { name: 'Paste below them' }).count()).toBe(0);
  });
});

describe('the lanes', () => {
  it('get the next job where the last one ends, with a field for its name', async () => {
    await server.apply(schedule('lanes', ['top', task('one')], ['low', task('two', ['one'])]));
    await edit(page, 'lanes');
    await still(cardOf(page, 'two'));
    await page.getByRole('button', { name: 'Next job' }).click();
    const field = page.getByLabel('Key of job job');
    await field.waitFor();
    await until('it has the focus', () => field.evaluate((input) => input === document.activeElement));
    await page.keyboard.type('report');
    await page.keyboard.press('Enter');
    await become('top one', 'low two', 'report');
    await page.locator('[data-invite=report]').getByText('Double-click here, or drop a task').waitFor();
    await picture(page, 'editor/next-job');
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+N');
    await become('top one', 'low two', 'report', 'job');
    await accessible(page, 'lanes with the button for the next one');
  });

  it('explain the double line and the dotted lines', async () => {
    await server.apply(schedule('gates', ['top', task('one')], ['low', task('two')]));
    await edit(page, 'gates');
    await still(cardOf(page, 'two'));
    const gate = page.locator('[data-gate=low]');
    expect(await gate.getAttribute('title')).toMatch(/^Needs all before/);
    // It is reached by the pointer, and takes no drag from the canvas.
    const box = await still(gate);
    const hit = await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.getAttribute('data-gate'), {
      x: box.x + box.width - 20,
      y: box.y + box.height / 2,
    });
    expect(hit).toBe('low');
    await page.locator('.react-flow').focus();
    await page.keyboard.press('?');
    await page
      .getByRole('dialog', { name: 'Keys' })
      .getByText(/^Double line over a job/)
      .waitFor();
    await page.keyboard.press('Escape');
  });
  it('disable a job from its menu: the lane, its cards and the table say so; undo enables it', async () => {
    await server.apply(schedule('off', ['top', task('one')], ['low', task('two'), task('three')]));
    await edit(page, 'off');
    await still(cardOf(page, 'two'));
    const head = page.locator('[data-lane-head=low]');
    const off = page.locator('[data-task][data-off]');
    await head.click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Disable job' }).click();
    await until('both cards are disabled', async () => (await off.count()) === 2);
    expect(await head.getAttribute('data-off')).not.toBeNull();
    await head.getByText('disabled', { exact: true }).waitFor();
    await picture(page, 'editor/job-disabled');
    await accessible(page, 'a disabled job');
    await page.getByRole('button', { name: 'Undo: Disable job low' }).click();
    await until('they are enabled', async () => (await off.count()) === 0);
    await page.getByRole('button', { name: 'Redo: Disable job low' }).click();
    await until('both cards are disabled again', async () => (await off.count()) === 2);
    await page.goto(`${page.url().split('?')[0] ?? ''}?view=table`);
    await until('the table says so', async () => (await page.locator('tr[data-off]').count()) === 2);
    await page.getByText('job disabled').first().waitFor();
  });
  it('give defaults to their tasks, whose forms and rows show them; the tasks stay as they are written', async () => {
    await server.apply(schedule('given', ['top', task('one')], ['low', task('two')]));
    await edit(page, 'given');
    await still(cardOf(page, 'one'));
    await page.locator('[data-lane-head=top]').click();
    await page.getByText('Defaults for its tasks').click();
    const timeout = page.locator('[data-field="defaults.timeout"] input');
    await timeout.fill('10m');
    await timeout.press('Tab');
    await picture(page, 'editor/job-defaults');
    await accessible(page, 'the defaults of a job');
    await cardOf(page, 'one').click();
    await page.locator('[data-field="timeout"] input[placeholder="from job top: 10m"]').waitFor();
    await picture(page, 'editor/inherited');
    await publish(page, 2);
    const { definition } = await server.get<{ definition: { jobs: unknown[] } }>('/schedules/given');
    expect(definition.jobs[0]).toMatchObject({ key: 'top', defaults: { timeout: '10m' } });
    expect(definition.jobs[0]).not.toHaveProperty('tasks.0.timeout');
    await page.goto(`${page.url().split('?')[0] ?? ''}?view=table`);
    await page.getByTitle('10m, from its job').waitFor();
  });
  it('reports no error', () => {
    expect(person.errors).toEqual([]);
  });
});
