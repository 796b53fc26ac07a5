import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { edit, publish } from './harness/editor';
import { Server, until } from './harness/server';

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

const schedule = (name: string, triggers: object[], more: object = {}) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  timezone: 'Europe/Berlin',
  triggers,
  jobs: [{ key: 'all', tasks: [{ key: 'a', handler: 'shell', params: { command: 'true' } }] }],
  ...more,
});

/** The row of a schedule in the list of all schedules. */
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

/** A whole second from now, as a trigger names it. */
const inSeconds = (n: number) => new Date(Date.now() + n * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

describe('a person gives a schedule its times', () => {
  let person: Person;
  beforeAll(async () => {
    await server.apply(schedule('report', []));
    person = await Person.come(browser, server, { height: 1000 });
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
  });

  it('adds a trigger with one moment, and one with a start and an end, and sees when they are due', async () => {
    const { page } = person;
    await edit(page, 'report', '?view=settings');
    await page.getByRole('button', { name: 'Add a trigger' }).click();
    await page.getByLabel('Unit of the cycle').selectOption('once');
    await page.getByLabel('Date and time').fill('2036-12-24T18:00');
    await page.getByText('once, at 2036-12-24 18:00').waitFor();
    await page.getByText('Wed 24 Dec 2036 18:00').waitFor();

    await page.getByRole('button', { name: 'Add a trigger' }).click();
    await page.getByText('Only for some time').click();
    await page.getByLabel('From').fill('2036-12-30');
    await page.getByLabel('Until').fill('2036-12-31');
    await page.getByText('03:00 every day, from 2036-12-30 until 2036-12-31').waitFor();
    for (const day of ['Tue 30 Dec 2036 03:00', 'Wed 31 Dec 2036 03:00']) await page.getByText(day).waitFor();
    expect(await page.getByText(/Dec 2036|Jan 2037/).count()).toBe(3);
    await page
      .getByText(/^saved/)
      .first()
      .waitFor();
    await publish(page, 2);

    const { definition, triggers, nextAt } = await server.get<{
      definition: { triggers: object[] };
      triggers: string[];
      nextAt: string[];
    }>('/schedules/report');
    expect(definition.triggers).toEqual([
      { at: '2036-12-24T18:00' },
      { cron: '0 3 * * *', start: '2036-12-30', end: '2036-12-31' },
    ]);
    expect(triggers).toEqual(['at 2036-12-24T18:00', '0 3 * * * from 2036-12-30 until 2036-12-31']);
    expect(nextAt.map((at) => at.slice(0, 16))).toEqual(['2036-12-24T17:00', '2036-12-30T02:00', '2036-12-31T02:00']);

    await page.goto('/');
    await row(page, 'report').getByText('once, at 2036-12-24 18:00').waitFor();
    await row(page, 'report').getByText('03:00 every day, from 2036-12-30 until 2036-12-31').waitFor();
    await row(page, 'report').getByText('Thu 25 Dec 2036').waitFor();
    expect(person.errors).toEqual([]);
  });

  it('reads at its field why a trigger can never be due', async () => {
    const { page } = person;
    await edit(page, 'report', '?view=settings');
    const says = async (label: string, words: string) => {
      await page.getByText(words).first().waitFor();
      const described = await page.getByLabel(label).getAttribute('aria-describedby');
      const texts = await Promise.all(
        (described ?? '').split(' ').map((id) => page.locator(`[id="${id}"]`).textContent()),
      );
      expect(texts.join(' ')).toContain(words);
      expect(await page.getByLabel(label).getAttribute('aria-invalid')).toBe('true');
    };
    await page.getByLabel('Until').fill('2036-12-29');
    await says('Until', 'its end 2036-12-29 is before its start 2036-12-30');
    // In Berlin 02:30 does not exist on this day.
    await page.getByLabel('Date and time').fill('2037-03-29T02:30');
    await says('Date and time', '“2037-03-29T02:30” does not exist in Europe/Berlin: daylight saving skips it.');
    await page.getByLabel('Date and time').fill('2037-03-29T03:30');
    await page.getByLabel('Until').fill('2036-12-30');
    await until('no field is wrong', async () => (await page.locator('[aria-invalid=true]').count()) === 0);
  });

  it('sees that a schedule is finished after its last moment, and how it goes on', async () => {
    const { page } = person;
    const at = inSeconds(6);
    await server.apply(schedule('last', [{ at }]));
    await page.goto('/');
    await row(page, 'last')
      .getByText(/^in \d+ s|^now|^due/)
      .waitFor();
    const link = row(page, 'last').getByRole('link', { name: 'finished' });
    await link.waitFor();
    await until(
      'its batch has run',
      async () => (await server.get<{ items: object[] }>('/batches?schedule=last')).items.length === 1,
    );
    await link.hover();
    await page.getByText('None of its triggers is due any more. To go on, give them later times').waitFor();
    await page.goto('/schedules/last/ticks');
    await page.getByRole('row', { name: /None of its triggers is due any more/ }).waitFor();
    await page.getByRole('link', { name: 'Open its settings' }).click();
    await page
      .getByText(/^The trigger does not fire any more: .* has passed\./)
      .first()
      .waitFor();
    await page.getByLabel('Date and time').fill('2036-01-01T00:00:00Z');
    await publish(page, 2);
    await page.goto('/');
    await row(page, 'last').getByText('Tue 1 Jan 2036').waitFor();
    expect(person.errors).toEqual([]);
  });
});

describe('triggers with bounds and finished schedules', () => {
  const bounded = { cron: '20 3,15 * * *', start: '2036-12-01', end: '2036-12-31' };
  const APPEARANCES: Appearance[] = [
    { language: 'en', dark: false, width: 1280 },
    { language: 'zh', dark: true, width: 1280 },
    { language: 'en', dark: true, width: 390 },
    { language: 'zh', dark: false, width: 390 },
  ];
  beforeAll(async () => {
    await server.apply(
      schedule('shown', [{ at: '2036-12-24T18:00' }, bounded, { cron: '*/7 * * * *', end: '2036-12-31' }]),
    );
    await server.apply(schedule('over', [{ at: '2026-01-01T18:00' }]));
    await server.apply(schedule('enough', [{ at: inSeconds(1) }, bounded], { policy: { maxBatches: 1 } }));
    await until(
      'it has made its last batch',
      async () => (await server.get<{ finished?: string }>('/schedules/enough')).finished === 'max_batches',
    );
  });

  it.each(APPEARANCES)('fit and are accessible: $language, dark $dark, $width', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, height: 1000, reducedMotion: true });
    const { page } = person;
    const name = `${appearance.language ?? ''}-${appearance.dark ? 'dark' : 'light'}-${String(appearance.width)}`;
    const judge = async (what: string) => {
      await picture(page, `triggers/${what}-${name}`);
      await fits(page, what);
      await accessible(page, what);
    };
    await person.enter('/schedules/shown?view=settings');
    await page.locator('time').nth(6).waitFor();
    await judge('settings');
    await page.getByLabel(/^(Keep days|保留天数)$/).scrollIntoViewIfNeeded();
    await judge('keep');
    await page
      .getByLabel(/^(Until|结束)$/)
      .last()
      .scrollIntoViewIfNeeded();
    await page.locator('time').nth(6).scrollIntoViewIfNeeded();
    await judge('bounds');
    await edit(page, 'over', '?view=settings');
    await page.getByText('2026-01-01T18:00').first().waitFor();
    await judge('over');
    await page.goto('/schedules/enough/ticks');
    await page.locator('tbody tr').nth(2).waitFor();
    await judge('ticks');
    await page.goto('/');
    await row(page, 'over').waitFor();
    await judge('list');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
