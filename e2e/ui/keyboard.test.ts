import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialogHasFocus, menuHasFocus, openBrowser, Person } from './harness/browser';
import { PASSWORD, Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** The focused element: its accessible name, and whether the focus is visible. */
async function focus(page: Page): Promise<{ name: string; tag: string; seen: boolean }> {
  return page.evaluate(() => {
    const at = document.activeElement as HTMLElement | null;
    if (!at) return { name: '', tag: '', seen: false };
    const referenced = (attribute: string) => document.getElementById(at.getAttribute(attribute) ?? '');
    // The label of a radio button shows its focus.
    const drawn = at instanceof HTMLInputElement && at.type === 'radio' ? (at.labels?.[0] ?? at) : at;
    const hasRing = (e: Element | null | undefined) => {
      if (!e) return false;
      const style = getComputedStyle(e);
      return (style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none';
    };
    const hasSize = (e: Element | null) => {
      const box = e?.getBoundingClientRect();
      return !!box && box.width > 0 && box.height > 0;
    };
    const hasBorder = ['INPUT', 'TEXTAREA', 'SELECT'].includes(at.tagName);
    const ringed = [drawn, drawn.parentElement, referenced('aria-activedescendant')].some(hasRing);
    return {
      name: at.getAttribute('aria-label') ?? referenced('aria-labelledby')?.textContent ?? at.innerText,
      tag: at.tagName,
      seen: hasSize(drawn) && (hasBorder || ringed),
    };
  });
}

/** Presses Tab until the wanted element has the focus. Each stop on the way must be an element with a visible focus. */
async function tabTo(page: Page, name: RegExp, most = 40): Promise<void> {
  const stops: string[] = [];
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab');
    const at = await focus(page);
    stops.push(`${at.tag} ${at.name.slice(0, 40)}`);
    // After the last stop of the page comes the browser's own frame, once.
    if (at.tag === 'BODY' && stops.filter((s) => s.startsWith('BODY')).length === 1 && i > 0) continue;
    expect(at.tag, `the focus is lost after ${stops.join(' | ')}`).not.toBe('BODY');
    expect(at.seen, `the focus cannot be seen on ${stops.at(-1) ?? ''}`).toBe(true);
    if (name.test(at.name)) return;
  }
  throw new Error(`${String(name)} is not reached by Tab: ${stops.join(' | ')}`);
}

/** Waits until the focus is on an element of the page, and not lost, as after a dialog or a menu that has closed. */
async function hasFocus(page: Page, when: string): Promise<void> {
  await until(`an element has the focus ${when}`, async () => (await focus(page)).tag !== 'BODY');
}

describe('without a mouse', () => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun();
    person = await Person.come(browser, server, { height: 900 });
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('logs in, runs, reads the log of what failed, and resumes', async () => {
    const { page } = person;
    await page.goto('/');
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    if ((await focus(page)).tag === 'BODY') await tabTo(page, /^Name|^$/);
    await until('the name has the focus', async () => (await focus(page)).tag === 'INPUT');
    await page.keyboard.type('admin');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'warehouse' }).first().waitFor();

    // The first stop of a page is a link past its frame.
    await tabTo(page, /^Skip to the content$/);
    await page.keyboard.press('Enter');
    await until('the content has the focus', async () => (await focus(page)).tag === 'MAIN');
    await tabTo(page, /^Run weather-report…$/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await until('the dialog has the focus', async () => (await focus(page)).name === 'Run now');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until(
      'the focus is back where the dialog came from',
      async () => (await focus(page)).name === 'Run weather-report…',
    );
    await page.keyboard.press('Enter');
    await until('the primary action has the focus', async () => (await focus(page)).name === 'Run now');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/batches/*');
    await page.getByText('1 task failed, 1 was skipped because of it.').first().waitFor();
    const id = Number(new URL(page.url()).pathname.split('/').pop());

    // The graph is one stop of Tab; the arrow keys move from card to card.
    await page
      .getByRole('application', { name: /graph/i })
      .or(page.getByLabel(/^(Dependency graph|Graph of )/))
      .first()
      .waitFor();
    await tabTo(page, /^(Dependency graph|Graph of )/);
    await page.keyboard.press('Home');
    const on = (task: string) =>
      until(`the graph's active card is ${task}`, () =>
        page.evaluate((wanted) => {
          const card = document.activeElement?.getAttribute('aria-activedescendant');
          return card ? document.getElementById(card)?.dataset.task === wanted : false;
        }, task),
      );
    await on('extract');
    await page.keyboard.press('ArrowDown');
    await on('load');
    await page.keyboard.press('End');
    await on('report');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Home');
    await on('extract');
    for (const key of ['ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await until('a card of the third lane is active', () =>
      page.evaluate(() =>
        ['monthly', 'extremes'].includes(
          document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.dataset.task ??
            '',
        ),
      ),
    );
    if (
      !(await page.evaluate(
        () =>
          document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.dataset.task ===
          'monthly',
      ))
    )
      await page.keyboard.press('ArrowLeft');
    await on('monthly');
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Task monthly' })
      .getByText(/no such column: precipitation_mm/)
      .first()
      .waitFor();
    await hasFocus(page, 'after a task was opened');

    const yaml = await server.hivego('export', 'weather-report');
    await server.apply(yaml.replaceAll('precipitation_mm', 'precipitation'));
    await tabTo(page, /^Resume from here…$/, 60);
    await page.keyboard.press('Enter');
    await dialog.getByText('Nothing has changed yet.').waitFor();
    await dialogHasFocus(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until('the focus is back at the red line', async () => (await focus(page)).name === 'Resume from here…');
    await page.keyboard.press('Enter');
    await dialog.getByText('Nothing has changed yet.').waitFor();
    await dialogHasFocus(page);
    // The choice of the revision is a group of radio buttons: the arrows choose.
    for (
      let i = 0;
      i < 6 &&
      (await page.evaluate(() => (window.document.activeElement as HTMLInputElement | null)?.type)) !== 'radio';
      i++
    )
      await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await dialog.getByText('1 of these tasks differs').waitFor();
    await tabTo(page, /^Resume 2 tasks$/);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('5 of 5 succeeded').waitFor();
    await hasFocus(page, 'after the resume');
    const batch = await server.ended(id);
    expect(batch).toMatchObject({ state: 'succeeded', round: 2, revision: 2 });

    // The drawer is closed by its button, and the focus is not lost.
    await tabTo(page, /^Close$/, 60);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Task monthly' }).waitFor({ state: 'detached' });
    await hasFocus(page, 'after the task was closed');
    await tabTo(page, /^Account:/, 60);
    await page.keyboard.press('Enter');
    await menuHasFocus(page);
    await page.keyboard.press('Escape');
    await until('the focus is back at the account', async () => (await focus(page)).name === 'Account: admin');
    expect(person.errors).toEqual([]);
  });
});
