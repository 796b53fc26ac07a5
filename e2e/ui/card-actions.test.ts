import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card, shows } from './harness/batch';
import { accessible, dialogHasFocus, menuHasFocus, openBrowser, Person, picture } from './harness/browser';
import { still } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const task = (key: string, command: string) => ({ key, handler: 'shell', params: { command } });

/** The name of the focused element. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement as HTMLElement | null;
    return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
  });
const onName = async (page: Page, name: string) => {
  await until(`the focus is on ${name}`, async () => (await focused(page)) === name).catch(async (e: unknown) => {
    throw new Error(`${String(e)}; it is on ${await focused(page)}`);
  });
};

describe('a task of a batch', () => {
  let server: Server;
  let person: Person;
  let id: number;
  beforeAll(async () => {
    server = await Server.begun();
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'mixed',
      jobs: [
        {
          key: 'all',
          tasks: [
            task('bad', 'exit 3'),
            task('good', 'true'),
            task('worse', 'exit 4'),
            task('long', server.gated('long')),
          ],
        },
      ],
    });
    id = await server.run('mixed');
    await until('two have failed, one runs', async () => {
      const states = (await server.batch(id)).tasks
        .map((t) => t.state)
        .sort()
        .join(' ');
      return states === 'failed failed running succeeded';
    });
    person = await Person.come(browser, server);
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  const plan = () => person.page.getByRole('dialog');
  const shown = async (title: string) => {
    await plan().getByText(title, { exact: false }).first().waitFor();
    await plan().getByRole('button').last().waitFor();
    await dialogHasFocus(person.page);
  };
  const leave = async () => {
    await person.page.keyboard.press('Escape');
    await plan().waitFor({ state: 'detached' });
  };

  /** Closes the drawer of a task. The graph then moves back, so a click on a card must wait until the card is still. */
  const close = async (name: string) => {
    const drawer = person.page.getByRole('region', { name: `Task ${name}` });
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'detached' });
  };

  it('shows its actions at its card, for the mouse', async () => {
    const { page } = person;
    await person.enter(`/batches/${String(id)}`);
    await shows(page, 'bad', 'failed');
    const resume = page.getByRole('button', { name: 'Resume… bad' });
    expect(await resume.count()).toBe(0);
    await still(card(page, 'bad')); // the banner of the failure moves the graph
    await card(page, 'bad').click();
    await still(resume);
    await picture(page, 'card/failed');
    await accessible(page, 'a failed card with its actions');
    await resume.click();
    await shown('Resume bad');
    await leave();
    await page.getByRole('button', { name: 'More actions for bad' }).click();
    await page.getByRole('menuitem', { name: 'Ignore…' }).waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Rerun…',
      'Rerun with downstream…',
      'Mark succeeded…',
      'Ignore…',
    ]);
    await page.getByRole('menuitem', { name: 'Mark succeeded…' }).click();
    await shown('Mark bad as succeeded');
    await leave();

    // A running task can be canceled there; a succeeded one has only its menu.
    await close('bad');
    await still(card(page, 'long'));
    await card(page, 'long').click();
    const cancel = page.getByRole('button', { name: 'Cancel… long' });
    await still(cancel); // the graph moves aside for the drawer
    await cancel.click();
    await shown('Cancel long');
    await leave();
    expect(await resume.count()).toBe(0);
    await close('long');
    await still(card(page, 'good'));
    await card(page, 'good').click();
    await page.getByRole('button', { name: 'More actions for good' }).waitFor();
    expect(await page.locator('[data-actions] button').count()).toBe(1);
    expect(person.errors).toEqual([]);
  });

  it('shows them at its card for the keyboard, and returns the focus', async () => {
    const { page } = person;
    await person.enter(`/batches/${String(id)}`);
    await shows(page, 'bad', 'failed');
    const graph = page.getByRole('application');
    const active = () =>
      page.evaluate(
        () =>
          document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.dataset.task,
      );
    await graph.press('Home');
    await until('the keyboard is on the first card', async () => (await active()) === 'bad');
    await page.keyboard.press('Tab');
    await onName(page, 'Resume… bad');
    expect(new URL(page.url()).searchParams.has('task')).toBe(false); // the drawer stays closed
    await page.keyboard.press('Enter');
    await shown('Resume bad');
    await leave();
    await onName(page, 'Resume… bad');
    await page.keyboard.press('Tab');
    await onName(page, 'More actions for bad');
    await page.keyboard.press('Enter');
    await menuHasFocus(page);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await onName(page, 'More actions for bad');
    await page.keyboard.press('Enter');
    await onName(page, 'Rerun…');
    await page.keyboard.press('Enter');
    await shown('Rerun bad');
    await leave();
    await onName(page, 'More actions for bad');
    // Escape returns to the graph, at the same card.
    await page.keyboard.press('Escape');
    await until('the keyboard is on the card again', async () => (await active()) === 'bad');
    await page.keyboard.press('ArrowRight');
    await until('the next card', async () => {
      const key = await active();
      return key !== undefined && key !== 'bad';
    });
    await page.getByRole('button', { name: `More actions for ${(await active()) ?? ''}` }).waitFor();
    expect(await page.getByRole('button', { name: 'Resume… bad' }).count()).toBe(0);
    expect(person.errors).toEqual([]);
  });

  it('shows them in its row of the table, for the mouse and for the keyboard', async () => {
    const { page } = person;
    await person.enter(`/batches/${String(id)}?view=table`);
    const row = page.locator('tr').filter({ has: page.getByRole('button', { name: 'bad', exact: true }) });
    const resume = row.getByRole('button', { name: 'Resume… bad' });
    await resume.waitFor({ state: 'attached' });
    const seen = () => resume.evaluate((e) => Number(getComputedStyle(e.parentElement as Element).opacity));
    await page.mouse.move(0, 0);
    expect(await seen()).toBe(0);
    await row.getByRole('button', { name: 'bad', exact: true }).hover();
    await until('the pointer brings them out', async () => (await seen()) === 1);
    await picture(page, 'card/row');
    await accessible(page, 'the table with the actions of a row');
    await resume.click();
    await shown('Resume bad');
    await leave();
    await page.mouse.move(0, 0);

    await row.getByRole('button', { name: 'bad', exact: true }).focus();
    await page.keyboard.press('Tab');
    await onName(page, 'Resume… bad');
    await until('the focus brings them out', async () => (await seen()) === 1);
    await page.keyboard.press('Tab');
    await onName(page, 'More actions for bad');
    await page.keyboard.press('Enter');
    await onName(page, 'Resume…');
    await page.keyboard.press('ArrowDown');
    await onName(page, 'Rerun…');
    await page.keyboard.press('Enter');
    await shown('Rerun bad');
    await leave();
    // Only one row has stops for Tab; the arrow keys move to the others.
    await onName(page, 'More actions for bad');
    await page.keyboard.press('ArrowDown');
    await onName(page, 'good');
    await page.keyboard.press('Tab');
    await onName(page, 'More actions for good');
    expect(person.errors).toEqual([]);
  });

  it('shows them on a phone, large enough for a thumb, and can be resumed there', async () => {
    const phone = await Person.come(browser, server, { width: 390, height: 844 });
    await phone.enter(`/batches/${String(id)}`);
    const { page } = phone;
    const resume = page.getByRole('button', { name: 'Resume… worse' });
    await resume.waitFor();
    for (const button of [resume, page.getByRole('button', { name: 'More actions for worse' })]) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
    await resume.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume 1 task' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until('it ran again, alone', async () => {
      const { tasks } = await server.batch(id);
      return tasks.find((t) => t.key === 'worse')?.attempts === 2 && tasks.find((t) => t.key === 'bad')?.attempts === 1;
    });
    server.open('long');
    await server.ended(id);
    expect(phone.errors).toEqual([]);
    await phone.leave();
  });

  it('keeps the focus in the graph after the action at its card is done', async () => {
    const { page } = person;
    await person.enter(`/batches/${String(id)}`);
    await shows(page, 'bad', 'failed');
    const graph = page.getByRole('application');
    await graph.press('Home');
    await page.keyboard.press('Tab');
    await onName(page, 'Resume… bad');
    await page.keyboard.press('Enter');
    const confirm = plan().getByRole('button', { name: 'Resume 1 task' });
    await until('Tab leads to the confirmation', async () => {
      await page.keyboard.press('Tab');
      return confirm.evaluate((e) => e === document.activeElement);
    });
    await page.keyboard.press('Enter');
    await plan().waitFor({ state: 'detached' });
    await until(
      'it ran again',
      async () => (await server.batch(id)).tasks.find((t) => t.key === 'bad')?.attempts === 2,
    );
    await until('the focus is in the graph', () => graph.evaluate((e) => e.contains(document.activeElement)));
    expect(person.errors).toEqual([]);
  });
});
