import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connection, shows } from './harness/batch';
import { accessible, fits, type Appearance, menuHasFocus, openBrowser, Person, picture } from './harness/browser';
import { Proxy } from './harness/proxy';
import { Server, until } from './harness/server';
import { inReach, textNames, worded } from './harness/texts';

const APPEARANCES: Appearance[] = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 1280, height: 800 },
  { language: 'en', dark: true, width: 390, height: 844 },
  { language: 'zh', dark: false, width: 390, height: 844 },
];
const nameOf = (appearance: Appearance) =>
  `${appearance.language ?? 'en'}-${appearance.dark ? 'dark' : 'light'}-${String(appearance.width)}`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('every page', () => {
  const names = textNames();
  let server: Server;
  let proxy: Proxy;
  let fresh: Server; // a server without any user
  let succeeded: number;
  let failed: number;
  let running: number;
  beforeAll(async () => {
    [server, fresh] = await Promise.all([Server.begun(), Server.start()]);
    proxy = await Proxy.before(server.url);
    const person = await Person.come(browser, server);
    await person.enter('/batches');
    await picture(person.page, 'appearance/batches-empty');
    await accessible(person.page, 'the list of batches without any');
    await person.leave();
    succeeded = await server.run('warehouse', { wait: true });
    failed = await server.run('weather-report', { wait: true });
    await server.hivego('resume', String(failed));
    await until('the second round has failed', async () => {
      const batch = await server.batch(failed);
      return batch.round === 2 && !batch.live;
    });
    await server.apply(
      (await server.hivego('export', 'weather-report')).replaceAll('precipitation_mm', 'precipitation'),
    );
    const task = (key: string, title: string, command: string, needs?: string[]) => ({
      key,
      title,
      handler: 'shell',
      params: { command },
      ...(needs && { needs }),
    });
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'nightly',
      title: 'The nightly load',
      timezone: 'Europe/Berlin',
      triggers: [{ cron: '0 0 2 * * *' }],
      params: { region: 'east', full: false, limit: 100 },
      jobs: [
        {
          key: 'extract',
          title: 'Extract',
          tasks: [
            task('orders', 'Orders', 'echo 0.4 > "$HIVEGO_PROGRESS"; sleep 1; echo orders'),
            task('customers', 'Customers', `echo 0.6 > "$HIVEGO_PROGRESS"; ${server.gated('customers')}`),
            task('prices', 'Prices', 'echo "error: no price list today" >&2; exit 7'),
          ],
        },
        {
          key: 'load',
          title: 'Load',
          tasks: [
            task('facts', 'Facts', 'true', ['orders', 'customers']),
            task('offers', 'Offers', 'true', ['prices']),
          ],
        },
        { key: 'report', title: 'Report', tasks: [task('mail', 'Mail the report', 'true', ['facts', 'offers'])] },
      ],
    });
    running = await server.run('nightly');
    await server.run('nightly', { args: ['--task', 'prices'] });
    await server.hivego('disable', 'nightly');
    await server.hivego('enable', 'nightly');
  });
  afterAll(async () => {
    await proxy.close();
    await server.stop();
    await fresh.stop();
  });

  it.each(APPEARANCES.map((appearance) => [nameOf(appearance), appearance] as const))(
    'fits, reads well and is accessible: %s',
    async (name, appearance) => {
      const person = await Person.come(browser, { url: proxy.url }, { ...appearance, reducedMotion: true });
      const { page } = person;
      const faults: string[] = []; // of all pages, so that one run reports them all
      const judge = async (what: string, at = page) => {
        await picture(at, `appearance/${what}-${name}`);
        for (const check of [fits(at, what), worded(at, names, what), inReach(at, what), accessible(at, what)]) {
          await check.catch((error: unknown) => {
            faults.push(`${what}: ${String(error)} ${JSON.stringify((error as { actual?: unknown }).actual)}`);
          });
        }
      };
      const phone = appearance.width === 390;
      const button = (en: RegExp, zh: RegExp) =>
        page.getByRole('button', { name: appearance.language === 'zh' ? zh : en });

      // Before the login
      const visitor = await Person.come(browser, fresh, { ...appearance, reducedMotion: true });
      await visitor.page.goto('/');
      await visitor.page.waitForURL('**/setup');
      await visitor.page.getByRole('button').first().waitFor();
      await judge('setup', visitor.page);
      expect(visitor.errors).toEqual([]);
      await visitor.leave();
      await page.goto('/login');
      await page.getByRole('button').first().waitFor();
      await judge('login');

      await person.enter();
      await page.getByRole('link', { name: 'warehouse' }).first().waitFor();
      await connection(page, 'live');
      await judge('schedules');
      await page.goto('/?q=nothing-like-this');
      await page.getByRole('main').getByRole('button').last().waitFor();
      await judge('schedules-none');
      await page.goto('/batches');
      await page
        .getByRole('link', { name: /warehouse/ })
        .first()
        .waitFor();
      await judge('batches');
      await page.goto('/batches?state=canceled');
      await page.getByRole('main').getByRole('button').last().waitFor();
      await judge('batches-none');
      await page.goto('/executors');
      await page.getByText('embedded').first().waitFor();
      await judge('executors');
      await page.goto('/schedules/nightly/ticks');
      await page.getByRole('main').getByText('nightly').first().waitFor();
      await judge('ticks');
      await page.goto('/no/such/page');
      await page.getByRole('link').last().waitFor();
      await judge('not-found');
      await page.goto('/batches/999999');
      await page.getByText('999999').first().waitFor();
      await judge('no-batch');

      // A batch in each of its states, and each view of it
      const batch = async (id: number, search: string, what: string, ready: () => Promise<unknown>) => {
        await page.goto(`/batches/${String(id)}${search}`);
        await page.locator('[data-mood]').first().waitFor();
        await connection(page, 'live');
        await ready();
        await judge(what);
      };
      const region = (task: string) =>
        page.getByRole(phone ? 'dialog' : 'region', { name: new RegExp(task, 'i') }).first();
      const graph = (task: string, state: string) =>
        phone
          ? page
              .getByRole('button', { name: new RegExp(task, 'i') })
              .first()
              .waitFor()
          : shows(page, task, state);
      await batch(succeeded, '', 'batch-succeeded', () =>
        phone ? page.getByRole('main').getByText('11').first().waitFor() : shows(page, 'k', 'succeeded'),
      );
      await batch(failed, '', 'batch-failed', () =>
        phone
          ? page
              .getByRole('button', { name: /Rain by month/ })
              .first()
              .waitFor()
          : shows(page, 'monthly', 'failed'),
      );
      await batch(running, '', 'batch-running', () => graph('customers', 'running'));
      await batch(failed, '?task=monthly', 'task-log', () =>
        region('monthly')
          .getByText(/precipitation_mm/)
          .first()
          .waitFor(),
      );
      for (const tab of ['command', 'outputs', 'attempts', 'needs'])
        await batch(failed, `?task=monthly&tab=${tab}`, `task-${tab}`, () =>
          region('monthly').getByRole('tabpanel').waitFor(),
        );
      await batch(running, '?task=facts', 'task-waiting', () =>
        region('facts').getByText('Customers').first().waitFor(),
      );
      for (const view of ['timeline', 'table', 'params', 'history'])
        await batch(failed, `?view=${view}`, `batch-${view}`, () => page.getByRole('navigation').last().waitFor());

      // Dialogs
      await page.goto(`/batches/${String(failed)}`);
      await button(/^Resume( 2 tasks)?…$/, /^(断点)?恢复.*…$/)
        .first()
        .click();
      await page.getByRole('dialog').getByText('report').first().waitFor();
      await page.getByRole('dialog').getByText(/v2/).first().waitFor();
      await judge('plan');
      await page.keyboard.press('Escape');
      await page.goto('/');
      await page
        .getByRole('button', { name: /warehouse/ })
        .first()
        .click();
      await page.getByRole('dialog').getByRole('textbox').first().waitFor();
      await judge('run');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /: admin|：admin/ }).click();
      await menuHasFocus(page);
      await judge('account');
      await page.keyboard.press('Escape');

      // Without the server
      await page.goto(`/batches/${String(running)}`);
      await graph('customers', 'running');
      proxy.down();
      await connection(page, 'offline');
      await page
        .locator('main [role=status]')
        .filter({ hasText: /\d\d:\d\d:\d\d/ })
        .first()
        .waitFor();
      await judge('disconnected');
      proxy.up();
      await connection(page, 'live');
      expect(faults).toEqual([]);
      expect(person.errors).toEqual([]);
      await person.leave();
    },
  );

  it('fits a large screen, with all controls in the window', async () => {
    const person = await Person.come(browser, server, { width: 1920, height: 1080, reducedMotion: true });
    const { page } = person;
    await person.enter();
    const faults: string[] = [];
    const main = page.getByRole('main');
    const pages: [what: string, path: string, ready: () => Promise<unknown>][] = [
      ['schedules', '/', () => main.getByText('warehouse').first().waitFor()],
      ['batches', '/batches', () => main.getByText('weather-report').first().waitFor()],
      ['executors', '/executors', () => main.getByText('embedded').first().waitFor()],
      ['ticks', '/schedules/nightly/ticks', () => main.getByText('nightly').first().waitFor()],
      ['batch', `/batches/${String(succeeded)}`, () => shows(page, 'k', 'succeeded')],
      [
        'task',
        `/batches/${String(failed)}?task=monthly`,
        () =>
          page
            .getByText(/no such column/)
            .first()
            .waitFor(),
      ],
      ...['timeline', 'table', 'params', 'history'].map((view): [string, string, () => Promise<unknown>] => [
        `batch-${view}`,
        `/batches/${String(failed)}?view=${view}`,
        () => page.locator('[data-mood]').first().waitFor(),
      ]),
      ['editor', '/schedules/warehouse?task=k', () => page.locator('.cm-content').first().waitFor()],
      ['editor-table', '/schedules/warehouse?view=table', () => page.locator('tr[data-row="k"]').waitFor()],
      ['editor-yaml', '/schedules/warehouse?view=yaml', () => page.locator('.cm-content').waitFor()],
      ['editor-settings', '/schedules/warehouse?view=settings', () => main.locator('input, select').first().waitFor()],
      [
        'editor-history',
        '/schedules/weather-report?view=history&from=1&to=2&as=text',
        () => page.locator('.cm-content').first().waitFor(),
      ],
    ];
    for (const [what, path, ready] of pages) {
      await page.goto(path);
      await ready();
      await picture(page, `appearance/${what}-1920`);
      for (const check of [fits(page, what), inReach(page, what)])
        await check.catch((error: unknown) => {
          faults.push(`${what}: ${String(error)} ${JSON.stringify((error as { actual?: unknown }).actual)}`);
        });
    }
    expect(faults).toEqual([]);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('shows no animation with reduced motion', async () => {
    for (const reducedMotion of [false, true]) {
      const person = await Person.come(browser, server, { reducedMotion });
      await person.enter(`/batches/${String(running)}`);
      await shows(person.page, 'customers', 'running');
      const moves = await person.page.locator('[data-task="customers"]').evaluate(
        (card) =>
          document
            .getAnimations()
            .filter(
              (a) => a.playState === 'running' && card.contains((a.effect as KeyframeEffect | null)?.target ?? null),
            )
            .filter((a) => Number(a.effect?.getComputedTiming().duration) > 1).length,
      );
      if (reducedMotion) expect(moves, 'animations of a running card').toBe(0);
      else expect(moves, 'animations of a running card').toBeGreaterThan(0);
      await person.leave();
    }
  });
});
