import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessible, fits, type Appearance, openBrowser, Person, picture } from './harness/browser';
import { addTask, cardOf, connect, drag, edit, handleOf, middle, openTask, type } from './harness/editor';
import { IMAGE, ranNoScript, reportPolicyViolations, REVERSED, SCRIPT } from './harness/hostile';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const APPEARANCES: Appearance[] = [
  { language: 'en', dark: false, width: 1280, height: 900 },
  { language: 'zh', dark: true, width: 1280, height: 900 },
  { language: 'en', dark: true, width: 390, height: 844 },
  { language: 'zh', dark: false, width: 390, height: 844 },
];
const nameOf = (appearance: Appearance) =>
  `${appearance.language ?? 'en'}-${appearance.dark ? 'dark' : 'light'}-${String(appearance.width)}`;

const LONG = 'wide'.repeat(49);

const task = (key: string, needs?: string[]) => ({
  key,
  handler: 'shell',
  params: { command: `echo ${key}` },
  ...(needs && { needs }),
});

describe('the editor', () => {
  let server: Server;
  beforeAll(async () => {
    server = await Server.begun();
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'hostile',
      title: `${IMAGE} ${SCRIPT}`,
      description: REVERSED + LONG,
      params: { evil: `${SCRIPT}${IMAGE}` },
      jobs: [
        {
          key: 'first',
          title: (IMAGE + LONG).slice(0, 200),
          tasks: [
            { ...task('image'), title: IMAGE, description: SCRIPT, params: { command: `echo '${SCRIPT}'` } },
            { ...task('k'.repeat(128)), title: LONG },
            { ...task('turned'), description: REVERSED },
          ],
        },
        { key: 'second', description: REVERSED, tasks: [{ ...task('after', ['image']), title: SCRIPT }] },
      ],
    });
  });
  afterAll(async () => {
    await server.stop();
  });

  it.each(APPEARANCES.map((appearance) => [nameOf(appearance), appearance] as const))(
    'fits, is accessible, and shows markup in names as text, in each view: %s',
    async (name, appearance) => {
      const person = await Person.come(browser, server, { ...appearance, reducedMotion: true });
      const { page } = person;
      await reportPolicyViolations(page);
      await person.enter();
      const faults: string[] = [];
      const judge = async (what: string) => {
        await picture(page, `appearance/editor-${what}-${name}`);
        for (const check of [fits(page, what), accessible(page, what)])
          await check.catch((error: unknown) => {
            faults.push(`${what}: ${String(error)} ${JSON.stringify((error as { actual?: unknown }).actual)}`);
          });
        await ranNoScript(page, what);
      };
      await edit(page, 'hostile');
      await cardOf(page, 'image').waitFor();
      await judge('canvas');
      for (const [view, ready] of [
        ['table', 'tr[data-row="image"]'],
        ['yaml', '.cm-content'],
        ['settings', 'form, select, input'],
        ['history', '[role=tabpanel] [data-shown]'],
      ] as const) {
        await edit(page, 'hostile', `?view=${view}`);
        await page.locator(ready).first().waitFor();
        await judge(view);
      }
      await edit(page, 'hostile', '?task=image');
      await page.locator('.cm-content').first().waitFor();
      await judge('drawer');
      await edit(page, 'hostile', '?job=second');
      await page.getByRole('tabpanel').waitFor();
      await judge('job');
      expect(faults).toEqual([]);
      expect(person.errors).toEqual([]);
      await person.leave();
    },
  );

  it('edits a thousand tasks', async () => {
    const many = (n: number, m: number) =>
      Array.from({ length: n }, (_, j) => ({
        key: `j${String(j)}`,
        tasks: Array.from({ length: m }, (_, i) =>
          task(`t${String(j)}-${String(i)}`, j > 0 ? [`t${String(j - 1)}-${String(i)}`] : undefined),
        ),
      }));
    await server.apply({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'thousand', jobs: many(100, 10) });
    await server.apply({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'large', jobs: many(250, 20) });
    const person = await Person.come(browser, server, { height: 900, reducedMotion: true });
    const { page } = person;
    await person.enter();
    await edit(page, 'thousand');
    // The first view shows a bar for each job. A search unfolds the job of the task that it finds.
    await page.getByRole('button', { name: /^Job 2, j1: 10 tasks/ }).waitFor();
    await picture(page, 'editor/thousand');
    await page.keyboard.press('/');
    await type(page, 't1-0');
    await page.getByRole('option').filter({ hasText: 't1-0' }).first().waitFor();
    await accessible(page, 'the search of the editor');
    await picture(page, 'editor/search');
    await page.keyboard.press('Enter');
    await openTask(page, 't1-0');
    await page.getByRole('button', { name: 'Cards', exact: true }).click();
    await cardOf(page, 't1-0').waitFor();
    await addTask(page, 'j1', 'added shell');
    await page.getByRole('button', { name: 'Undo: Add added' }).waitFor();
    await page.keyboard.press('/');
    await type(page, 'added');
    await page.getByRole('option').filter({ hasText: 'added' }).first().waitFor();
    await page.keyboard.press('Enter');
    await openTask(page, 'added');
    await page.getByText('draft · 1 change since v1').waitFor();
    await page.getByRole('button', { name: 'Undo: Add added' }).click();
    await until('it is gone', async () => (await cardOf(page, 'added').count()) === 0);
    await page.getByText('published · v1').waitFor();

    await edit(page, 'large');
    await page.getByRole('button', { name: /^Job 2, j1: 20 tasks/ }).waitFor();
    await picture(page, 'editor/five-thousand');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('shows the reason of a refusal in every language and theme', async () => {
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'refused',
      jobs: [
        { key: 'top', tasks: [task('one'), task('two')] },
        { key: 'low', tasks: [task('three')] },
      ],
    });
    for (const appearance of [{ language: 'zh', dark: true } as const, { language: 'en', dark: false } as const]) {
      const person = await Person.come(browser, server, { ...appearance, height: 900 });
      const { page } = person;
      await person.enter();
      await edit(page, 'refused');
      await cardOf(page, 'two').waitFor();
      await drag(page, await handleOf(page, 'one'), await middle(cardOf(page, 'two')), { hold: true });
      await page.locator('[data-tip="refused"]').waitFor();
      await picture(page, `appearance/editor-refused-${appearance.language}`);
      await accessible(page, 'a refusal');
      await page.keyboard.press('Escape');
      await page.mouse.up();
      await person.leave();
    }
    const person = await Person.come(browser, server, { height: 900 });
    await person.enter();
    await edit(person.page, 'refused');
    await connect(person.page, 'one', 'three');
    await person.page.getByText('draft · 1 change since v1').waitFor();
    await person.leave();
  });
});
