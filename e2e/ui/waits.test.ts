import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { edit, publish } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;

const schedule = (name: string, triggers: object[], command = 'true') => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  triggers,
  jobs: [{ key: 'all', tasks: [{ key: 'a', handler: 'shell', params: { command } }] }],
});

interface Ticks {
  items: { moment: string; decision: string; rule: string; batch?: number; missing?: { state: string }[] }[];
}
const ticks = async (name: string) => (await server.get<Ticks>(`/schedules/${name}/ticks`)).items;

/** A whole second from now, as a trigger names it. */
const inSeconds = (n: number) => new Date(Date.now() + n * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  // The one moment of raw fails; mart and report wait for it.
  const at = inSeconds(8);
  await server.apply(schedule('raw', [{ at }], 'exit 3'));
  await server.apply(schedule('mart', [{ after: [{ schedule: 'raw' }] }]));
  await server.apply(schedule('report', [{ after: [{ schedule: 'mart' }] }]));
  await server.apply(schedule('chart', [{ after: [{ schedule: 'raw' }, { schedule: 'mart' }] }]));
  await until('mart waits for a failed batch', async () => (await ticks('mart'))[0]?.missing?.[0]?.state === 'failed');
  await until('report waits too', async () => (await ticks('report'))[0]?.missing?.[0]?.state === 'waiting');
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe('schedules that wait for each other', () => {
  const APPEARANCES: Appearance[] = [
    { language: 'en', dark: false, width: 1280 },
    { language: 'zh', dark: true, width: 1280 },
    { language: 'en', dark: true, width: 390 },
    { language: 'zh', dark: false, width: 390 },
  ];
  it.each(APPEARANCES)('fit and are accessible: $language, dark $dark, $width', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, height: 1000, reducedMotion: true });
    const { page } = person;
    const name = `${appearance.language ?? ''}-${appearance.dark ? 'dark' : 'light'}-${String(appearance.width)}`;
    const judge = async (what: string) => {
      await picture(page, `waits/${what}-${name}`);
      await fits(page, what);
      await accessible(page, what);
    };
    await person.enter('/schedules/mart/ticks');
    const release = page.getByRole('button', { name: /^(Release|放行) / });
    await release.waitFor();
    await judge('ticks');
    await release.click();
    await page.getByRole('dialog').getByRole('link').waitFor();
    await judge('release');
    await page.keyboard.press('Escape');
    await edit(page, 'chart', '?view=settings');
    await page
      .getByText(/after raw and mart|在 raw和mart 之后/)
      .first()
      .waitFor();
    await judge('settings');
    await page.goto('/');
    await page.getByText(/after raw and mart|在 raw和mart 之后/).waitFor();
    await judge('list');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('let a person release a moment, which starts once, and wait for more in the editor', async () => {
    const person = await Person.come(browser, server, { height: 1000 });
    const { page } = person;
    await person.enter('/schedules/mart/ticks');
    await page.getByText(/^raw of .* has failed/).waitFor();
    await page.getByRole('button', { name: /^Release 2/ }).click();
    await page.getByLabel('Why it need not wait').fill('the file is there');
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await page.getByText('a person released it').waitFor();
    await page.getByText('admin: the file is there').waitFor();
    await until('report has followed', async () => (await ticks('report'))[0]?.decision === 'fired');
    const [tick] = await ticks('mart');
    const batch = await server.get<{ caused: { schedule: string }[] }>(`/batches/${String(tick?.batch)}`);
    expect(batch.caused.map((one) => one.schedule)).toEqual(['report']);

    await edit(page, 'chart', '?view=settings');
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    await page
      .getByRole('combobox', { name: /^Schedule/ })
      .last()
      .fill('report');
    await page.getByText('after raw, mart, and report').waitFor();
    await publish(page, 2);
    const { triggers } = await server.get<{ triggers: string[] }>('/schedules/chart');
    expect(triggers).toEqual(['after raw, mart, report']);

    // A circle is refused while it is drawn.
    await edit(page, 'raw', '?view=settings');
    await page.getByRole('button', { name: 'Add a trigger' }).click();
    await page.getByLabel('Unit of the cycle').last().selectOption('after');
    await page.getByRole('combobox', { name: /^Schedule/ }).fill('report');
    await page.getByText('The schedules would wait for each other: raw → report → mart → raw.').first().waitFor();
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
