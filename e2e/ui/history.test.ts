import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
let batch: number;

/** A schedule with two tasks that fail, and one after both. */
const nightly = (load: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'nightly',
  jobs: [
    {
      key: 'night',
      tasks: [
        { key: 'load', handler: 'shell', params: { command: load } },
        { key: 'push', handler: 'shell', params: { command: 'exit 4' } },
      ],
    },
    { key: 'morning', tasks: [{ key: 'report', handler: 'shell', params: { command: 'true' } }] },
  ],
});

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply(nightly('echo no such column: bin_code >&2; exit 3'));
  batch = await server.run('nightly');
  await server.ended(batch);
  await server.hivego('mark', String(batch), 'push', '--as', 'success', '--note', 'pushed from the bastion');
  await server.apply(nightly('true'));
  await server.hivego('resume', String(batch), '--latest', '--note', 'renamed upstream', '--wait');
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 800 },
  { language: 'zh', dark: true, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('the history of a batch', () => {
  it('tells who did what and why, and what failed', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter(`/batches/${String(batch)}?view=history`);
    const history = page.getByRole('region', { name: 'What happened, newest first' });
    await history.getByText('admin resumed the batch at load.').waitFor();
    for (const text of [
      'renamed upstream',
      'admin marked push as succeeded.',
      'pushed from the bastion',
      'admin published v2.',
      'no such column: bin_code',
      'The batch succeeded.',
    ])
      expect(await history.getByText(text).count(), text).toBeGreaterThan(0);
    await history.getByText('The plan').first().click();
    const plan = history.getByRole('list', { name: 'What changes' });
    await plan.getByText('failed → run again').waitFor();
    await accessible(page, 'the history with a plan');

    await history.getByText(/^admin started it .*v1\.$/).waitFor();

    const side = page.getByRole('complementary', { name: 'Summary' });
    await side.getByText('Declared, not run').waitFor();
    await page.getByText('failures', { exact: true }).click();
    await history.getByText('admin resumed the batch at load.').waitFor({ state: 'detached' });
    await history.getByRole('link', { name: 'load failed.' }).click();
    await page.waitForURL(/task=load/);
    await ada.leave();
  });

  it('shows a declared success as declared in the graph', async () => {
    const ada = await Person.come(browser, server);
    const { page } = ada;
    await ada.enter(`/batches/${String(batch)}`);
    await page
      .getByText(/succeeded · by admin: pushed from the bastion/)
      .first()
      .waitFor();
    await picture(page, 'history/en-1280-graph');
    await ada.leave();
  });

  it.each(APPEARANCES)('fits in $language at $width pixels', async (appearance) => {
    const ada = await Person.come(browser, server, appearance);
    const { page } = ada;
    await ada.enter(`/batches/${String(batch)}?view=history`);
    await page.getByText('renamed upstream').waitFor();
    await fits(page, `the history in ${appearance.language}`);
    await accessible(page, `the history in ${appearance.language}`);
    await picture(page, `history/${appearance.language}-${String(appearance.width)}`);
    await ada.leave();
  });
});
