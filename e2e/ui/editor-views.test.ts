import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, dialogHasFocus, openBrowser, Person, picture } from './harness/browser';
import {
  cardOf,
  drag,
  edit,
  openTask,
  publish,
  publishButton,
  replaceIn,
  still,
  viewTab,
  writeCode,
  yamlOf,
} from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const task = (key: string, needs?: string[]) => ({
  key,
  handler: 'shell',
  params: { command: `echo ${key}` },
  ...(needs && { needs }),
});
const plan = (name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  timezone: 'Asia/Shanghai',
  jobs: [
    { key: 'top', tasks: [task('one'), task('two')] },
    { key: 'low', tasks: [task('three', ['one'])] },
  ],
});
const COMMENTED = `apiVersion: hivego/v1
kind: Schedule
name: commented
# Why this schedule is there.
jobs:
  - key: first
    tasks:
      # The first of them.
      - key: one
        handler: shell
        params:
          command: echo one # a comment at the end of a line
      - key: two
        handler: shell
        params:
          command: |
            echo two
            echo and more
`;

interface Definition {
  triggers?: { cron: string }[];
  timezone?: string;
  jobs: {
    key: string;
    tasks?: {
      key: string;
      handler: string;
      timeout?: string;
      priority?: number;
      disabled?: boolean;
      params?: Record<string, unknown>;
    }[];
  }[];
}

describe('the views of a schedule', () => {
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

  it('drawer: the form of each handler, faults at their field, and a preview of the values', async () => {
    await server.apply(plan('drawer'));
    await edit(page, 'drawer');
    await openTask(page, 'one');
    // The help of each field is visible before the field has the focus.
    const helps = page.locator('[data-field] [id$="-help"]');
    await helps.first().waitFor();
    expect(
      await helps.evaluateAll((all) =>
        all
          .filter((help) => {
            const { overflow, whiteSpace } = getComputedStyle(help);
            return overflow !== 'visible' || whiteSpace === 'nowrap' || help.scrollWidth > help.clientWidth + 1;
          })
          .map((help) => help.textContent),
      ),
    ).toEqual([]);
    await writeCode(page, 'Command', 'echo "today"');
    const folder = page.getByLabel('Folder', { exact: true });
    await folder.fill('stage/${{ tick.date }}');
    await folder.press('Tab');
    await page.getByText('What it would run now').click();
    await page
      .getByText(/^stage\/\d{4}-\d\d-\d\d$/)
      .first()
      .waitFor();
    await page.getByText('given at run time').waitFor(); // the number of the batch, which does not exist yet
    await picture(page, 'editor/preview');
    const timeout = page.getByRole('textbox', { name: 'Timeout', exact: true });
    await timeout.fill('soon');
    await timeout.press('Tab');
    await page
      .locator('[data-field="timeout"]')
      .getByText(/is not a duration|Write one such as 30 ?s/)
      .first()
      .waitFor();
    await picture(page, 'editor/fault');
    await timeout.fill('90s');
    await timeout.press('Tab');

    const handler = page
      .getByRole('combobox', { name: 'Handler' })
      .or(page.getByRole('textbox', { name: 'Handler' }))
      .first();
    for (const [name, sign] of [
      ['sql', /Statements|SQL/],
      ['http', /Address|URL/],
    ] as const) {
      await handler.fill(name);
      await handler.press('Enter');
      await page.getByLabel(sign).first().waitFor();
      await picture(page, `editor/form-${name}`);
    }
    await publishButton(page).first().click();
    await page
      .getByRole('dialog')
      .getByText(/fault.* to correct first/)
      .waitFor();
    expect(
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Publish v2/ })
        .isDisabled(),
    ).toBe(true);
    await dialogHasFocus(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('drawer: several tasks at once are one step to undo', async () => {
    await server.apply(plan('several'));
    await edit(page, 'several');
    const one = await still(cardOf(page, 'one'));
    const two = await still(cardOf(page, 'two'));
    await drag(
      page,
      { x: Math.min(one.x, two.x) - 8, y: one.y - 10 },
      { x: Math.max(one.x, two.x) + 190, y: one.y + one.height + 6 },
    );
    await page.getByText('2 tasks', { exact: true }).last().waitFor();
    const timeout = page.getByRole('textbox', { name: 'Timeout', exact: true });
    await timeout.fill('10m');
    await timeout.press('Enter');
    await page.getByText('draft · 2 changes since v1').waitFor();
    await page.getByRole('button', { name: 'Undo: Edit 2 tasks' }).click();
    await page.getByText('published · v1').waitFor();
    await page.getByRole('button', { name: 'Redo: Edit 2 tasks' }).click();
    await publish(page, 2);
    expect(
      (await saved('several')).jobs.flatMap((job) => job.tasks ?? []).map(({ key, timeout: limit }) => [key, limit]),
    ).toEqual([
      ['one', '10m'],
      ['two', '10m'],
      ['three', undefined],
    ]);
  });

  it('settings: a trigger in words, its next ticks, and the zone', async () => {
    await server.apply(plan('settings'));
    await edit(page, 'settings', '?view=settings');
    await page.getByRole('button', { name: 'Add a trigger' }).click();
    await page.getByRole('combobox', { name: 'Unit of the cycle' }).selectOption({ label: 'week' });
    await page.getByLabel('Time 1').fill('06:30');
    await page.getByLabel('Time 1').press('Enter');
    await page.getByText(/06:30/).nth(1).waitFor();
    await picture(page, 'editor/trigger');
    await publish(page, 2);
    const { triggers } = await saved('settings');
    expect(triggers).toHaveLength(1);
    expect(triggers?.[0]?.cron).toMatch(/^30 6 \* \* \S+$/);
    // The schedule's page shows the next runs.
    await viewTab(page, 'Canvas').click();
    await page.getByText('Next runs').waitFor();
    await page.getByText(/06:30/).first().waitFor();
  });

  it('yaml: is edited as text, shows its faults by line, survives a reload, and keeps comments', async () => {
    await server.apply(COMMENTED);
    await edit(page, 'commented', '?view=yaml');
    const text = page.locator('.cm-content');
    await text.getByText('# Why this schedule is there.').waitFor();
    await page.getByText('Text and draft agree').waitFor();
    const whole = await yamlOf(page);
    await replaceIn(text, whole.replace('handler: shell', 'handlr: shell'));
    await page.getByText(/Not in the draft yet/).waitFor();
    await page
      .getByRole('region', { name: 'Faults' })
      .getByRole('button', { name: /^Line \d+/ })
      .first()
      .waitFor();
    await picture(page, 'editor/yaml-fault');
    await page.reload();
    await text.getByText('handlr: shell').waitFor();
    await page.getByText(/Not in the draft yet/).waitFor();
    await replaceIn(text, whole.replace('echo one', 'echo the first'));
    await page.getByText('Text and draft agree').waitFor();
    await page.getByText('draft · 1 change since v1').waitFor();
    await viewTab(page, 'Canvas').click();
    await openTask(page, 'one');
    await page.getByRole('textbox', { name: 'Command', exact: true }).getByText('echo the first').waitFor();
    await publish(page, 2);
    expect(await server.hivego('export', 'commented')).toBe(COMMENTED.replace('echo one', 'echo the first').trim());
  });

  it('change nothing when they are only opened', async () => {
    await server.apply(COMMENTED.replace('name: commented', 'name: looked-at'));
    const before = await server.hivego('export', 'looked-at');
    await edit(page, 'looked-at');
    await openTask(page, 'two');
    for (const view of ['Table', 'YAML', 'Settings', 'History', 'Canvas']) {
      await viewTab(page, view).click();
      await until(
        `${view} is the view`,
        async () => (await viewTab(page, view).getAttribute('aria-selected')) === 'true',
      );
      await page.getByRole('tabpanel').waitFor();
    }
    await cardOf(page, 'two').waitFor();
    await page.getByText('published · v1').waitFor();
    // Without changes the dialog for publishing does not open.
    expect(await publishButton(page).first().getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing has changed since v1.').first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await server.hivego('export', 'looked-at')).toBe(before);
  });

  it('history: draws and counts removed tasks and dependencies, also on a phone', async () => {
    await server.apply({
      ...plan('gone'),
      jobs: [
        { key: 'top', tasks: [task('one'), task('two')] },
        { key: 'low', tasks: [task('three', ['one', 'two']), task('four', ['two'])] },
      ],
    });
    await server.apply({
      ...plan('gone'),
      jobs: [
        { key: 'top', tasks: [task('one'), task('two')] },
        { key: 'low', tasks: [task('three', ['one'])] },
      ],
    });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await edit(page, 'gone', '?view=history&from=1&to=2&as=graph');
      await page.getByText('2 removed dependencies', { exact: true }).waitFor();
      await page
        .getByRole('button', { name: /^three\b.*changed · Waits for.*needs 1 task, no longer waits for two$/ })
        .waitFor();
      await page.getByRole('button', { name: /^four\b.*removed/ }).waitFor();
      const lines = await page
        .locator('.react-flow svg path')
        .evaluateAll(
          (paths) =>
            paths.map((path) => getComputedStyle(path)).filter((style) => style.strokeDasharray === '6px, 4px').length,
        );
      expect(lines, `dashed lines at a width of ${String(width)}`).toBe(1);
      const [scene, card] = [
        await still(page.locator('.react-flow')),
        await still(page.locator('[data-diff="removed"]')),
      ];
      expect(card.y + card.height, `the card is in the picture at a width of ${String(width)}`).toBeLessThan(
        scene.y + scene.height,
      );
      await accessible(page, `what is gone, at a width of ${String(width)}`);
      await picture(page, `editor/gone-${String(width)}`);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('table: sorts, finds, is edited, and changes several tasks at once', async () => {
    await server.apply(plan('table'));
    await edit(page, 'table', '?view=table');
    const rows = page.locator('tr[data-row]');
    const order = () => rows.evaluateAll((all) => all.map((row) => (row as HTMLElement).dataset.row));
    await until('there are three rows', async () => (await rows.count()) === 3);
    const sort = page.getByRole('columnheader', { name: 'Task' }).getByRole('button');
    await sort.click();
    await until(
      'sorted upwards',
      async () => JSON.stringify(await order()) === JSON.stringify(['one', 'three', 'two']),
    );
    await sort.click();
    await until(
      'sorted downwards',
      async () => JSON.stringify(await order()) === JSON.stringify(['two', 'three', 'one']),
    );
    const find = page.getByRole('textbox', { name: 'Find tasks' });
    await find.fill('thr');
    await until('one is found', async () => JSON.stringify(await order()) === JSON.stringify(['three']));
    await find.fill('');
    await until('all are shown', async () => (await rows.count()) === 3);

    await page.getByRole('button', { name: /^Timeout of one/ }).click();
    await page.getByRole('textbox', { name: 'Timeout of one' }).fill('5m');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Timeout of one: 5m' }).waitFor();
    await page.getByRole('checkbox', { name: 'Mark one' }).check();
    await page.getByRole('checkbox', { name: 'Mark two' }).check();
    const bulk = page.getByRole('group', { name: '2 tasks marked' });
    await bulk.getByRole('button', { name: 'Disable' }).click();
    await until('two are off', async () => (await page.locator('tr[data-off]').count()) === 2);
    await page.getByRole('checkbox', { name: 'Mark one' }).uncheck();
    await page.getByRole('group', { name: '1 task marked' }).getByRole('button', { name: 'Move to a job' }).click();
    await page.getByRole('menuitem', { name: 'low' }).click();
    await picture(page, 'editor/table');
    await publish(page, 2);
    const { jobs } = await saved('table');
    expect(jobs.map(({ key, tasks = [] }) => [key, ...tasks.map((each) => each.key)])).toEqual([
      ['top', 'one'],
      ['low', 'three', 'two'],
    ]);
    expect(
      jobs.flatMap(({ tasks = [] }) => tasks).map(({ key, disabled, timeout }) => [key, disabled, timeout]),
    ).toEqual([
      ['one', true, '5m'],
      ['three', undefined, undefined],
      ['two', true, undefined],
    ]);
    expect(person.errors).toEqual([]);
  });
});
