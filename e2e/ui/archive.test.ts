import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { schedule, task } from './harness/schedules';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
let batch: number;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply(schedule('orders', ['load', task('a')]));
  await server.apply({ ...schedule('mart', ['load', task('a')]), triggers: [{ after: [{ schedule: 'orders' }] }] });
  await server.apply(schedule('old', ['load', task('a')]));
  batch = await server.run('old', { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('a schedule', () => {
  it('is archived in one click, and taken back in one', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    const row = page.getByRole('row', { name: /old/ });
    const archive = async (name: string) => {
      await page.getByRole('button', { name: `More for ${name}` }).click();
      await page.getByRole('menuitem', { name: /^Archive/ }).click();
    };
    await archive('old');
    await page.getByText('old is archived.').waitFor();
    await row.waitFor({ state: 'detached' });
    await picture(page, 'archive/undo');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('old is no longer archived.').waitFor();
    await row.waitFor();

    await archive('orders');
    const dialog = page.getByRole('dialog', { name: 'Archive orders?' });
    await dialog.getByRole('link', { name: 'mart' }).waitFor();
    await page.getByRole('menu').waitFor({ state: 'detached' }); // it fades away
    await accessible(page, 'the schedules that wait for it');
    await picture(page, 'archive/confirm');
    await dialog.getByRole('button', { name: 'Archive anyway' }).click();
    await page.getByText('waits for an archived schedule: orders').waitFor();

    await page.goto('/schedules/old');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.getByText('old was archived by admin.').waitFor();
    await picture(page, 'archive/editor');
    for (const path of [`/batches/${String(batch)}`, '/schedules/old/ticks', '/schedules/old/chain']) {
      await page.goto(path);
      await page.getByText('old was archived by admin.').waitFor();
    }
    await page.getByRole('button', { name: 'Unarchive' }).click();
    await page.getByText('old was archived by admin.').waitFor({ state: 'detached' });
    await server.hivego('archive', 'old');
    await ada.leave();
  });

  it.each(APPEARANCES)('that is archived is found again, in $language', async (appearance) => {
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    const name = `archive/${appearance.language}`;
    await ada.enter();
    await page.getByRole('button', { name: appearance.language === 'en' ? 'archived' : '已归档' }).click();
    await page.getByRole('row', { name: /old/ }).waitFor();
    await fits(page, `archived schedules in ${appearance.language}`);
    await accessible(page, `archived schedules in ${appearance.language}`);
    await picture(page, `${name}-list`);
    await page.goto(`/batches/${String(batch)}`);
    const unarchive = page.getByRole('button', { name: appearance.language === 'en' ? 'Unarchive' : '取消归档' });
    await unarchive.waitFor();
    await fits(page, `a batch of an archived schedule in ${appearance.language}`);
    await accessible(page, `a batch of an archived schedule in ${appearance.language}`);
    await picture(page, `${name}-batch`);
    await page.goto('/schedules/old/ticks');
    await unarchive.waitFor();
    await fits(page, `ticks of an archived schedule in ${appearance.language}`);
    await picture(page, `${name}-ticks`);
    await page.goto('/schedules/mart?view=settings');
    const fault = appearance.language === 'en' ? /orders is archived/ : /orders 已归档/;
    await page.getByText(fault).first().waitFor();
    await picture(page, `${name}-waits`);
    await ada.leave();
  });

  it.each(APPEARANCES)('that is archived is deleted once its name is typed, in $language', async (appearance) => {
    const en = appearance.language === 'en';
    const gone = `gone-${appearance.language}`;
    await server.apply(schedule(gone, ['load', task('a')]));
    await server.run(gone, { wait: true });
    await server.hivego('archive', gone);
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    await ada.enter('/?show=archived');
    await page.getByRole('button', { name: en ? `More for ${gone}` : `${gone} 的更多操作` }).click();
    await page.getByRole('menuitem', { name: en ? 'Delete…' : '删除…' }).click();
    const dialog = page.getByRole('dialog');
    const go = dialog.getByRole('button', { name: en ? 'Delete' : '删除', exact: true });
    await go.waitFor();
    expect(await go.isDisabled()).toBe(true);
    await page.getByRole('menu').waitFor({ state: 'detached' }); // it fades away
    await accessible(page, `the deletion in ${appearance.language}`);
    await fits(page, `the deletion in ${appearance.language}`);
    await picture(page, `archive/${appearance.language}-delete`);
    await page.keyboard.type(gone);
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: new RegExp(gone) }).waitFor({ state: 'detached' });
    await server.apply(schedule(gone, ['load', task('b')])); // the name is free
    expect(await server.hivego('deletions')).toContain(gone);
    await ada.leave();
  });
});
