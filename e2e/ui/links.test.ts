import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card } from './harness/batch';
import { hold, openBrowser, Person } from './harness/browser';
import { PASSWORD, Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('the address of a page', () => {
  let server: Server;
  let person: Person;
  let id: number;
  beforeAll(async () => {
    server = await Server.begun();
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'linked',
      triggers: [{ cron: '20 3 * * *' }],
      jobs: [
        {
          key: 'j1',
          tasks: [
            { key: 'fine', title: 'Rain by month', handler: 'shell', params: { command: 'echo fine' } },
            {
              key: 'bad',
              handler: 'shell',
              params: {
                command: 'for i in $(seq 300); do echo "line number $i."; done; echo "error: so it is" >&2; exit 1',
              },
            },
          ],
        },
        { key: 'j2', tasks: [{ key: 'after', handler: 'shell', needs: ['bad'], params: { command: 'true' } }] },
      ],
    });
    id = await server.run('linked', { wait: true });
    await server.hivego('resume', String(id));
    await until('the second round has ended', async () => {
      const batch = await server.batch(id);
      return batch.round === 2 && !batch.live;
    });
    person = await Person.come(browser, server);
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  /**
   * The text of a page, without relative times, and without the lines of a log, whose number depends on the window's
   * height.
   */
  const textOf = (page: Page) =>
    page.locator('main').evaluate((main: HTMLElement) => {
      const logs = [...main.querySelectorAll<HTMLElement>('[aria-label^="Log of "]')].map((log) => log.innerText);
      return logs
        .reduce((text, log) => text.replace(log, '…'), main.innerText)
        .replace(/\d+ (sec|min|hr)\. ago|now|\d+ seconds? ago/g, 'ago');
    });

  it('/schedules leads to the list of schedules', async () => {
    const { page } = person;
    await page.goto('/schedules');
    await page.getByRole('link', { name: 'linked', exact: true }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it('opens the same page in a new tab, after every navigation', async () => {
    const { page } = person;
    const views = page.getByRole('navigation', { name: 'Views of the batch' });
    const drawer = (p: Page) => p.getByRole('region', { name: 'Task bad' });
    const opensTheSame = async (shown: (p: Page) => Promise<unknown>) => {
      await shown(page);
      const fresh = await person.tab();
      await fresh.goto(page.url());
      await shown(fresh);
      expect(new URL(fresh.url()).pathname + new URL(fresh.url()).search).toBe(
        new URL(page.url()).pathname + new URL(page.url()).search,
      );
      await until('both tabs say the same', async () => (await textOf(fresh)) === (await textOf(page))).catch(
        async () => {
          expect(await textOf(fresh)).toBe(await textOf(page));
        },
      );
      await fresh.close();
    };

    await page.goto(`/batches/${String(id)}`);
    await opensTheSame((p) => card(p, 'bad').waitFor());
    await card(page, 'bad').click();
    await opensTheSame((p) => drawer(p).getByText('error: so it is').first().waitFor());
    for (const [tab, sign] of [
      ['Command', /seq 300/],
      ['Attempts', /Attempt 1/],
      ['Dependencies', /1 task waits for it/],
    ] as const) {
      await drawer(page).getByRole('tab', { name: tab }).click();
      await opensTheSame((p) => drawer(p).getByText(sign).first().waitFor());
    }
    // The log of an earlier attempt, at one of its lines.
    await drawer(page).getByRole('tab', { name: 'Attempts' }).click();
    await drawer(page)
      .getByRole('button', { name: /^Attempt 1/ })
      .click();
    await drawer(page).getByText('This is the log of attempt 1.').waitFor();
    await drawer(page).getByRole('button', { name: 'Go to the start' }).click();
    await drawer(page).getByText('line number 3.', { exact: true }).waitFor();
    await drawer(page)
      .getByRole('link', { name: /^(Link to this line|Line 4)/ })
      .first()
      .click();
    await page.waitForURL(/attempt=1.*at=\d+|at=\d+.*attempt=1/);
    await opensTheSame((p) => drawer(p).getByText('line number 3.', { exact: true }).waitFor());

    for (const [view, sign] of [
      ['Timeline', 'Rain by month'],
      ['Table', 'Attempts'],
      ['Parameters', 'About this batch'],
      ['History', 'round 1'],
    ] as const) {
      await page.goto(`/batches/${String(id)}`);
      await views.getByRole('link', { name: view }).click();
      await opensTheSame((p) => p.getByRole('main').getByText(sign).first().waitFor());
    }
    await page.goto(`/batches/${String(id)}?view=table`);
    await page.getByPlaceholder('Find tasks').fill('a');
    await page.waitForURL(/q=a/);
    await opensTheSame((p) => p.getByRole('button', { name: 'after' }).first().waitFor());

    await page.goto('/batches');
    await page.getByRole('button', { name: 'failed' }).click();
    await page.waitForURL(/state=failed/);
    await opensTheSame((p) =>
      p
        .getByRole('link', { name: /linked/ })
        .first()
        .waitFor(),
    );
    await page.getByRole('button', { name: 'succeeded' }).click();
    await page.getByRole('button', { name: 'failed' }).click();
    await opensTheSame((p) => p.getByText('No batch matches').waitFor());

    // The back button returns to the state before the click.
    await page.goto(`/batches/${String(id)}`);
    await card(page, 'bad').click();
    await drawer(page).waitFor();
    await page.goBack();
    await drawer(page).waitFor({ state: 'detached' });
    expect(person.errors).toEqual([]);
  });

  it('with a search for a title finds the task, and shows no result before the titles are loaded', async () => {
    const fresh = await person.tab();
    const release = await hold(fresh, '**/definition');
    const asked = fresh.waitForRequest('**/definition');
    await fresh.goto(`/batches/${String(id)}?view=table&q=rain`);
    await asked;
    await fresh.getByRole('link', { name: 'Table' }).and(fresh.locator('[aria-current="page"]')).waitFor();
    expect(await fresh.getByText('No task matches').count()).toBe(0);
    release();
    await fresh.getByRole('button', { name: 'Rain by month', exact: true }).waitFor();
    await fresh.close();
  });

  it('with an unknown view leads to the first one, with its tab marked', async () => {
    const { page } = person;
    const marked = () =>
      page.getByRole('navigation', { name: 'Views of the batch' }).locator('[aria-current="page"]').allTextContents();
    await page.goto(`/batches/${String(id)}?view=nonsense`);
    await card(page, 'bad').waitFor();
    expect(await marked()).toEqual(['Graph']);
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.waitForURL(/view=timeline/);
    await until('the tab is marked', async () => (await marked()).join() === 'Timeline');
    await page.goto('/schedules/linked?view=nonsense');
    await page.getByRole('tab', { name: 'Canvas', selected: true }).waitFor();
    await page.locator('[data-task="bad"][data-editable]').waitFor();
  });

  it('survives a log-out: the login leads back to it', async () => {
    const { page } = person;
    const place = `/batches/${String(id)}?view=table&task=bad&tab=attempts`;
    await page.goto(place);
    await page
      .getByRole('region', { name: 'Task bad' })
      .getByText(/Attempt 1/)
      .waitFor();
    // The session ends in another tab.
    const other = await person.tab();
    await other.goto('/');
    await other.getByRole('button', { name: 'Account' }).click();
    await other.getByRole('menuitem', { name: 'Log out' }).click();
    await other.waitForURL('**/login');
    await page.waitForURL('**/login?next=*');
    await page.getByLabel('Name').fill('admin');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Task bad' })
      .getByText(/Attempt 1/)
      .waitFor();
    const here = new URL(page.url());
    expect(here.pathname + here.search).toBe(place);
  });

  it('is marked by its entry in the main navigation', async () => {
    const { page } = person;
    const places = page.getByRole('navigation', { name: 'Main' });
    for (const [path, place] of [
      ['/', 'Schedules'],
      ['/schedules/linked', 'Schedules'],
      ['/schedules/linked/ticks', 'Schedules'],
      ['/batches', 'Batches'],
      [`/batches/${String(id)}`, 'Batches'],
      ['/executors', 'Executors'],
    ] as const) {
      await page.goto(path);
      await places.locator('[aria-current="page"]').filter({ hasText: place }).waitFor();
      expect(await places.locator('[aria-current]').count(), path).toBe(1);
    }
    expect(person.errors).toEqual([]);
  });

  it('of no page says so, and links to an existing one', async () => {
    const { page } = person;
    for (const [path, status, sign, home] of [
      ['/nothing/here', 404, 'There is no such page', 'To the schedules'],
      ['/batches/987654', 200, 'There is no batch 987654', 'To all batches'],
      ['/batches/abc', 200, 'That is not the number of a batch', 'To all batches'],
    ] as const) {
      expect((await page.goto(path))?.status(), path).toBe(status);
      await page.getByText(sign).first().waitFor();
      await page.getByRole('link', { name: home }).waitFor();
      await page.getByRole('navigation', { name: 'Main' }).waitFor(); // with the way to all other pages
    }
    expect(person.errors).toEqual([]);
  });
});
