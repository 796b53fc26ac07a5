import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { showNight } from './harness/night';
import { Server, until } from './harness/server';

let browser: Browser;
let server: Server;

const schedule = (name: string, triggers: object[], commands: string[], policy?: object) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  triggers,
  policy,
  jobs: [
    {
      key: 'all',
      tasks: commands.map((command, i) => ({ key: `t${String(i)}`, handler: 'shell', params: { command } })),
    },
  ],
});

interface Ticks {
  items: { moment: string; decision: string; batch?: number; missing?: { state: string }[] }[];
}
const ticks = async (name: string) => (await server.get<Ticks>(`/schedules/${name}/ticks`)).items;

/** A whole second from now, as a trigger names it. */
const inSeconds = (n: number) => new Date(Date.now() + n * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

/** The cron of each day at a time from now. */
const daily = (hours: number) => {
  const at = new Date(Date.now() + hours * 3_600_000);
  return `${String(at.getUTCMinutes())} ${String(at.getUTCHours())} * * *`;
};

const folder = mkdtempSync(join(tmpdir(), 'hivego-chain-'));
const repaired = join(folder, 'repaired');

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  // Each has succeeded once by hand, so that its usual duration is known. warehouse then fails in its one moment.
  const learn = async (name: string) => {
    await server.apply(schedule(name, [], ['sleep 1']));
    await server.run(name, { wait: true });
  };
  await Promise.all(['erp-extract', 'warehouse', 'mart-export', 'pick-plan', 'board-mail'].map(learn));
  const last = (name: string) => ({ schedule: name, window: 'last 6h' });
  await server.apply(schedule('board-mail', [{ cron: daily(3), after: [last('pick-plan')] }], ['true']));
  await server.apply(
    schedule('pick-plan', [{ cron: daily(1), after: [last('mart-export')] }], ['true'], { expire: '2h' }),
  );
  await server.apply(schedule('mart-export', [{ after: [{ schedule: 'warehouse' }] }], ['true']));
  await server.apply(
    schedule('warehouse', [{ after: [{ schedule: 'erp-extract' }] }], ['true', `test -e ${repaired}`]),
  );
  await server.apply(schedule('alone', [{ cron: '0 3 * * *' }], ['true']));
  await server.apply(schedule('erp-extract', [{ at: inSeconds(10) }], ['true']));
  await until(
    'mart-export waits for a failed batch',
    async () => (await ticks('mart-export'))[0]?.missing?.[0]?.state === 'failed',
  );
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

describe('the chain of a schedule', () => {
  it.each(APPEARANCES)('fits and is accessible: $language, $width pixels', async (appearance) => {
    const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
    const { page } = person;
    const judge = async (what: string) => {
      await picture(page, `chain/${what}-${appearance.language}-${String(appearance.width)}`);
      await fits(page, what);
      await accessible(page, what);
    };
    const english = appearance.language === 'en';
    await showNight(page, 'warehouse');
    await person.enter('/schedules/warehouse/chain');
    await page
      .getByText(english ? 'As it stands' : '维持现状', { exact: true })
      .last()
      .waitFor();
    await judge('stands');
    await page
      .getByRole('radiogroup')
      .getByText(english ? 'if resumed now' : '现在恢复')
      .click();
    await page.getByText(english ? /pick-plan begins 9 m late/ : /pick-plan 晚 9 ?分/).waitFor();
    await judge('now');
    await page.goto('/schedules/alone/chain');
    await page.getByRole('heading', { name: english ? 'alone stands alone' : 'alone 没有上下游' }).waitFor();
    await judge('alone');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('says what is late and until when a resume helps, and follows the repair', async () => {
    const person = await Person.come(browser, server, { height: 1000 });
    const { page } = person;
    await person.enter('/schedules/mart-export/ticks');
    await page.getByRole('link', { name: 'See the chain' }).click();
    await page.getByText('2 before it, 2 after it.').waitFor();
    const says = page.getByRole('region', { name: 'What becomes of it' });
    await says.getByText(/mart-export does not begin/).waitFor();
    await says.getByText('Critical chain: erp-extract → warehouse → mart-export → pick-plan → board-mail').waitFor();
    const assumed = page.getByRole('radiogroup');
    await assumed.getByText('if resumed now').click();
    await says.getByText(/pick-plan and board-mail begin in time/).waitFor();
    await says.getByText('pick-plan can still be in time.').waitFor();
    await says.getByText('pick-plan begins before it expires.').waitFor();
    await says.getByText('board-mail can still be in time.').waitFor();
    expect(page.url()).toContain('resume=now');
    await assumed.getByText('if resumed at …').click();
    await says.getByText(/^Resumed at /).waitFor();
    await page.getByLabel('Resumed at (UTC)').fill(new Date(Date.now() + 7_200_000).toISOString().slice(0, 16));
    await says.getByText(/pick-plan begins .* late/).waitFor();

    // The failed task succeeds from now on, and what waits follows by itself.
    await page.getByRole('link', { name: 'warehouse', exact: true }).click();
    await page.getByRole('heading', { name: 'The chain of warehouse' }).waitFor();
    writeFileSync(repaired, '');
    await page.getByRole('button', { name: /^Resume 1 task… warehouse/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Run|^Resume/ })
      .click();
    await says.getByText('Nothing has failed that this chain waits for.').waitFor();
    await page
      .getByRole('listitem')
      .filter({ has: page.getByRole('link', { name: 'mart-export', exact: true }) })
      .getByText('succeeded', { exact: true })
      .waitFor();

    const [tick] = await ticks('warehouse');
    await page.goto(`/batches/${String(tick?.batch)}`);
    await page.getByRole('link', { name: /^mart-export, batch #\d+: succeeded/ }).waitFor();
    await page.getByRole('link', { name: /^erp-extract, batch #\d+: succeeded/ }).waitFor();
    await picture(page, 'chain/batch');
    await fits(page, 'the batch with its links');
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
