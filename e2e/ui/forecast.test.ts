import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, dialogHasFocus, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

/** The month that is shown: the next one, as in `2026-12`. */
const MONTH = (() => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 12)).toISOString().slice(0, 7);
})();
/** The date of a weekday (0 is Monday) in a week of the month that lies wholly in it. */
const dateOf = (week: number, weekday: number): string => {
  const first = new Date(`${MONTH}-01T00:00:00Z`);
  const monday = 1 + ((8 - first.getUTCDay()) % 7);
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), monday + 7 * week + weekday))
    .toISOString()
    .slice(0, 10);
};
const SATURDAY = dateOf(0, 5);
const HOLIDAY = dateOf(1, 3);
const dayNumber = (date: string) => String(Number(date.slice(8)));

const schedule = (name: string, triggers: object[]) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  timezone: 'Asia/Shanghai',
  triggers,
  jobs: [{ key: 'main', tasks: [{ key: 'run', handler: 'shell', params: { command: 'true' } }] }],
});

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Calendar',
    name: 'warehouse',
    holidays: [{ from: HOLIDAY, to: dateOf(1, 4), name: 'Inventory' }],
    workdays: [{ date: SATURDAY, name: 'Works for Thursday' }],
  });
  await server.apply(schedule('pick-plan', [{ cron: '0 5 * * *', calendar: { name: 'warehouse' } }]));
  await server.apply(schedule('board-mail', [{ cron: '0 7 * * *', calendar: { name: 'warehouse' } }]));
  await server.apply(
    schedule('month-end', [
      { cron: `0 19 ${dayNumber(HOLIDAY)} * *`, calendar: { name: 'warehouse', otherwise: 'previous' } },
    ]),
  );
  await server.apply(schedule('price-tags', [{ cron: '0 * * * *' }]));
  await server.apply(schedule('archive', [{ cron: '0 22 ? * FRI' }]));
  await server.apply(schedule('kpi-report', [{ cron: '0 8 ? * MON' }]));
  await server.apply(schedule('follow-up', [{ after: [{ schedule: 'archive' }] }]));
  // The times of its tasks are known then.
  await server.run('pick-plan', { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('the forecast', () => {
  it('shows a month, a day by the keyboard, and what happens without a server', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter();
    await page.getByRole('link', { name: 'Forecast', exact: true }).click();
    await page.getByRole('button', { name: 'Month after' }).click();
    const holiday = page.getByRole('gridcell', { name: new RegExp(`\\b${dayNumber(HOLIDAY)} .*Inventory.*left out`) });
    await holiday.waitFor();
    await page.getByRole('gridcell', { name: /Works for Thursday.*added by a make-up day: 05:00 pick-plan/ }).waitFor();
    const side = page.getByRole('complementary');
    await side.getByText('left out: 4 ticks').waitFor();
    await side.getByText(/moved here from/).waitFor();

    // The tasks of a batch are known from the last one that succeeded.
    await page.getByRole('gridcell', { name: /Works for Thursday/ }).click();
    await side.getByText(/^At most 1 slot of executors is wanted, at 05:00\. There are \d+ now\./).waitFor();
    await side.getByText(/\d+ batches are not counted/).waitFor();
    await picture(page, 'forecast/slots');

    await holiday.click();
    await side.getByText('price-tags').first().waitFor();
    expect(page.url()).toContain(`day=${HOLIDAY}`);
    await holiday.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const friday = side.getByRole('region').first();
    await friday.getByText('archive', { exact: true }).waitFor();
    await friday.getByText('follow-up').waitFor(); // it follows another schedule
    await friday.getByText(/Its start is unknown/).waitFor();

    await page.getByLabel('From').fill(`${dateOf(1, 4)}T02:30`);
    await page.getByLabel('To', { exact: true }).fill(`${dateOf(1, 4)}T05:30`);
    const outage = side.getByRole('region', { name: 'What if no server runs?' });
    await outage.getByRole('button', { name: 'Show' }).click();
    await side.getByText('4 ticks are due in that time').waitFor();
    await friday.getByText('missed').nth(1).waitFor();
    await friday
      .getByText(/starts .* 05:30 · late, and caught up/)
      .first()
      .waitFor();
    await outage.getByRole('button', { name: 'Without it' }).click();
    await friday.getByText('missed').first().waitFor({ state: 'detached' });

    // What waits for a schedule moves with it.
    const later = side.getByRole('region', { name: 'What if a schedule runs later?' });
    await later.getByLabel('Schedule to move').fill('archive');
    await page.getByRole('option', { name: 'archive' }).click();
    await later.getByLabel('Minutes later').fill('30');
    await later.getByRole('button', { name: 'Show' }).click();
    await later.getByText('archive runs 30 minutes later').waitFor();
    const moved = friday.getByRole('listitem').filter({ hasText: '22:30' });
    await moved.filter({ hasText: 'archive' }).waitFor();
    await moved.filter({ hasText: 'follow-up' }).waitFor();
    await picture(page, 'forecast/shift');
    await later.getByRole('button', { name: 'Without it' }).click();
    await friday.getByText('22:30').first().waitFor({ state: 'detached' });

    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'As a list' }).click();
    await page
      .getByRole('row', { name: /Works for Thursday/ })
      .getByText('pick-plan')
      .waitFor();
    await page.getByRole('button', { name: 'As a list' }).click();
    await page.getByPlaceholder('All schedules').click();
    await page.getByRole('option', { name: 'archive' }).click();
    await page.getByRole('heading', { name: 'Forecast of archive' }).waitFor();
    await page.getByRole('button', { name: 'Days without runs' }).click();
    await page.getByRole('gridcell').getByText('nothing runs').nth(20).waitFor();
    await ada.leave();
  });

  it('can be subscribed to with a token', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter('/forecast?schedule=archive');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    await dialogHasFocus(page);
    const address = await page
      .getByRole('dialog')
      .getByText(/forecast\.ics/)
      .innerText();
    const token = await server.bearer();
    const answer = await fetch(address.replace('TOKEN', token));
    expect(answer.headers.get('content-type')).toContain('text/calendar');
    expect(await answer.text()).toMatch(/^BEGIN:VCALENDAR\r\n[^]*SUMMARY:archive\r\n[^]*END:VCALENDAR\r\n$/);
    expect((await fetch(address)).status).toBe(401);
    expect(server.output()).not.toContain(token);
    await ada.leave();
  });

  it.each(APPEARANCES)('fits in $language at $width pixels', async (appearance) => {
    const name = `forecast/${appearance.language}-${String(appearance.width)}`;
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    for (const [view, search] of [
      ['now', ''], // weeks of the present month are over
      ['month', `?month=${MONTH}`],
      ['day', `?month=${MONTH}&day=${HOLIDAY}`],
      ['list', `?month=${MONTH}&view=list`],
      ['idle', `?month=${MONTH}&schedule=archive&idle=true`],
    ] as const) {
      if (view === 'now') await ada.enter('/forecast');
      else await page.goto(`/forecast${search}`);
      await page
        .getByText(view === 'now' ? /price-tags|\d+ (ticks|次)/ : 'archive')
        .first()
        .waitFor();
      if (view === 'day') await page.getByRole('complementary').getByText('price-tags').first().waitFor();
      await picture(page, `${name}-${view}`);
      await fits(page, `the ${view} in ${appearance.language}`);
      await accessible(page, `the ${view} in ${appearance.language}`);
    }
    await page.getByRole('button', { name: appearance.language === 'en' ? 'Subscribe' : '订阅' }).click();
    await dialogHasFocus(page);
    await fits(page, `the dialog in ${appearance.language}`);
    await accessible(page, `the dialog in ${appearance.language}`);
    await picture(page, `${name}-dialog`);
    await ada.leave();
  });
});
