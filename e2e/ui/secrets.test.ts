import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, dialogHasFocus, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';
import { textNames, textsOf, worded } from './harness/texts';

let browser: Browser;
let server: Server;
let person: Person | undefined;
const VALUE = 'correct horse\nbattery staple';

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.user('bob');
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
async function enter(path: string, appearance?: Appearance, name?: string): Promise<Page> {
  person = await Person.come(browser, server, appearance);
  await person.enter(path, name);
  return person.page;
}

const nightly = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'nightly',
  jobs: [
    {
      key: 'a',
      tasks: [{ key: 'load', handler: 'sql', params: { connection: 'lake', statement: 'SELECT 1' } }],
    },
  ],
};

describe('secrets and connections', () => {
  it('are made, tried, replaced and deleted', async () => {
    const page = await enter('/executors');
    await page.getByRole('link', { name: 'Secrets and connections' }).click();
    await page.getByText('No secrets yet').waitFor();
    await page.getByRole('button', { name: 'New secret…' }).click();
    let dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialogHasFocus(page);
    await dialog.getByLabel('Name', { exact: true }).fill('D-W');
    const value = dialog.getByLabel('Value');
    await value.fill('abc');
    await dialog.getByText('Logs do not mask a value of fewer than 6 bytes.').waitFor();
    await value.fill(VALUE);
    expect(await value.evaluate((e) => getComputedStyle(e).getPropertyValue('-webkit-text-security'))).toBe('disc');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/cannot be the name of a secret/).waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('DW');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /DW.*default.*admin/ }).waitFor();
    expect(await page.content()).not.toContain('battery');

    // Other groups, and the same value.
    await page.getByRole('button', { name: 'Actions for the secret DW' }).click();
    await page.getByRole('menuitem', { name: 'Replace, or change groups…' }).click();
    dialog = page.getByRole('dialog', { name: 'Secret DW' });
    expect(await dialog.getByLabel('Value').inputValue()).toBe('');
    await dialog.getByLabel('Groups of executors').fill('etl, default');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /DW.*default, etl.*admin/ }).waitFor();

    // A connection that no machine answers, and one that is a file.
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('button', { name: 'New connection…' }).click();
    dialog = page.getByRole('dialog', { name: 'New connection' });
    await dialogHasFocus(page);
    await dialog.getByLabel('Name', { exact: true }).fill('warehouse');
    await dialog.getByLabel('Database').fill('dw');
    await dialog.getByLabel('User').fill('etl');
    await dialog.getByRole('combobox', { name: 'Password' }).click();
    await page.getByRole('option', { name: 'DW' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.getByText(/host is missing/).waitFor();
    await dialog.getByLabel('Host').fill('127.0.0.1');
    await dialog.getByLabel('Port').fill('1');
    await dialog.getByRole('button', { name: 'Save and test' }).click();
    let test = page.getByRole('dialog', { name: 'Test of warehouse' });
    await test.getByText('It does not work.').waitFor();
    await test.getByText(/connection refused/).waitFor();
    expect(await test.innerText()).not.toContain('battery');
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /warehouse.*PostgreSQL.*default.*admin/ }).waitFor();

    await page.getByRole('button', { name: 'New connection…' }).click();
    dialog = page.getByRole('dialog', { name: 'New connection' });
    await dialog.getByLabel('Name', { exact: true }).fill('lake');
    await dialog.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'SQLite' }).click();
    expect(await dialog.getByLabel('Host').count()).toBe(0);
    await dialog.getByLabel('File').fill('lake.db');
    await dialog.getByRole('button', { name: 'Save and test' }).click();
    test = page.getByRole('dialog', { name: 'Test of lake' });
    await test.getByText('It works.').waitFor();
    await page.keyboard.press('Escape');

    // The keyboard opens it again, with what was saved.
    await page.getByRole('button', { name: 'lake', exact: true }).focus();
    await page.keyboard.press('Enter');
    dialog = page.getByRole('dialog', { name: 'Connection lake' });
    expect(await dialog.getByLabel('File').inputValue()).toBe('lake.db');
    await page.keyboard.press('Escape');

    // What is in use goes only if a person insists.
    await server.apply(nightly);
    await page.getByRole('button', { name: 'Actions for the connection lake' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    dialog = page.getByRole('dialog', { name: 'Delete the connection lake?' });
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText(/Schedules use the connection lake: nightly/).waitFor();
    await dialog.getByLabel('Delete it although it is used').check();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('row', { name: /lake/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Secrets', exact: true }).click();
    await page.getByRole('button', { name: 'Actions for the secret DW' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(/Connections use the secret DW: warehouse/).waitFor();
  });

  it('are names only for those who may not change them', async () => {
    const page = await enter('/secrets', undefined, 'bob');
    await page.getByRole('row', { name: /DW.*default, etl/ }).waitFor();
    await page.getByText('Only administrators change them.').waitFor();
    expect(await page.getByRole('button', { name: /New secret|Actions for/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('row', { name: /warehouse.*PostgreSQL/ }).waitFor();
    expect(await page.getByRole('button', { name: /warehouse|New connection/ }).count()).toBe(0);
  });
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 860 },
  { language: 'en', dark: true, width: 390, height: 844 },
  { language: 'zh', dark: true, width: 1280, height: 860 },
  { language: 'zh', dark: false, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('the page of secrets and connections', () => {
  it.each(APPEARANCES)('fits in $language at $width pixels', async (appearance) => {
    const { language, width } = appearance;
    const names = textNames();
    const text = textsOf(language);
    const shows = async (page: Page, what: string) => {
      await worded(page, names, `${what} in ${language}`);
      await fits(page, `${what} in ${language}`);
      await accessible(page, `${what} in ${language}`);
      await picture(page, `secrets/${language}-${String(width)}-${what}`);
    };
    const page = await enter('/executors', appearance);
    await page.getByRole('link', { name: text('secrets:title') }).waitFor();
    await shows(page, 'executors');
    await page.goto('/secrets');
    await page.getByRole('row').nth(1).waitFor();
    const views = page.getByRole('navigation', { name: text('secrets:views') });
    expect(await views.locator('[aria-current=page]').allInnerTexts()).toEqual([text('secrets:view.secrets')]);
    await shows(page, 'secrets');
    await page.getByRole('button', { name: text('secrets:secret.create') }).click();
    await dialogHasFocus(page);
    await page.getByLabel(text('secrets:secret.value')).fill('one\ntwo');
    await shows(page, 'secret');
    await page.keyboard.press('Escape');
    await page.goto('/secrets?view=connections');
    await page.getByRole('row').nth(1).waitFor();
    await shows(page, 'connections');
    await page.getByRole('button', { name: 'warehouse', exact: true }).click();
    await page.getByRole('dialog').getByLabel(text('secrets:connection.host')).waitFor();
    await shows(page, 'connection');
    await page.getByRole('button', { name: text('secrets:connection.saveAndTest') }).click();
    await page.getByText(text('secrets:test.failed')).waitFor();
    await shows(page, 'test');
  });
});
