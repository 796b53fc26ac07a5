import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agrees, card, connection, neverBack, record, recorded, shows } from './harness/batch';
import { hold, openBrowser, Person, picture } from './harness/browser';
import { Proxy } from './harness/proxy';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const shell = (key: string, command: string, needs?: string[]) => ({
  key,
  handler: 'shell',
  params: { command },
  ...(needs && { needs }),
});

/** Two tasks side by side, one after each, and one after all. */
const relay = (server: Server, name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  jobs: [
    { key: 'first', tasks: [shell('a', server.gated(`${name}-a`)), shell('b', server.gated(`${name}-b`))] },
    {
      key: 'second',
      tasks: [shell('c', server.gated(`${name}-c`), ['a']), shell('d', server.gated(`${name}-d`), ['b'])],
    },
    { key: 'third', tasks: [shell('e', 'echo the end', ['c', 'd'])] },
  ],
});

const becomes = (server: Server, id: number, task: string, state: string) =>
  until(`${task} is ${state} on the server`, async () =>
    (await server.batch(id)).tasks.some((t) => t.key === task && t.state === state),
  );

describe('a page without its server', () => {
  let server: Server;
  let proxy: Proxy;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun();
    proxy = await Proxy.before(server.url);
    person = await Person.come(browser, { url: proxy.url });
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await proxy.close();
    await server.stop();
  });

  it.each(['the browser is offline', 'connections break'])(
    'says so, stops its clocks, and catches up by itself (%s)',
    async (kind) => {
      const { page } = person;
      const name = kind === 'connections break' ? 'broken' : 'offline';
      const down = () => (kind === 'connections break' ? proxy.down() : person.context.setOffline(true));
      const up = () => (kind === 'connections break' ? proxy.up() : person.context.setOffline(false));
      await server.apply(relay(server, name));
      const id = await server.run(name);
      await page.goto(`/batches/${String(id)}`);
      await shows(page, 'a', 'running');
      await shows(page, 'b', 'running');
      await record(page);

      await down();
      await connection(page, 'offline');
      await page.getByText(/^No connection since/).waitFor();
      // The page does not learn of the next events: it keeps its states, and its clocks stand still.
      const clock = await card(page, 'b').innerText();
      server.open(`${name}-a`);
      await becomes(server, id, 'a', 'succeeded');
      await becomes(server, id, 'c', 'running');
      expect(await card(page, 'a').getAttribute('data-state')).toBe('running');
      expect(await card(page, 'b').innerText()).toBe(clock);

      await up();
      await connection(page, 'live');
      await page.getByText(/^No connection since/).waitFor({ state: 'detached' });
      await agrees(page, server, id);
      await shows(page, 'c', 'running');
      server.open(`${name}-b`, `${name}-c`, `${name}-d`);
      await page.getByText('5 of 5 succeeded').waitFor();
      await agrees(page, server, id);
      await neverBack(page);
      expect((await recorded(page)).a?.map((s) => s.state)).toEqual(['running', 'succeeded']);
      expect(person.errors).toEqual([]);
    },
  );
});

describe.each(['sqlite', 'postgres'] as const)('a server that is killed, on %s', (database) => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun(database);
    person = await Person.come(browser, server);
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('reconnects to the open page, which then shows the tasks that ran meanwhile', async () => {
    const { page } = person;
    await server.apply(relay(server, 'killed'));
    const id = await server.run('killed');
    await page.goto(`/batches/${String(id)}`);
    await shows(page, 'a', 'running');
    await shows(page, 'b', 'running');
    await record(page);

    await server.kill();
    await connection(page, 'offline');
    server.open('killed-a'); // it ends while the server is down
    await server.again();
    await connection(page, 'live');
    await shows(page, 'a', 'succeeded');
    await shows(page, 'c', 'running');
    await agrees(page, server, id);
    server.open('killed-b', 'killed-c', 'killed-d');
    await page.getByText('5 of 5 succeeded').waitFor();
    await agrees(page, server, id);
    await neverBack(page);
    // Nothing was lost and nothing ran twice.
    const batch = await server.batch(id);
    expect(batch.state).toBe('succeeded');
    expect(batch.tasks.map((t) => t.attempts)).toEqual([1, 1, 1, 1, 1]);
    expect(person.errors).toEqual([]);
  });

  it('is reported by a page whose code is not loaded yet, and the page appears once the server is back', async () => {
    const { page } = person;
    await page.goto('/batches');
    await connection(page, 'live');
    await server.kill();
    await connection(page, 'offline');
    await page.getByRole('link', { name: 'Executors' }).click();
    await page.getByText('The server cannot be reached').waitFor();
    await picture(page, `reconnect/page-not-fetched-${database}`);
    await server.again();
    await page.getByRole('row', { name: /embedded/ }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/executors');
  });

  it('does not make a page reload when a part cannot be preloaded', async () => {
    const page = await person.tab();
    const RUN = /\/assets\/RunDialog-[^/]*\.js$/;
    const release = await hold(page, RUN, 'abort');
    let missing = 0;
    await page.exposeFunction('missed', () => {
      missing++;
    });
    await page.addInitScript(() => {
      window.addEventListener('vite:preloadError', () => {
        (window as unknown as { missed: () => void }).missed();
      });
    });
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByRole('button', { name: /^Run / }).first().waitFor();
    await page.evaluate(() => {
      Object.assign(window, { kept: true });
    });
    release();
    await until('the part is missing', () => Promise.resolve(missing > 0));
    const kept = () =>
      page.evaluate(async () => {
        for (let i = 0; i < 5; i++) await fetch('/healthz'); // as a page does before it reloads
        return (window as unknown as { kept?: boolean }).kept ?? false;
      });
    expect(await kept()).toBe(true);
    // A click loads the part again. If that fails, the page reloads, since the server is up.
    await page.getByRole('button', { name: /^Run / }).first().click();
    await until('the page reloads', async () => !(await kept().catch(() => true)));
    await page.unroute(RUN);
    await page.reload();
    await page.getByRole('button', { name: /^Run / }).first().click();
    await page.getByRole('dialog').waitFor();
    await page.close();
  });
});
