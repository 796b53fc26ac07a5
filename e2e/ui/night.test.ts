import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;

const folder = mkdtempSync(join(tmpdir(), 'hivego-night-'));
const repaired = join(folder, 'repaired');
let failed = 0;

const schedule = (name: string, command: string, more: object = {}) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  ...more,
  jobs: [
    { key: 'load', tasks: [{ key: 'core', handler: 'shell', params: { command } }] },
    { key: 'publish', tasks: [{ key: 'mart', handler: 'shell', params: { command: 'true' } }] },
  ],
});

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  const command = `test -e ${repaired} || { echo "no such column: bin_code" >&2; exit 3; }`;
  await server.apply(schedule('warehouse', command, { owners: ['dana'], triggers: [{ cron: '0 */3 * * *' }] }));
  failed = await server.run('warehouse', { wait: true });
  writeFileSync(repaired, '');
  await server.run('warehouse', { wait: true });
  await server.apply(schedule('backup', 'true'));
  await server.run('backup', { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
  { language: 'en', dark: true, width: 1920, height: 1080 },
] as const satisfies Appearance[];

describe('the night', () => {
  it.each(APPEARANCES)('fits and is accessible: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    const judge = async (what: string) => {
      await picture(page, `night/${what}-${appearance.language}-${String(appearance.width)}`);
      await fits(page, what);
      await accessible(page, what);
    };
    await person.enter('/');
    await page.getByRole('application').waitFor();
    await page
      .getByText('exit code 3')
      .or(page.getByText('no such column'))
      .or(page.getByText(/退出码/))
      .first()
      .waitFor();
    await judge('picture');
    await page.getByRole('button', { name: appearance.language === 'en' ? 'Table' : '表格', exact: true }).click();
    await page
      .getByRole('region', { name: appearance.language === 'en' ? 'The night' : '夜间' })
      .first()
      .waitFor();
    await judge('table');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('opens batches by keys, and settles a failure that a later success has left open', async () => {
    const person = await Person.come(browser, server, { reducedMotion: true });
    const { page } = person;
    await person.enter('/');
    const open = page.getByRole('region', { name: 'Open' });
    await open.getByText('1 failed batch that nobody has settled').waitFor();
    await page.getByRole('link', { name: '1 needs a person' }).waitFor();

    const band = page.getByRole('application');
    await band.focus();
    await page.keyboard.press('Home');
    await page
      .getByRole('status')
      .filter({ hasText: /^warehouse, .*: failed · nobody has settled it/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/batches/${String(failed)}`);
    await page.goBack();

    await open.getByRole('button', { name: /^Resume warehouse, / }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resume \d+ tasks?/ })
      .click();
    await open.getByText('No failed batch waits for a person.').waitFor();
    await page.getByRole('searchbox', { name: 'Find a schedule' }).fill('dana');
    await page.getByText(/^1 of \d+/).waitFor();
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
