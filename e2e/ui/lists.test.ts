import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
const batches: number[] = [];

const task = (key: string, command: string) => ({ key, handler: 'shell', params: { command } });

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  const schedule = (name: string, tags: string[], command: string) => ({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name,
    tags,
    owners: ['finance team'],
    params: { region: 'east' },
    jobs: [
      { key: 'extract', title: 'Extract', tasks: [task('a', 'true'), task('b', 'true')] },
      { key: 'load', title: 'Load', tasks: [task('c', command)] },
    ],
  });
  await server.apply(schedule('ledger', ['finance'], 'true'));
  await server.apply(schedule('stock', ['shop'], 'exit 3'));
  batches.push(await server.run('ledger', { wait: true }), await server.run('stock', { wait: true }));
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('the filters of the batches', () => {
  it.each(APPEARANCES)('fit and are accessible: $language, $width pixels', async (appearance) => {
    const en = appearance.language === 'en';
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    const judge = async (what: string) => {
      await picture(page, `lists/${what}-${appearance.language}-${String(appearance.width)}`);
      await fits(page, what);
      await accessible(page, what);
    };
    await person.enter('/batches?tag=finance&by=person&since=yesterday&longer=1ms');
    await page
      .getByRole('list', { name: en ? 'Active filters' : '当前筛选条件' })
      .getByRole('listitem')
      .nth(2)
      .waitFor();
    await judge('chips');
    await page.getByRole('button', { name: en ? 'More filters' : '更多筛选' }).click();
    await page
      .getByRole('form', { name: en ? 'More filters' : '更多筛选' })
      .getByLabel(en ? 'Took longer than' : '用时超过')
      .waitFor();
    await judge('form');
    await page.goto('/batches?tag=nobody&executor=gone&param=region=west');
    await page.getByRole('heading', { name: en ? 'No batch matches' : '没有符合条件的批次' }).waitFor();
    await judge('empty');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('are in the address, can be removed, and select what is downloaded', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter('/batches');
    const ledger = page.getByRole('link', { name: /^ledger/ });
    const stock = page.getByRole('link', { name: /^stock/ });
    await stock.waitFor();

    await page.getByRole('button', { name: 'More filters' }).click();
    const form = page.getByRole('form', { name: 'More filters' });
    await form.getByLabel('Took longer than').fill('long');
    await form.getByRole('button', { name: 'Apply' }).click();
    await form.getByText('Not a duration').waitFor();
    await form.getByLabel('Took longer than').fill('');
    await form.getByLabel('Tag').fill('finance');
    await form.getByLabel('Started by').fill('person');
    await form.getByRole('button', { name: 'Apply' }).click();
    await stock.waitFor({ state: 'detached' });
    await ledger.waitFor();
    expect(new URL(page.url()).search).toBe('?tag=finance&by=person');

    const link = page.getByRole('link', { name: 'Download CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toMatch(/^\ufeffid,schedule,revision,/);
    expect(text.split('\r\n').map((line) => line.split(',')[1])).toEqual(['schedule', 'ledger', undefined]);

    await page.getByRole('button', { name: 'Remove the filter tag finance' }).click();
    await stock.waitFor();
    expect(new URL(page.url()).search).toBe('?by=person');

    await page.goto('/batches?param=region=west');
    await page.getByText('with region=west').first().waitFor();
    await page.getByRole('button', { name: 'Show all batches' }).click();
    await stock.waitFor();
    await person.leave();
  });

  it('have jobs whose lanes sum up their tasks', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    await person.enter(`/batches/${String(batches[1])}`);
    await page.getByText(/^2\/2 · \d\d:\d\d$/).waitFor();
    await page.getByText(/^0\/1 · \d\d:\d\d$/).waitFor();
    await picture(page, 'lists/lanes');
    const answer = await server.get<{ jobs: { key: string; state: string; share: number }[] }>(
      `/batches/${String(batches[1])}`,
    );
    expect(answer.jobs.map(({ key, state, share }) => [key, state, share])).toEqual([
      ['extract', 'succeeded', 1],
      ['load', 'failed', 0],
    ]);
    await person.leave();
  });
});

describe('on a phone', () => {
  /** The greatest height of a row, in pixels. */
  const MOST = 96;
  it.each([
    { language: 'en', dark: true },
    { language: 'zh', dark: false },
  ] as const)('rows are low: $language', async ({ language, dark }) => {
    await server.run('stock', { wait: true });
    const person = await Person.come(browser, server, { language, dark, width: 390, height: 844, touch: true });
    const { page } = person;
    const heights = (rows: string) =>
      page.locator(rows).evaluateAll((all) => all.map((row) => Math.ceil(row.getBoundingClientRect().height)));
    await person.enter('/');
    await page.locator('#open li').nth(1).waitFor();
    await page.locator('tbody tr').nth(1).waitFor();
    await picture(page, `lists/low-home-${language}`);
    await fits(page, 'the home page');
    // The first failure has more of its error, and a large button.
    expect(Math.max(...(await heights('#open li:not(:first-child)')))).toBeLessThanOrEqual(MOST);
    expect(Math.max(...(await heights('tbody tr')))).toBeLessThanOrEqual(MOST);
    await page.goto('/batches');
    await page.locator('tbody tr').nth(2).waitFor();
    await picture(page, `lists/low-batches-${language}`);
    await fits(page, 'the batches');
    expect(Math.max(...(await heights('tbody tr')))).toBeLessThanOrEqual(MOST);
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});

describe('the list of schedules', () => {
  const COUNT = 130;
  /** How many of the schedules have these digits in their names. */
  const having = (digits: string) =>
    Array.from({ length: COUNT }, (_, i) => String(i).padStart(3, '0')).filter((i) => i.includes(digits)).length;
  beforeAll(async () => {
    for (let i = 0; i < COUNT; i++)
      await server.apply({
        apiVersion: 'hivego/v1',
        kind: 'Schedule',
        name: `many-${String(i).padStart(3, '0')}`,
        title: `Report ${String(i)}`,
        tags: [i % 2 === 0 ? 'even' : 'odd'],
        owners: [`team ${String(i % 10)}`],
        jobs: [{ key: 'one', tasks: [task('a', 'true')] }],
      });
  });

  it('is searched and sorted by the server, and only its first page is read', async () => {
    const person = await Person.come(browser, server);
    const { page } = person;
    const asked: URLSearchParams[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/v1/schedules') asked.push(url.searchParams);
    });
    const named = (name: string) => page.getByRole('link', { name, exact: true });
    const { total } = await server.get<{ total: number }>('/schedules');
    await person.enter('/');
    await page.getByText(`${String(total)} schedules`).waitFor();
    expect(asked.some((query) => query.has('after'))).toBe(false);
    expect(asked[0]?.get('limit')).toBe('50');
    // stock has failed, so it needs a person; the others follow by name.
    await expect.poll(() => page.locator('tbody th a').first().textContent()).toBe('stock');

    await page.getByRole('searchbox').fill('TEAM 7');
    await page.getByText(`${String(having('7'))} of ${String(total)}`).waitFor();
    await named('many-007').waitFor();
    await named('many-006').waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('report 12');
    await page.getByText(`${String(having('12'))} of ${String(total)}`).waitFor();
    const heads = page.getByRole('columnheader', { name: 'Schedule' });
    await heads.getByRole('button').click();
    await heads.getByRole('button').click();
    await expect.poll(() => page.locator('tbody th a').first().textContent()).toBe('many-129');
    expect([...new URL(page.url()).searchParams].join(' ')).toBe('q,report 12 sort,name desc,true');
    await page.reload();
    await page.getByText(`${String(having('12'))} of ${String(total)}`).waitFor();
    await expect.poll(() => page.locator('tbody th a').first().textContent()).toBe('many-129');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
