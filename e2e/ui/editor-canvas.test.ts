import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { menuHasFocus, openBrowser, Person, picture } from './harness/browser';
import {
  addTask,
  cardOf,
  connect,
  drag,
  edit,
  handleOf,
  laneOf,
  lanesOf,
  middle,
  openTask,
  roomIn,
  still,
  tasksOn,
  type,
  viewTab,
  yamlOf,
} from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const task = (key: string, needs?: string[]) => ({
  key,
  handler: 'shell',
  params: { command: `echo ${key}` },
  ...(needs && { needs }),
});
const plan = (name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  jobs: [
    { key: 'top', tasks: [task('one'), task('two')] },
    { key: 'mid', tasks: [task('three', ['one'])] },
    { key: 'low', tasks: [task('four', ['three'])] },
  ],
});

describe('users of the canvas', () => {
  let server: Server;
  let person: Person;
  let page: Page;
  let turn = 0;
  let name = '';
  beforeAll(async () => {
    server = await Server.begun();
    person = await Person.come(browser, server, { height: 900 });
    page = person.page;
    await person.enter();
  });
  afterAll(async () => {
    expect(person.errors).toEqual([]);
    await person.leave();
    await server.stop();
  });
  beforeEach(async () => {
    name = `canvas-${String(++turn)}`;
    await server.apply(plan(name));
    await edit(page, name);
    await cardOf(page, 'four').waitFor();
  });

  const become = (want: string[]) =>
    until(
      `the lanes are ${want.join(' | ')}`,
      async () => JSON.stringify(await lanesOf(page)) === JSON.stringify(want),
    ).catch(async (error: unknown) => {
      expect(await lanesOf(page)).toEqual(want);
      throw error;
    });
  const undo = () => page.getByRole('button', { name: /^Undo: / }).click();
  const unchanged = () => page.getByText('published · v1').waitFor();
  const tip = (text: string | RegExp) => page.locator('[data-tip]').getByText(text).waitFor();

  it('see why a dependency is refused before they release the mouse, and Escape removes it', async () => {
    for (const [from, to, why] of [
      ['one', 'two', 'one and two are in the same job top: its tasks run in parallel.'],
      ['four', 'one', 'four runs in a later job than one: dependencies go downwards.'],
      ['one', 'three', 'three depends on one already.'],
    ] as const) {
      await drag(page, await handleOf(page, from), await middle(cardOf(page, to)), { hold: true });
      await tip(why);
      await picture(page, `editor/refused-${from}-${to}`);
      await page.keyboard.press('Escape');
      await page.mouse.up();
      await page.locator('[data-tip]').waitFor({ state: 'detached' });
      await unchanged();
    }
    // From a card onto itself: out of the card, and back.
    const own = await handleOf(page, 'one');
    await drag(page, own, { x: own.x + 120, y: own.y + 20 }, { hold: true });
    const back = await middle(cardOf(page, 'one'));
    await page.mouse.move(back.x, back.y, { steps: 4 });
    await tip('A task cannot depend on itself.');
    await page.mouse.up();
    await unchanged();
    // A release where it is refused changes nothing, and an alternative is offered.
    await drag(page, await handleOf(page, 'one'), await middle(cardOf(page, 'two')));
    await unchanged();
    await page.getByRole('button', { name: /Move two to a later job/ }).click();
    await until('two is in the lane below', async () => /^mid .*two/.test((await lanesOf(page))[1] ?? ''));
    await undo();
    await become(['top one two', 'mid three', 'low four']);
    await unchanged();
  });

  it('move tasks to other and to new lanes, and change the order of lanes, each in one step to undo', async () => {
    await drag(page, await middle(cardOf(page, 'two')), await roomIn(page, 'mid'));
    await become(['top one', 'mid three two', 'low four']);
    await undo();
    await become(['top one two', 'mid three', 'low four']);
    // A drop below the last lane makes a new one.
    const low = await still(laneOf(page, 'low'));
    await drag(page, await middle(cardOf(page, 'two')), { x: low.x + 400, y: low.y + 200 });
    await until('there are four lanes', async () => (await lanesOf(page)).length === 4);
    expect((await lanesOf(page))[3]).toMatch(/^\S+ two$/);
    await undo();
    await become(['top one two', 'mid three', 'low four']);
    // A lane is dragged by its grip. Dependencies that its new place does not allow are dropped and counted.
    const grip = await middle(page.locator('[data-grip="low"]'));
    const top = await still(laneOf(page, 'top'));
    await drag(page, grip, { x: grip.x, y: top.y - 8 });
    await become(['low four', 'top one two', 'mid three']);
    await page.getByRole('button', { name: 'Undo: Move job low; 1 dependency dropped' }).waitFor();
    await undo();
    await become(['top one two', 'mid three', 'low four']);
    await unchanged();
  });

  it('select tasks by a frame, copy them, also into another schedule, duplicate and delete them', async () => {
    const one = await still(cardOf(page, 'one'));
    const two = await still(cardOf(page, 'two'));
    await drag(
      page,
      { x: Math.min(one.x, two.x) - 8, y: one.y - 10 },
      { x: Math.max(one.x, two.x) + 190, y: one.y + one.height + 6 },
      { hold: true },
    );
    await picture(page, 'editor/frame');
    await page.mouse.up();
    await page.getByText('2 tasks', { exact: true }).last().waitFor();
    await until(
      'both are selected',
      async () =>
        JSON.stringify(
          await page
            .locator('[data-editable][aria-pressed="true"]')
            .evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.task).sort()),
        ) === '["one","two"]',
    );
    await page.keyboard.press('Control+c');
    await page.keyboard.press('Control+d');
    await until('there are six tasks', async () => (await tasksOn(page)).length === 6);
    await page.keyboard.press('Control+z');
    await until('there are four tasks again', async () => (await tasksOn(page)).length === 4);
    await page.keyboard.press('Control+v');
    await until('there are six tasks by pasting', async () => (await tasksOn(page)).length === 6);
    await page.keyboard.press('Control+z');
    await unchanged();

    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: `${name}-other`,
      jobs: [{ key: 'only', tasks: [task('here')] }],
    });
    await edit(page, `${name}-other`);
    await openTask(page, 'here');
    await page.keyboard.press('Control+v');
    await until(
      'what was copied is here, too',
      async () => JSON.stringify(await tasksOn(page)) === JSON.stringify(['here', 'one', 'two']),
    );
    await page.keyboard.press('Delete');
    await until(
      'what was pasted is deleted',
      async () => JSON.stringify(await tasksOn(page)) === JSON.stringify(['here']),
    );
    await undo();
    await until('and back', async () => (await tasksOn(page)).length === 3);
    expect(await yamlOf(page)).toMatch(/command: echo two/);
  });

  it('use keys on the selection while a button has the focus, but not in a field or a menu', async () => {
    const header = page.getByRole('button', { name: /^(Undo|There is nothing to undo)/ });
    const count = (n: number) => until(`there are ${String(n)} tasks`, async () => (await tasksOn(page)).length === n);
    await openTask(page, 'two');
    for (const button of [
      header,
      page.getByRole('button', { name: 'Show all' }),
      page.getByRole('button', { name: 'More actions' }),
    ]) {
      await button.focus();
      await page.keyboard.press('Control+c');
      await page.keyboard.press('Control+d');
      await count(5);
      await page.keyboard.press('Control+z');
      await count(4);
      await page.keyboard.press('Control+v');
      await count(5);
      await page.keyboard.press('Control+x');
      await count(4);
      await page.keyboard.press('Control+z');
      await page.keyboard.press('Control+z');
      await unchanged();
    }
    // Delete applies to the canvas only: in the header it does nothing.
    await openTask(page, 'two');
    await header.focus();
    await page.keyboard.press('Delete');
    await page.getByRole('button', { name: 'Show all' }).focus();
    await page.keyboard.press('Delete');
    await until(
      'only one delete has an effect',
      async () => JSON.stringify(await tasksOn(page)) === JSON.stringify(['four', 'one', 'three']),
    );
    await undo();
    await unchanged();
    await openTask(page, 'two');
    await page.getByLabel('Key', { exact: true }).focus();
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Control+d');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More actions' }).click();
    await menuHasFocus(page);
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Control+d');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await count(4);
  });

  it('see the heads of lanes and the cards uncovered, wherever they move the view', async () => {
    const many = (job: string) => ({
      key: job,
      title: `Everything about the ${job}`,
      tasks: Array.from({ length: 8 }, (_, n) => task(`${job}-${String(n)}`)),
    });
    await server.apply({ ...plan(`${name}-wide`), jobs: [many('orders'), many('people')] });
    // The visible heads and cards, and the heads that cover a card or another head.
    const seen = () =>
      page.evaluate(() => {
        const scene = document.querySelector('.react-flow')?.getBoundingClientRect();
        const box = (element: Element) => ({ element, rect: element.getBoundingClientRect() });
        const inside = ({ rect }: { rect: DOMRect }) =>
          !!scene &&
          rect.width > 0 &&
          rect.right > scene.left &&
          rect.left < scene.right &&
          rect.bottom > scene.top &&
          rect.top < scene.bottom;
        const heads = [...document.querySelectorAll('[data-head]')]
          .filter((head) => head.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
          .map(box)
          .filter(inside);
        const cards = [...document.querySelectorAll('[data-editable]')].map(box).filter(inside);
        const meet = (a: DOMRect, b: DOMRect) =>
          a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        const over = heads.flatMap((head, n) =>
          [...heads.slice(n + 1), ...cards]
            .filter((other) => meet(head.rect, other.rect))
            .map((other) => `${head.element.className} over ${other.element.textContent}`),
        );
        return { heads: heads.length, cards: cards.length, over };
      });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await edit(page, `${name}-wide`);
      const scene = await still(page.locator('.react-flow'));
      await cardOf(page, 'orders-0').waitFor();
      await page.mouse.move(scene.x + 20, scene.y + 20);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -300);
      await page.keyboard.up('Control');
      for (const step of [0, 20, 20, 20, 60, 60, 60]) {
        await page.mouse.wheel(step, 0);
        await still(page.locator('[data-head]:visible').first());
        let now = await seen();
        await until('heads and cards are there, and none lies over another', async () => {
          now = await seen();
          return now.over.length === 0 && now.heads > 0 && now.cards > 0;
        }).catch(() => {
          expect(now, `at a width of ${String(width)}`).toMatchObject({ over: [] });
          throw new Error(`${String(now.heads)} heads and ${String(now.cards)} cards at a width of ${String(width)}`);
        });
        await picture(page, `editor/heads-${String(width)}-${String(step)}`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('reach the card below the pointer as soon as the moved view has stopped', async () => {
    const many = (job: string) => ({
      key: job,
      tasks: Array.from({ length: 30 }, (_, n) => task(`${job}-${String(n)}`)),
    });
    await server.apply({ ...plan(`${name}-long`), jobs: ['a', 'b', 'c', 'd', 'e'].map(many) });
    await edit(page, `${name}-long`);
    const from = await middle(cardOf(page, 'a-9'));
    const to = await middle(cardOf(page, 'b-9'));
    expect(to.x).toBe(from.x);
    await page.mouse.move(from.x, from.y);
    await page.locator('[data-task="a-9"]:hover').waitFor();
    // The view moves by half of the wheel's distance.
    await page.mouse.wheel(0, 2 * (to.y - from.y));
    // The mouse has not moved: the view brings the card below it.
    await until('the card is below the pointer', async () => {
      const box = await cardOf(page, 'b-9').boundingBox();
      return box !== null && Math.abs(box.y + box.height / 2 - from.y) < 2;
    });
    await page.locator('[data-shield]').waitFor({ state: 'detached' });
    await page.mouse.down();
    await page.mouse.up();
    await page.locator('[data-task="b-9"][data-selected]').waitFor();
    expect(await page.locator('[data-task][data-selected]').count()).toBe(1);
  });

  it('find all actions in the menu, by mouse and by keys', async () => {
    await cardOf(page, 'two').click({ button: 'right' });
    const menu = page.getByRole('menu', { name: 'What to do with two' });
    await menu.getByRole('menuitem', { name: 'Connect', exact: true }).waitFor();
    await picture(page, 'editor/menu');
    for (const action of ['Connect', 'Add after', 'Rename', 'Disable', 'Duplicate here', 'Cut to clipboard'])
      await menu.getByRole('menuitem', { name: action, exact: true }).waitFor();
    await menu.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await until('it is deleted', async () => !(await tasksOn(page)).includes('two'));
    await undo();
    await cardOf(page, 'two').waitFor();

    // By keys: in rows of two, Connect is the first one, and Duplicate the first of the third row.
    await still(cardOf(page, 'two'));
    await cardOf(page, 'two').click();
    await page.keyboard.press('m');
    await menuHasFocus(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await until('it is there twice', async () => (await tasksOn(page)).length === 5);
    await undo();
    await still(cardOf(page, 'two'));
    await cardOf(page, 'two').click();
    await page.keyboard.press('m');
    await menuHasFocus(page);
    await page.keyboard.press('r');
    const field = page.getByRole('textbox', { name: 'Key of task two' });
    await field.fill('zwei');
    await field.press('Enter');
    await cardOf(page, 'zwei').waitFor();
    await undo();
    await unchanged();
    await laneOf(page, 'mid').click({ button: 'right' });
    await page.getByRole('menu', { name: 'What to do with mid' }).getByRole('menuitem', { name: 'Add task' }).waitFor();
    await menuHasFocus(page);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await unchanged();
  });

  it('add tasks from the palette, at the pointer and after a task, and find tasks by their key', async () => {
    const into = await roomIn(page, 'mid');
    await drag(page, await middle(page.locator('[data-handler="sql"]')), into);
    await until('a task of SQL is in the second lane', async () => (await tasksOn(page)).length === 5);
    await undo();
    await addTask(page, 'low', 'fifth http');
    await page.getByRole('button', { name: 'Undo: Add fifth' }).waitFor();
    // A drag from the handle of a task to a free place adds a task that waits for it.
    const spot = await roomIn(page, 'low');
    await drag(page, await handleOf(page, 'two'), spot);
    await page.getByRole('dialog', { name: 'Add a task' }).waitFor();
    await type(page, 'after shell');
    await page.keyboard.press('Enter');
    await cardOf(page, 'after').waitFor();
    await openTask(page, 'after');
    await page.getByRole('button', { name: 'Do not wait for two' }).waitFor();
    await connect(page, 'three', 'after');
    await page.getByRole('button', { name: 'Undo: Connect three → after' }).waitFor();
    await page.keyboard.press('/');
    await type(page, 'four');
    await page.getByRole('option').filter({ hasText: 'four' }).first().waitFor();
    await page.keyboard.press('Enter');
    await picture(page, 'editor/found');
    await cardOf(page, 'four').waitFor();
    await viewTab(page, 'Canvas').waitFor();
  });
});
