import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { schedule, task } from './harness/schedules';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply(schedule('orders', ['load', task('a')]));
  await server.apply({ ...schedule('mart', ['load', task('a')]), triggers: [{ after: [{ schedule: 'orders' }] }] });
  await server.apply(schedule('alone', ['load', task('a')]));
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: true, width: 1280, height: 800 },
  { language: 'zh', dark: false, width: 390, height: 844 },
] as const satisfies Appearance[];

const WORDS = {
  en: { more: 'More actions', open: 'Rename…', title: 'Rename orders', to: 'New name', go: 'Rename' },
  zh: { more: '更多操作', open: '改名…', title: '将 orders 改名', to: '新名称', go: '改名' },
};

describe('a schedule', () => {
  it.each(APPEARANCES)('has a dialog for its name, in $language', async (appearance) => {
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    const words = WORDS[appearance.language];
    await ada.enter();
    await page.goto('/schedules/orders');
    await page.getByRole('button', { name: words.more }).click();
    await page.getByRole('menuitem', { name: words.open }).click();
    const dialog = page.getByRole('dialog', { name: words.title });
    await dialog.getByRole('textbox', { name: words.to }).fill('sales');
    await dialog.getByRole('button', { name: words.go }).click();
    await dialog.getByRole('link', { name: 'mart' }).waitFor();
    await page.getByRole('menu').waitFor({ state: 'detached' }); // it fades away
    await fits(page, `the rename in ${appearance.language}`);
    await accessible(page, `the rename in ${appearance.language}`);
    await picture(page, `rename/${appearance.language}`);
    await ada.leave();
  });

  it('is renamed with those that wait for it, and its open pages follow', async () => {
    const bob = await Person.come(browser, server);
    await bob.enter();
    await bob.page.goto('/schedules/orders/ticks');
    await bob.page.getByRole('heading', { name: /orders/ }).waitFor();
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    await page.goto('/schedules/orders?view=settings');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename orders' });
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('The schedule has this name.').waitFor();
    await dialog.getByRole('textbox', { name: 'New name' }).fill('alone');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByText('There is a schedule alone already').waitFor();
    await dialog.getByRole('textbox', { name: 'New name' }).fill('sales');
    await dialog.getByRole('textbox', { name: 'Why (optional)' }).fill('one for each region');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByRole('button', { name: 'Rename, and save these too' }).click();
    await page.waitForURL('**/schedules/sales?view=settings');
    await page.getByText('orders is called sales now.').waitFor();

    await page.goto('/schedules/sales?view=history');
    await page.getByText('Renamed from orders').waitFor();
    await page.getByText('one for each region').waitFor();
    await picture(page, 'rename/history');
    await page.goto('/schedules/orders/chain');
    await page.waitForURL('**/schedules/sales/chain');
    await page.goto('/schedules/mart?view=yaml');
    await page.getByText('schedule: sales').waitFor();
    await bob.page.reload();
    await bob.page.waitForURL('**/schedules/sales/ticks');
    await bob.leave();
    await ada.leave();
  });

  it('is renamed while its draft is open elsewhere, which goes on under the new name', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    await page.goto('/schedules/alone?view=settings');
    const title = page.getByRole('textbox', { name: 'Title' });
    await title.fill('Before');
    await page.getByText('saved just now').waitFor();
    await server.hivego('rename', 'alone', 'single');
    await title.fill('After');
    await title.blur();
    await page.waitForURL('**/schedules/single?view=settings');
    await page.getByText('alone is called single now.').waitFor();
    await page.waitForFunction(() => [...document.querySelectorAll('input')].some((input) => input.value === 'After'));
    await ada.leave();
  });
});
