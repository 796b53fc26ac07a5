import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;

interface Ticks {
  items: { moment: string; decision: string; rule: string }[];
}
interface Changes {
  items: { moment: string; action: string; state: string }[];
}
const changes = async () => (await server.get<Changes>('/schedules/nightly/planned-changes')).items;

/** A day of the next month, so that no day of the page is over and no moment is due while the test runs. */
const today = new Date();
const day = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 10)).toISOString().slice(0, 10);
/** The page of that day. */
const forecast = `/forecast?schedule=nightly&month=${day.slice(0, 7)}&day=${day}`;

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'nightly',
    params: { region: 'east' },
    triggers: [{ cron: '0 2,8,14,20 * * *' }],
    jobs: [{ key: 'all', tasks: [{ key: 'a', handler: 'shell', params: { command: 'true' } }] }],
  });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe('planned changes', () => {
  it('change and undo one moment from the forecast', async () => {
    const person = await Person.come(browser, server, { height: 1000 });
    const { page } = person;
    await person.enter(forecast);
    const open = async (time: string, item: string) => {
      await page.getByRole('button', { name: `Change ${day} ${time} of nightly` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const dialog = page.getByRole('dialog');
    const plan = async (name: string) => {
      await dialog.getByLabel('Why; the ticks keep it').fill('the source is late');
      await dialog.getByRole('button', { name, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    };
    await open('02:00', 'Skip…');
    await plan('Skip');
    await page.getByText('skipped · admin: the source is late').waitFor();
    await open('08:00', 'Move…');
    await dialog.getByLabel('New time').fill(`${day}T11:00`);
    await dialog.getByLabel('region').fill('west');
    await plan('Move');
    await page.getByText(`moved to ${day} 11:00 (region=west) · admin: the source is late`).waitFor();
    await open('14:00', 'Hold…');
    await plan('Hold');
    await page.getByText('held · admin: the source is late').waitFor();
    await open('20:00', 'Other parameters…');
    await dialog.getByLabel('region').fill('north');
    await plan('Use them');
    await page.getByText('with region=north · admin: the source is late').waitFor();
    expect((await changes()).map((c) => c.action).reverse()).toEqual(['skip', 'move', 'hold', 'params']);

    await open('20:00', 'Undo the change');
    await page.getByText('with region=north').waitFor({ state: 'hidden' });
    await page.goto('/schedules/nightly/ticks');
    await page.getByRole('button', { name: `Undo the change of ${day} 02:00` }).click();
    await page.getByText('skipped · admin').waitFor({ state: 'hidden' });
    await page.getByText('held · admin: the source is late').waitFor();
    await until('two changes are left', async () => (await changes()).length === 2);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('let a person decide about a moment that is held', async () => {
    const at = new Date(Date.now() + 6000).toISOString().replace(/\.\d+Z$/, 'Z');
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'once',
      triggers: [{ at }],
      jobs: [{ key: 'all', tasks: [{ key: 'a', handler: 'shell', params: { command: 'true' } }] }],
    });
    await server.hivego('plan', 'once', at, '--hold', '--reason', 'check it first');
    const ticks = async () => (await server.get<Ticks>('/schedules/once/ticks')).items;
    await until('it waits', async () => (await ticks())[0]?.decision === 'waiting');
    const person = await Person.come(browser, server, { height: 1000 });
    const { page } = person;
    await person.enter('/schedules/once/ticks');
    await page.getByText('held · admin: check it first').waitFor();
    await page.getByRole('button', { name: /^Release 2/ }).click();
    await page.getByText('It is held: a person says whether it starts.').waitFor();
    await page.getByLabel('Why it need not wait').fill('not needed');
    await picture(page, 'planned/held-en-light-1280');
    await accessible(page, 'the dialog of a held moment');
    await page.getByRole('dialog').getByRole('button', { name: 'Skip it' }).click();
    await page.getByText('a person skipped it').waitFor();
    expect((await ticks()).map((k) => k.rule)).toEqual(['skipped_by_person']);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  const APPEARANCES: Appearance[] = [
    { language: 'en', dark: false, width: 1280 },
    { language: 'zh', dark: true, width: 390 },
  ];
  it.each(APPEARANCES)('fit and are accessible: $language, dark $dark, $width', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, height: 1000, reducedMotion: true });
    const { page } = person;
    const name = `${appearance.language ?? ''}-${appearance.dark ? 'dark' : 'light'}-${String(appearance.width)}`;
    const judge = async (what: string) => {
      await picture(page, `planned/${what}-${name}`);
      await fits(page, what);
      await accessible(page, what);
    };
    await person.enter(forecast);
    const menu = page.getByRole('button', { name: /^(Change|变更) .*20:00/ });
    await menu.waitFor();
    await judge('day');
    await menu.click();
    await page.getByRole('menuitem').first().waitFor();
    await picture(page, `planned/menu-${name}`);
    await page.getByRole('menuitem', { name: /^(Move|改时间)/ }).click();
    await page.getByRole('dialog').getByLabel('region').waitFor();
    await judge('move');
    await page.keyboard.press('Escape');
    await page.goto('/schedules/nightly/ticks');
    await page
      .getByRole('button', { name: /^(Undo the change|撤销变更) /u })
      .first()
      .waitFor();
    await judge('ticks');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
