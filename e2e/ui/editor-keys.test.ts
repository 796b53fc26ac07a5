import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hold, menuHasFocus, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit, laneOf, lanesOf, openTask, publish, still, tasksOn, viewTab } from './harness/editor';
import { type Definition, schedule, task } from './harness/schedules';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('the editor', () => {
  let server: Server;
  let person: Person;
  let page: Page;
  beforeAll(async () => {
    server = await Server.begun();
    person = await Person.come(browser, server, { height: 900 });
    page = person.page;
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  const saved = async (name: string) => (await server.get<{ definition: Definition }>(`/schedules/${name}`)).definition;
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const become = (...want: string[]) =>
    until(
      `the lanes are ${want.join(' | ')}`,
      async () => JSON.stringify(await lanesOf(page)) === JSON.stringify(want),
    ).catch(async (error: unknown) => {
      expect(await lanesOf(page)).toEqual(want);
      throw error;
    });
  const last = (step: string) => page.getByRole('button', { name: `Undo: ${step}` }).waitFor();
  const unchanged = () => page.getByText('published · v1').waitFor();
  /** The name of the focused element. On the canvas it is the card or lane to which the keys apply. */
  const focused = () =>
    page.evaluate(() => {
      const at = document.activeElement;
      const card = document.getElementById(at?.getAttribute('aria-activedescendant') ?? '');
      const label = at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : undefined;
      return (
        card?.dataset.task ?? card?.dataset.laneHead ?? at?.getAttribute('aria-label') ?? label ?? at?.textContent ?? ''
      );
    });
  const stepTo = async (goal: string | RegExp, key: string) => {
    const stops: string[] = [];
    for (let i = 0; i < 60; i++) {
      const at = await focused();
      if (typeof goal === 'string' ? at === goal : goal.test(at)) return;
      stops.push(at.slice(0, 30));
      await page.keyboard.press(key);
    }
    throw new Error(`${String(goal)} is not reached by ${key}: ${stops.join(' | ')}`);
  };
  /** Moves the focus to the canvas by Tab. */
  const onCanvas = async (first: string) => {
    await cardOf(page, first).waitFor();
    await viewTab(page, 'Canvas').focus();
    await stepTo(first, 'Tab');
  };

  it('a click selects the visible card, even before the drawer is loaded: nothing moves under it', async () => {
    await server.apply(schedule('early', ['top', task('one'), task('two')], ['low', task('three', ['one'])]));
    const other = await Person.come(browser, server, { height: 900 });
    const release = await hold(other.page, /\/assets\/Inspector-[^/]*\.js$/);
    await other.enter();
    await edit(other.page, 'early');
    const before = await still(cardOf(other.page, 'two'));
    expect(await other.page.locator('[data-inspector]').count()).toBe(0);
    await other.page.mouse.click(before.x + 40, before.y + 20);
    await other.page.locator('[data-task="two"][aria-pressed="true"]').waitFor();
    release();
    await other.page.getByLabel('Key', { exact: true }).waitFor();
    expect(await other.page.getByLabel('Key', { exact: true }).inputValue()).toBe('two');
    expect(await still(cardOf(other.page, 'two'))).toEqual(before);
    // The address follows the click.
    await other.page.waitForURL('**/schedules/early?task=two');
    expect(other.errors).toEqual([]);
    await other.leave();
  });

  it('dependencies that change nothing are shown on request, and removed all at once', async () => {
    await server.apply(
      schedule(
        'redundant',
        ['top', task('a'), task('x')],
        ['mid', task('b', ['a']), task('y', ['x'])],
        ['low', task('c', ['a', 'b']), task('z', ['x', 'y'])],
      ),
    );
    await edit(page, 'redundant');
    await cardOf(page, 'z').waitFor();
    const wires = page.locator('.react-flow svg g[class*="redundant"] path');
    const toggle = page.getByRole('button', { name: 'All dependencies' });
    expect(await toggle.getAttribute('aria-pressed')).toBe('false');
    expect(await wires.count()).toBe(0);
    await toggle.click();
    await wires.first().waitFor();
    await page.locator('button[aria-label="All dependencies"][aria-pressed="true"]').waitFor();
    await picture(page, 'editor/redundant');
    await toggle.click();
    await wires.first().waitFor({ state: 'detached' });
    await openTask(page, 'c');
    await page.locator('[data-field="needs"] [data-redundant]').getByText('a', { exact: true }).waitFor();

    await page.getByRole('button', { name: 'Remove redundant dependencies' }).click();
    await last('Remove 2 redundant dependencies');
    await page.locator('[data-field="needs"] [data-redundant]').waitFor({ state: 'detached' });
    await toggle.waitFor({ state: 'detached' }); // none is left to show
    await page.getByRole('button', { name: 'Remove redundant dependencies' }).click();
    await page.getByText('There are no redundant dependencies').waitFor();
    await page.getByRole('button', { name: 'Undo: Remove 2 redundant dependencies' }).click();
    await unchanged();
    await page.locator('[data-field="needs"] [data-redundant]').waitFor();
    await page.getByRole('button', { name: 'Redo: Remove 2 redundant dependencies' }).click();
    await publish(page, 2);
    expect((await saved('redundant')).jobs[2]?.tasks?.map(({ key, needs }) => [key, needs])).toEqual([
      ['c', ['b']],
      ['z', ['y']],
    ]);
  });

  it('a drag in the map moves the view of a large schedule, and nothing else', async () => {
    const jobs = Array.from({ length: 40 }, (_, j): [string, ...ReturnType<typeof task>[]] => [
      `j${String(j)}`,
      ...Array.from({ length: 5 }, (_, i) => task(`t${String(j)}-${String(i)}`)),
    ]);
    await server.apply(schedule('mapped', ...jobs));
    await edit(page, 'mapped');
    await page.getByRole('button', { name: 'Cards', exact: true }).click(); // it opens with a bar for each job
    await cardOf(page, 't15-0').waitFor(); // the middle stays in its place
    const map = await still(page.locator('[data-map]'));
    const x = map.x + map.width / 2;
    await page.mouse.move(x, map.y + map.height / 2);
    await page.mouse.down();
    await page.mouse.move(x, map.y + 4, { steps: 4 });
    await cardOf(page, 't0-0').waitFor();
    await page.mouse.move(x, map.y + map.height / 2, { steps: 4 });
    await cardOf(page, 't20-0').waitFor();
    await cardOf(page, 't0-0').waitFor({ state: 'detached' });
    await picture(page, 'editor/map');
    await page.mouse.move(x, map.y + map.height - 2, { steps: 4 });
    await page.mouse.up();
    await cardOf(page, 't39-4').waitFor();
    // After the release the map ignores the pointer.
    await page.mouse.move(x, map.y + 4, { steps: 4 });
    const there = await still(cardOf(page, 't39-0'));
    const scene = await still(page.locator('.react-flow'));
    expect(there.y + there.height).toBeLessThan(scene.y + scene.height);
    expect(await page.locator('[data-editable][aria-pressed="true"]').count()).toBe(0);
    await unchanged();
  });

  it('a job has a timeout: a wrong one is reported at its field, and prevents publishing', async () => {
    await server.apply(schedule('limits', ['top', task('one')], ['low', task('two', ['one'])]));
    await edit(page, 'limits');
    await laneOf(page, 'low').click();
    const drawer = page.getByRole('complementary', { name: 'Job' });
    const timeout = drawer.getByRole('textbox', { name: 'Timeout', exact: true });
    const field = drawer.locator('[data-field="timeout"]');
    await timeout.fill('soon');
    await timeout.press('Tab');
    await field
      .getByText(/is not a duration|Write one such as/)
      .first()
      .waitFor();
    expect(await timeout.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'editor/job-fault');
    // In the dialog that refuses to publish, the fault leads back to its field.
    await page.getByRole('button', { name: /^Publish v2/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 fault to correct first').waitFor();
    expect(await dialog.getByRole('button', { name: /^Publish v2/ }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: /low/ }).first().click();
    await dialog.waitFor({ state: 'detached' });
    await until('the field has the focus', () => timeout.evaluate((input) => input === document.activeElement));
    await page.keyboard.press('Control+a');
    await page.keyboard.type('1h30m');
    await page.keyboard.press('Enter');
    await field
      .getByText(/is not a duration|Write one such as/)
      .first()
      .waitFor({ state: 'detached' });
    await publish(page, 2);
    expect((await saved('limits')).jobs.map(({ key, timeout: limit }) => [key, limit])).toEqual([
      ['top', undefined],
      ['low', '1h30m'],
    ]);
  });

  it('by keys alone: tasks move to other lanes, and lanes change their order, each in one step to undo', async () => {
    await server.apply(
      schedule(
        'moved',
        ['top', task('one'), task('two')],
        ['mid', task('three', ['one'])],
        ['low', task('four', ['three'])],
      ),
    );
    await edit(page, 'moved');
    await onCanvas('one');
    await stepTo('two', 'ArrowRight');
    await press('Alt+Shift+ArrowDown');
    await become('top one', 'mid three two', 'low four');
    await last('Move two');
    await press('Alt+Shift+ArrowDown');
    await become('top one', 'mid three', 'low four two');
    await press('Alt+Shift+ArrowDown'); // below the last lane: a new lane
    await until('there are four lanes, and it is alone in the last one', async () => {
      const lanes = await lanesOf(page);
      return lanes.length === 4 && /^\S+ two$/.test(lanes[3] ?? '') && lanes[2] === 'low four';
    });
    for (let i = 0; i < 3; i++) await press('Control+z');
    await become('top one two', 'mid three', 'low four');
    await unchanged();

    // Left of a lane's first card is the lane itself.
    await stepTo('one', 'ArrowLeft');
    await stepTo('top', 'ArrowLeft');
    await stepTo('low', 'ArrowDown');
    await press('Alt+Shift+ArrowUp');
    await become('top one two', 'low four', 'mid three');
    await last('Move job low; 1 dependency dropped');
    expect(await focused()).toBe('low'); // the keys still apply to it
    await press('Alt+Shift+ArrowUp');
    await become('low four', 'top one two', 'mid three');
    await press('Alt+Shift+ArrowUp'); // it is the first already
    await press('Alt+Shift+ArrowDown');
    await become('top one two', 'low four', 'mid three');
    for (let i = 0; i < 3; i++) await press('Control+z');
    await become('top one two', 'mid three', 'low four');
    await unchanged();
  });

  it('by keys alone: tasks are copied into another schedule, with their dependencies', async () => {
    await server.apply(schedule('source', ['top', task('one')], ['low', task('two', ['one']), task('three')]));
    await server.apply(schedule('target', ['only', task('here')], ['then', task('there')]));
    await edit(page, 'source');
    await onCanvas('one');
    await press('Space');
    await stepTo('two', 'ArrowDown');
    await press('Space');
    await page.getByText('2 tasks', { exact: true }).last().waitFor();
    await press('Control+c');
    await page.getByText('2 tasks copied.').waitFor({ state: 'attached' });
    await edit(page, 'target');
    await onCanvas('here');
    await press('Control+v');
    await until(
      'both are there',
      async () => JSON.stringify(await tasksOn(page)) === JSON.stringify(['here', 'one', 'there', 'two']),
    );
    await last('Paste 2 tasks');
    // A second paste gives other keys to the tasks, and one step undoes it.
    await press('Control+v');
    await until('they are there twice', async () => (await tasksOn(page)).length === 6);
    await press('Control+z');
    await until('they are there once', async () => (await tasksOn(page)).length === 4);
    await publish(page, 2);
    const tasks = (await saved('target')).jobs.flatMap((job) => job.tasks ?? []);
    expect(tasks.find(({ key }) => key === 'two')).toMatchObject({ needs: ['one'], params: { command: 'echo two' } });
  });

  it('by keys alone: the table is sorted, marked, and changed in bulk', async () => {
    await server.apply(schedule('rows', ['top', task('b'), task('c'), task('a')], ['low', task('d', ['a'])]));
    await edit(page, 'rows', '?view=table');
    const order = () =>
      page.locator('tr[data-row]').evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.row).join(' '));
    const ordered = (want: string) => until(`the rows are ${want}`, async () => (await order()) === want);
    await ordered('b c a d');
    await viewTab(page, 'Table').focus();
    await stepTo('Task', 'Tab');
    await press('Enter');
    await page.locator('th[aria-sort="ascending"][data-column="task"]').waitFor();
    await ordered('a b c d');
    expect(await focused()).toBe('Task');
    await press('Enter');
    await ordered('d c b a');
    await press('Enter'); // in the order of the document
    await ordered('b c a d');
    await press('Enter');
    await ordered('a b c d');

    await stepTo('Mark a', 'Tab');
    await press('Space', 'ArrowDown');
    await until('the next row has the focus', async () => (await focused()) === 'Mark b');
    await press('Space');
    const bulk = page.getByRole('group', { name: '2 tasks marked' });
    await bulk.waitFor();
    await stepTo('Disable', 'Shift+Tab');
    await press('Enter');
    await until('two are off', async () => (await page.locator('tr[data-off]').count()) === 2);
    await stepTo('Move to a job', 'Shift+Tab');
    await press('Enter');
    await menuHasFocus(page);
    await stepTo('low', 'ArrowDown');
    await press('Enter');
    await until(
      'both are in the other job',
      async () => (await page.locator('tr[data-row="b"]').getByText('low').count()) === 1,
    );
    await until("the focus is back at the menu's button", async () => (await focused()) === 'Move to a job');
    // In the drawer one field changes all marked tasks.
    await stepTo('Edit', 'Shift+Tab');
    await press('Enter');
    await until('the drawer has the focus', async () => (await focused()) === 'Handler').catch(
      async (error: unknown) => {
        throw new Error(`${String(error)}: ${await focused()}`);
      },
    );
    await stepTo('Timeout', 'Tab');
    await page.keyboard.type('5m');
    await press('Enter');
    await last('Edit 2 tasks');
    await picture(page, 'editor/bulk-keys');
    await publish(page, 2);
    const { jobs } = await saved('rows');
    expect(jobs.map(({ key, tasks = [] }) => [key, ...tasks.map((each) => each.key)])).toEqual([
      ['top', 'c'],
      ['low', 'd', 'b', 'a'],
    ]);
    expect(
      jobs.flatMap(({ tasks = [] }) => tasks).map(({ key, disabled, timeout: limit }) => [key, disabled, limit]),
    ).toEqual([
      ['c', undefined, undefined],
      ['d', undefined, undefined],
      ['b', true, '5m'],
      ['a', true, '5m'],
    ]);
  });

  it('on a phone rows are marked one after the other; their fields open on request and keep the marks', async () => {
    await server.apply(schedule('thumbs', ['top', task('a'), task('b'), task('c')]));
    await page.setViewportSize({ width: 390, height: 844 });
    await edit(page, 'thumbs', '?view=table');
    await page.getByRole('checkbox', { name: 'Mark a', exact: true }).check();
    await page.getByRole('checkbox', { name: 'Mark b' }).check();
    const bulk = page.getByRole('group', { name: '2 tasks marked' });
    await bulk.waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await picture(page, 'editor/marked-390');
    await bulk.getByRole('button', { name: 'Edit' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('textbox', { name: 'Timeout', exact: true }).fill('7m');
    await page.keyboard.press('Enter');
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'detached' });
    await bulk.waitFor();
    await page.getByRole('button', { name: 'Timeout of b: 7m' }).waitFor();
    await page.getByText('draft · 2 changes since v1').waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('an old revision is restored from the history, and that is undone in one step', async () => {
    await server.apply(schedule('old', ['top', task('one')], ['low', task('two', ['one'])]));
    await server.apply(schedule('old', ['top', task('one'), task('new')]));
    await server.apply(schedule('old', ['top', { ...task('one'), params: { command: 'echo changed' } }, task('new')]));
    await edit(page, 'old', '?view=history');
    await page.getByRole('navigation', { name: 'Revisions' }).getByRole('link', { name: /^v1\b/ }).click();
    await page.getByRole('button', { name: 'Restore v1' }).click();
    await page.getByText(/^v1 is in your draft/).waitFor();
    await last('Restore an older revision');
    await page.getByText(/^draft · \d changes since v3$/).waitFor();
    await viewTab(page, 'Canvas').click();
    await become('top one', 'low two');
    await page.getByRole('button', { name: 'Undo: Restore an older revision' }).click();
    await page.getByText('published · v3').waitFor();
    await become('top one new');
    await page.getByRole('button', { name: 'Redo: Restore an older revision' }).click();
    await become('top one', 'low two');
    await publish(page, 4);
    expect((await saved('old')).jobs.map(({ key, tasks = [] }) => [key, ...tasks.map((each) => each.key)])).toEqual([
      ['top', 'one'],
      ['low', 'two'],
    ]);
    expect((await saved('old')).jobs[0]?.tasks?.[0]?.params?.command).toBe('echo one');
    // The restored-over revision stays in the history.
    await viewTab(page, 'History').click();
    await page.getByRole('navigation', { name: 'Revisions' }).getByRole('link', { name: /^v3\b/ }).waitFor();
    expect(person.errors).toEqual([]);
  });
});
