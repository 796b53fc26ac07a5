import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hold, openBrowser, Person } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const MB = 1 << 20;

describe('a log of 200 MB', () => {
  let server: Server;
  let person: Person;
  let id: number;
  beforeAll(async () => {
    server = await Server.begun();
    // One pipe keeps the lines in their order. A line has about a hundred bytes, and the needle is far from both ends.
    const lines = 2_000_000;
    const rest = 'of the load: ok, and some more words that nobody will ever read again, as in any log';
    const awk =
      `BEGIN { for (i = 1; i <= ${String(lines)}; i++) ` +
      `print (i == 777777 ? "here is the needle" : "record " i " ${rest}") }`;
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'chatty',
      jobs: [
        {
          key: 'only',
          tasks: [
            {
              key: 'talk',
              handler: 'shell',
              params: {
                command: `exec 2>&1; awk '${awk}'; echo 'fatal: the disk is full'; echo 'and a last word'; exit 3`,
              },
            },
          ],
        },
      ],
    });
    id = await server.run('chatty', { wait: true });
    person = await Person.come(browser, server);
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('opens at its error, is searched, goes to both ends, and the page stays small', async () => {
    const { page } = person;
    const devtools = await person.context.newCDPSession(page);
    await devtools.send('Performance.enable');
    await page.addInitScript(() => {
      // The longest time in which the page could not answer.
      let last = performance.now();
      const beat = () => {
        const now = performance.now();
        Object.assign(window, {
          longest: Math.max((window as unknown as { longest?: number }).longest ?? 0, now - last),
        });
        last = now;
        setTimeout(beat, 10);
      };
      beat();
    });
    const began = Date.now();
    await page.goto(`/batches/${String(id)}?task=talk`);
    const log = page.getByRole('region', { name: 'Log of talk, attempt 1' });
    await log.getByText('fatal: the disk is full').waitFor();
    const opened = Date.now() - began;
    await log.getByText('and a last word').waitFor();
    await page.getByRole('button', { name: 'Resume from here…' }).waitFor();

    const search = page
      .getByRole('textbox', { name: /^Search the whole log/ })
      .or(page.getByRole('searchbox', { name: /^Search the whole log/ }));
    await search.fill('the needle');
    await search.press('Enter');
    await log.getByText('here is').waitFor();
    await page.getByRole('button', { name: 'Go to the start' }).click();
    await log.getByText('record 1 of the load').waitFor();
    await page.getByRole('button', { name: 'Go to the end' }).click();
    await log.getByText('and a last word').waitFor();
    await search.fill(':1000000');
    await search.press('Enter');
    await log.getByText('record 999999 of the load').waitFor();
    await page.getByRole('button', { name: 'Go to the error' }).click();
    await log.getByText('fatal: the disk is full').waitFor();

    const { metrics } = await devtools.send('Performance.getMetrics');
    const heap = metrics.find((m) => m.name === 'JSHeapUsedSize')?.value ?? Infinity;
    const nodes = metrics.find((m) => m.name === 'Nodes')?.value ?? Infinity;
    const longest = await page.evaluate(() => (window as unknown as { longest: number }).longest);
    console.log(
      `200 MB log: at its error after ${String(opened)} ms, heap ${(heap / MB).toFixed(0)} MB, ` +
        `${String(nodes)} DOM nodes, longest silence of the page ${longest.toFixed(0)} ms`,
    );
    // A page that reads the whole log needs hundreds of megabytes. The silence of the page is only printed, because it
    // also depends on the machine.
    expect(heap).toBeLessThan(120 * MB);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(5_000);
    expect(person.errors).toEqual([]);
  });

  it('stays where the user has scrolled when its error is found later', async () => {
    const page = await person.tab();
    const release = await hold(page, '**/log/find**');
    await page.goto(`/batches/${String(id)}?task=talk`);
    const log = page.getByRole('region', { name: 'Log of talk, attempt 1' });
    await log.getByText('and a last word').waitFor();
    await page.getByRole('button', { name: 'Go to the start' }).click();
    await log.getByText('record 1 of the load').waitFor();
    release();
    await page.getByRole('button', { name: 'Go to the error' }).waitFor();
    expect(await log.getByText('record 1 of the load').isVisible()).toBe(true);
    expect(await log.getByText('fatal: the disk is full').count()).toBe(0);
    await page.close();
  });
});
