import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, fits, type Appearance, menuHasFocus, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit } from './harness/editor';
import { Server } from './harness/server';
import { inReach, textNames, textsOf, worded } from './harness/texts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

// Each language, each theme and each width occurs in two of these.
const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 1280, height: 800 },
  { language: 'en', dark: true, width: 390, height: 844 },
  { language: 'zh', dark: false, width: 390, height: 844 },
] as const satisfies Appearance[];
const nameOf = ({ language, dark, width }: (typeof APPEARANCES)[number]) =>
  `${language}-${dark ? 'dark' : 'light'}-${String(width)}`;

const task = (key: string, needs: string[] = [], more = {}) => ({
  key,
  handler: 'shell',
  params: { command: `echo ${key}` },
  ...(needs.length > 0 && { needs }),
  ...more,
});
const nightly = (name: string, more = {}) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  title: 'The nightly load',
  params: { region: 'east', full: false, limit: 100 },
  jobs: [
    { key: 'extract', title: 'Extract', tasks: [task('orders', [], { timeout: '10m', ...more }), task('customers')] },
    { key: 'load', title: 'Load', tasks: [task('facts', ['orders', 'customers'])] },
  ],
});

describe('every dialog', () => {
  const names = textNames();
  let server: Server;
  let failed: number;
  beforeAll(async () => {
    server = await Server.begun();
    failed = await server.run('weather-report', { wait: true });
    await server.apply(
      (await server.hivego('export', 'weather-report')).replaceAll('precipitation_mm', 'precipitation'),
    );
    await server.apply(nightly('nightly'));
    await server.apply(nightly('changed'));
    const { jobs, ...rest } = nightly('changed', {
      title: 'All orders',
      timeout: '5m',
      params: { command: 'echo orders\necho and more' },
    });
    await server.apply({
      ...rest,
      jobs: [
        ...jobs.slice(0, 1),
        { key: 'load', title: 'Load', tasks: [task('facts', ['orders']), task('report', [], { title: 'The report' })] },
      ],
    });
  });
  afterAll(async () => {
    await server.stop();
  });

  it.each(APPEARANCES.map((appearance) => [nameOf(appearance), appearance] as const))(
    'fits, has all of its texts, keeps its controls in the window and is accessible: %s',
    async (name, appearance) => {
      const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
      const { page } = person;
      const t = textsOf(appearance.language);
      const faults: string[] = [];
      const judge = async (what: string) => {
        await picture(page, `dialogs/${what}-${name}`);
        for (const check of [
          fits(page, what),
          worded(page, names, what),
          inReach(page, what),
          accessible(page, what),
        ]) {
          await check.catch((error: unknown) => {
            faults.push(`${what}: ${String(error)} ${JSON.stringify((error as { actual?: unknown }).actual)}`);
          });
        }
      };
      const dialog = page.getByRole('dialog');
      const button = (words: string | RegExp) => page.getByRole('button', { name: words, exact: true });
      const away = async () => {
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        // The pointer may now be on a button that the dialog has covered. Its tooltip must not be in the next picture.
        await page.mouse.move(0, 0);
        await page.getByRole('tooltip').first().waitFor({ state: 'detached' });
      };

      // A new schedule, and a fault in its text
      await person.enter();
      await page.getByRole('link', { name: 'nightly' }).first().waitFor();
      await button(t('editor:create.open')).first().click();
      await dialog.getByRole('textbox').first().waitFor();
      await judge('new');
      await dialog.getByText(t('editor:create.way.text'), { exact: true }).click();
      const text = dialog.locator('textarea').or(dialog.locator('.cm-content')).first();
      await text.fill(
        'apiVersion: hivego/v1\nkind: Schedule\nname: wrong\n' +
          'jobs:\n  - key: one\n    tasks:\n      - key: a\n        handlr: shell\n',
      );
      await dialog.getByRole('button', { name: t('editor:create.go') }).click();
      await dialog
        .getByText(t('editor:create.line', { line: 8 }))
        .first()
        .waitFor();
      await judge('new-yaml');
      await away();

      // A run with parameters; one of them is wrong.
      await page
        .getByRole('button', { name: /\bnightly\b/ })
        .first()
        .click();
      const limit = dialog.getByLabel('limit');
      await limit.fill('many');
      await dialog.getByLabel('region').fill('west');
      await dialog.getByRole('button', { name: t('run:runNow') }).click();
      await dialog.getByText(t('run:notNumber')).waitFor();
      await judge('run-params');
      await away();

      // An executor that does not answer
      await page.goto('/executors');
      await button(t('executors:add.open')).first().click();
      await dialog.getByText(t('executors:add.byAddress'), { exact: true }).click();
      await dialog
        .getByRole('textbox', { name: t('executors:add.address') })
        .first()
        .fill('127.0.0.1');
      await dialog.getByText(t('executors:add.addressWrong')).waitFor();
      await judge('executor-address');
      await dialog
        .getByRole('textbox', { name: t('executors:add.address') })
        .first()
        .fill('127.0.0.1:1');
      await dialog.getByRole('button', { name: t('executors:add.connect') }).click();
      await dialog.getByRole('alert').waitFor();
      await judge('executor-silent');
      await away();

      // The plan of a repair
      await page.goto(`/batches/${String(failed)}`);
      await button(new RegExp(`^(${t('batch:action.resume')}|${t('batch:action.resumeCount_other', { count: 2 })})$`))
        .first()
        .click();
      await dialog.getByText('v2').first().click();
      await dialog.getByText('report').first().waitFor();
      await dialog.locator('[data-stale="true"]').waitFor({ state: 'detached' });
      await judge('plan');
      await away();

      // The history with the changes of a revision, in its three forms
      for (const [way, ready] of [
        ['graph', '[data-diff]'],
        ['list', 'section li'],
        ['text', '.cm-content'],
      ] as const) {
        await edit(page, 'changed', `?view=history&from=1&to=2&as=${way}`);
        await page.locator(ready).first().waitFor();
        await judge(`history-${way}`);
      }

      // On the canvas: the dialog that adds a task, the menu, the list of keys
      const mine = `mine-${name}`;
      await server.apply(nightly(mine));
      await edit(page, mine);
      await cardOf(page, 'facts').waitFor();
      const quick = new RegExp(`^${t('canvas:quick.label')}`);
      await page.locator('.react-flow').focus();
      await page.keyboard.press('a');
      await page.getByRole('dialog', { name: quick }).getByRole('option').first().waitFor();
      await judge('quick-add');
      await away();
      for (const [what, target] of [
        ['menu', cardOf(page, 'orders')],
        ['menu-job', page.locator('[data-lane-head="load"]')],
      ] as const) {
        await target.click({ button: 'right' });
        await menuHasFocus(page);
        await judge(what);
        await page.keyboard.press('Escape');
        await page.getByRole('menu').waitFor({ state: 'detached' });
      }
      await button(t('canvas:tools.keys')).click();
      await dialog.waitFor();
      await judge('keys');
      await away();

      // Publishing: the faults of the draft, the changes of the revision, and a conflict with another user
      const timeout = page.getByRole('textbox', { name: t('inspector:timeout'), exact: true });
      const limited = async (to: string) => {
        await edit(page, mine, '?task=orders');
        await timeout.fill(to);
        await timeout.press('Tab');
        await page.locator('a[data-draft], span[data-draft]').first().waitFor();
        await page.goto(`/schedules/${mine}`);
        await page.getByRole('tablist').first().waitFor();
        await page.locator('a[data-draft], span[data-draft]').first().waitFor();
        await page
          .getByRole('button', { name: t('editor:publish.go', { revision: 2 }) })
          .first()
          .click();
        await dialog.waitFor();
      };
      await limited('soon');
      await dialog
        .getByRole('button', { name: t('editor:publish.go', { revision: 2 }) })
        .and(page.locator('[disabled]'))
        .waitFor();
      await judge('publish-faults');
      await away();
      await limited('90s');
      await dialog
        .getByRole('button', { name: t('editor:publish.go', { revision: 2 }) })
        .and(page.locator(':enabled'))
        .waitFor();
      await judge('publish');
      await server.apply(nightly(mine, { timeout: '1h', title: 'All orders' }));
      await dialog.getByRole('button', { name: t('editor:publish.go', { revision: 2 }) }).click();
      await dialog.getByText(t('editor:conflict.take.theirs'), { exact: true }).waitFor();
      await judge('conflict');
      await away();
      await page.getByText(t('editor:conflict.take.theirs'), { exact: true }).waitFor();
      await judge('conflict-left');
      expect(faults).toEqual([]);
      expect(person.errors).toEqual([]);
      await person.leave();
    },
  );
});
