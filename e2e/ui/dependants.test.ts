import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;
const folder = mkdtempSync(join(tmpdir(), 'hivego-dependants-'));
const broken = join(folder, 'broken');
const batchOf: Record<string, number> = {};

const schedule = (name: string, trigger: object, command = 'true') => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  triggers: [trigger],
  jobs: [{ key: 'all', tasks: [{ key: 'work', handler: 'shell', params: { command } }] }],
});

/** A whole second from now, as a trigger names it. */
const inSeconds = (n: number) => new Date(Date.now() + n * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  const after = (window: string | undefined, ...names: string[]) => ({
    after: names.map((name) => ({ schedule: name, window })),
  });
  await server.apply(schedule('summary', after('same_day', 'report', 'mail')));
  await server.apply(schedule('report', after(undefined, 'mart')));
  await server.apply(schedule('mail', after(undefined, 'mart')));
  await server.apply(schedule('mart', after(undefined, 'orders'), `test ! -e ${broken}`));
  await server.apply(schedule('orders', { at: inSeconds(5) }));
  for (const name of ['orders', 'mart', 'report', 'mail', 'summary'])
    batchOf[name] = await until(`${name} has run`, async () => {
      const { items } = await server.get<{ items: { id: number; state: string }[] }>(`/batches?schedule=${name}`);
      return items[0]?.state === 'succeeded' ? items[0].id : undefined;
    });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 900 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

const pathOf = (name: string) => `/batches/${String(batchOf[name])}`;

/** Opens the dialog that runs the whole batch again. */
async function openRerun(page: Page, english = true) {
  await page.getByRole('button', { name: english ? 'More actions' : '更多操作' }).click();
  await page.getByRole('menuitem', { name: english ? 'Rerun…' : '重跑…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog
    .getByRole('checkbox', { name: english ? /4 batches of other schedules/ : /随后运行的 4 个批次/ })
    .waitFor();
  return dialog;
}

describe('a rerun with what followed', () => {
  it.each(APPEARANCES)('lists it in the dialog: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    await person.enter(pathOf('orders'));
    const dialog = await openRerun(page, appearance.language === 'en');
    await dialog.getByRole('checkbox').click();
    await dialog.getByRole('checkbox', { checked: true }).waitFor();
    await dialog.getByText('summary', { exact: true }).waitFor();
    await judge(page, 'dialog', appearance);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('runs it in order, stops at a failure, and goes on by itself after the repair', async () => {
    const person = await Person.come(browser, server, { height: 900 });
    const { page } = person;
    writeFileSync(broken, '');
    await person.enter(pathOf('orders'));
    const dialog = await openRerun(page);
    await dialog.getByRole('checkbox').click();
    await dialog.getByRole('checkbox', { checked: true }).waitFor();
    await dialog.getByLabel('Why (optional)').fill('the file was late');
    await dialog.getByRole('button', { name: /^Rerun 1 task and \d batches$/ }).click();
    const strip = page.getByRole('region', { name: 'Chain repair #1' });
    await strip.getByText('stopped: 0 of 4 batches of other schedules have run again').waitFor();
    await strip.getByText('the file was late').waitFor();
    await strip.getByRole('link', { name: /^mart, batch #\d+: failed$/ }).waitFor();
    await strip.getByRole('link', { name: /^summary, batch #\d+: waits for its turn$/ }).waitFor();
  });

  it.each(APPEARANCES)('shows its progress: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    const english = appearance.language === 'en';
    await person.enter(pathOf('orders'));
    await page.getByText(english ? /^stopped: 0 of 4/ : /已停下/).waitFor();
    await judge(page, 'first', appearance);
    await page.goto(pathOf('report'));
    await page.getByText(english ? 'This batch runs again because of' : '重跑的起因：').waitFor();
    await judge(page, 'other', appearance);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('goes on by itself after the repair of another person', async () => {
    const person = await Person.come(browser, server, { height: 900 });
    const { page } = person;
    await person.enter(pathOf('mart'));
    rmSync(broken);
    await page.getByRole('button', { name: 'Resume…', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Chain repair #1 runs some of these batches already.', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Resume 1 task' }).click();
    await until('the last one runs again', async () => (await server.batch(batchOf.summary ?? 0)).round === 2);
    await page.goto(pathOf('orders'));
    const strip = page.getByRole('region', { name: 'Chain repair #1' });
    await strip.getByText('done: 4 of 4 batches of other schedules have run again').waitFor();
    const text = await server.hivego('chain-repairs', 'show', '1');
    expect(text).toContain('chain repair 1 of batch');
    expect(text).toContain('note: the file was late');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('is done by one command', async () => {
    const text = await server.hivego('rerun', String(batchOf.mart), '--with-dependants', '--wait');
    expect(text).toContain('chain repair 2 runs what followed');
    expect((await server.batch(batchOf.summary ?? 0)).round).toBe(3);
    expect((await server.batch(batchOf.orders ?? 0)).round).toBe(2);
  });
});

async function judge(page: Page, what: string, { language, width }: { language: string; width: number }) {
  await picture(page, `dependants/${what}-${language}-${String(width)}`);
  await fits(page, `${what} in ${language}`);
  await accessible(page, `${what} in ${language}`);
}
