import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { PASSWORD, Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('a new server', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.start();
  });
  afterAll(async () => {
    await server.stop();
  });

  it('makes the first visitor its administrator, and asks all others to log in', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await page.goto('/batches?state=failed');
    await page.waitForURL('**/setup');
    await picture(page, 'start/setup');
    await accessible(page, 'first start');

    await page.getByRole('button', { name: 'Create and begin' }).click();
    const message = page.getByText('At least 10 characters.', { exact: true });
    await message.waitFor();
    // The wrong field has the focus with one ring, and its edge has the colour of the message.
    const password = page.getByLabel('Password', { exact: true });
    await until('the focus is there', () => password.evaluate((field) => field === document.activeElement));
    const edge = () =>
      password.evaluate((field) => {
        const { borderColor, outlineStyle, outlineOffset } = getComputedStyle(field.parentElement ?? field);
        return { borderColor, outlineStyle, outlineOffset, own: getComputedStyle(field).outlineStyle };
      });
    expect(await edge()).toMatchObject({ outlineStyle: 'solid', outlineOffset: '-1px', own: 'none' });
    await page.getByLabel('Name', { exact: true }).focus();
    const red = await message.evaluate((line) => getComputedStyle(line).color);
    await until('the edge is red', async () => (await edge()).borderColor === red);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('The password again').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'warehouse' }).first().waitFor();

    // A second visitor is sent to the login instead of the setup, and from there to the requested page.
    const bob = await Person.come(browser, server);
    await bob.page.goto('/batches?state=failed');
    await bob.page.waitForURL('**/login?next=*');
    await picture(bob.page, 'start/login');
    await accessible(bob.page, 'login');
    await bob.page.getByLabel('Name').fill('admin');
    await bob.page.getByLabel('Password', { exact: true }).fill('not the password');
    await bob.page.keyboard.press('Enter');
    await bob.page.getByRole('alert').filter({ hasText: /./ }).waitFor();
    await accessible(bob.page, 'login refused');
    await bob.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await bob.page.keyboard.press('Enter');
    await bob.page.waitForURL('**/batches?state=failed');
    // With a session the login page leads on at once.
    await bob.page.goto('/login?next=%2Fexecutors');
    await bob.page.waitForURL('**/executors');
    await bob.page.goto('/login');
    await bob.page.getByRole('link', { name: 'warehouse' }).first().waitFor();
    expect(new URL(bob.page.url()).pathname).toBe('/');

    // A log-out in one tab leads the other tab of the same user to the login, too.
    const second = await bob.tab();
    await second.goto('/');
    await second.getByRole('link', { name: 'warehouse' }).first().waitFor();
    await bob.page.getByRole('button', { name: 'Account' }).click();
    await bob.page.getByRole('menuitem', { name: 'Log out' }).click();
    await bob.page.waitForURL('**/login');
    await second.waitForURL('**/login**');

    expect([...ada.errors, ...bob.errors]).toEqual([]);
    await ada.leave();
    await bob.leave();
  });
});
