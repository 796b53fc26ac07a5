import type { Locator, Page } from 'playwright-core';
import { until } from './server';

export interface Point {
  x: number;
  y: number;
}

/** The card of a task on the canvas. */
export const cardOf = (page: Page, task: string): Locator => page.locator(`[data-task="${task}"][data-editable]`);

/** The head of a job's lane on the canvas. */
export const laneOf = (page: Page, job: string): Locator => page.locator(`[data-lane-head="${job}"]`);

/** Waits until an element has stopped moving, and returns its box. */
export async function still(target: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await target.waitFor();
  let last = '';
  let same = 0;
  return until('it stands still', async () => {
    const box = await target.boundingBox();
    await target.page().evaluate(
      () =>
        new Promise((frame) => {
          requestAnimationFrame(frame);
        }),
    );
    same = JSON.stringify(box) === last ? same + 1 : 0;
    last = JSON.stringify(box);
    return same >= 2 && box ? box : undefined;
  });
}

/** The middle of an element, once it has stopped moving. */
export async function middle(target: Locator): Promise<Point> {
  const { x, y, width, height } = await still(target);
  return { x: x + width / 2, y: y + height / 2 };
}

/** The point at the lower edge of a card from which a dependency is drawn. */
export async function handleOf(page: Page, task: string): Promise<Point> {
  const { x, y, width, height } = await still(cardOf(page, task));
  return { x: x + width / 2, y: y + height };
}

/** Drags the mouse from one point to another. With `hold` the button stays pressed. */
export async function drag(page: Page, from: Point, to: Point, { hold = false } = {}): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  if (!hold) await page.mouse.up();
}

/** Draws a dependency with the mouse. */
export async function connect(page: Page, from: string, to: string): Promise<void> {
  const start = await handleOf(page, from);
  await drag(page, start, await middle(cardOf(page, to)));
}

/** A free point in a lane: behind its last card, or between its first two where the lane is wider than the window. */
export async function roomIn(page: Page, job: string): Promise<Point> {
  const head = await still(laneOf(page, job));
  const scene = await still(page.locator('.react-flow'));
  const y = head.y + head.height / 2;
  const cards = await page.locator('[data-task][data-editable]').evaluateAll(
    (all, at) =>
      all
        .map((card) => card.getBoundingClientRect())
        .filter((box) => box.top < at + 40 && box.bottom > at - 20)
        .map(({ left, right }) => ({ left, right }))
        .sort((one, other) => one.left - other.left),
    y,
  );
  const x = Math.min(
    Math.max(scene.x + 60, head.x + head.width, ...cards.map((card) => card.right)) + 30,
    scene.x + scene.width - 16,
  );
  const [first, second] = cards;
  if (first && second && cards.some((card) => card.left - 4 < x && x < card.right + 4))
    return { x: (first.right + second.left) / 2, y };
  return { x, y };
}

/** Types a text once a text field has the focus. */
export async function type(page: Page, text: string): Promise<void> {
  await until('a field has the focus', () =>
    page.evaluate(
      () => document.activeElement instanceof HTMLInputElement || document.activeElement instanceof HTMLTextAreaElement,
    ),
  );
  await page.keyboard.type(text);
}

/** Adds a task by a double click into a free part of a lane. The text is its key and its handler. */
export async function addTask(page: Page, job: string, text: string): Promise<void> {
  const { x, y } = await roomIn(page, job);
  await page.mouse.dblclick(x, y);
  await page.getByRole('dialog', { name: 'Add a task' }).waitFor();
  await type(page, text);
  await page.keyboard.press('Enter');
  await cardOf(page, text.split(' ')[0] ?? '').waitFor();
}

/** The text of the YAML view. */
export async function yamlOf(page: Page): Promise<string> {
  await viewTab(page, 'YAML').click();
  await page.locator('.cm-content').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied').first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The sorted keys of all tasks on the canvas. */
export const tasksOn = (page: Page): Promise<string[]> =>
  page
    .locator('[data-task][data-editable]')
    .evaluateAll((cards) => cards.map((card) => (card as HTMLElement).dataset.task ?? '').sort());

/** The visible lanes from top to bottom, each as its job and its tasks from left to right: `top one two`. */
export const lanesOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const heads = [...document.querySelectorAll<HTMLElement>('[data-lane-head]')]
      .map((head) => ({ job: head.dataset.laneHead ?? '', top: head.getBoundingClientRect().top }))
      .sort((a, b) => a.top - b.top);
    const cards = [...document.querySelectorAll<HTMLElement>('[data-task][data-editable]')].map((card) => ({
      key: card.dataset.task ?? '',
      at: card.getBoundingClientRect(),
    }));
    return heads.map(({ job, top }, n) =>
      [
        job,
        ...cards
          .filter(({ at }) => at.bottom > top && at.bottom < (heads[n + 1]?.top ?? Infinity))
          .sort((a, b) => a.at.left - b.at.left)
          .map(({ key }) => key),
      ].join(' '),
    );
  });

/** The button of the page that opens the dialog for publishing. */
export const publishButton = (page: Page): Locator => page.getByRole('button', { name: /^Publish v\d+/ });

/** Publishes the draft by the dialog, as this revision. */
export async function publish(page: Page, revision: number): Promise<void> {
  await publishButton(page).first().click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Publish v${String(revision)}` })
    .click();
  await page.getByText(`published · v${String(revision)}`).waitFor();
}

/** Replaces the text of a code editor. */
export async function replaceIn(editor: Locator, text: string): Promise<void> {
  await editor.click();
  await editor.press('Control+a');
  await editor.press('Delete');
  await editor.page().keyboard.insertText(text);
}

/** Replaces the text of the code editor with this label. */
export async function writeCode(page: Page, label: string, text: string): Promise<void> {
  await replaceIn(page.getByRole('textbox', { name: label, exact: true }), text);
}

/** Opens the page of a schedule in the editor, and waits until it can be edited. */
export async function edit(page: Page, name: string, search = ''): Promise<void> {
  await page.goto(`/schedules/${name}${search}`);
  await page.getByRole('tablist').first().waitFor();
}

/** The tab of a view. */
export const viewTab = (page: Page, view: RegExp | string): Locator =>
  page.getByRole('tab', { name: view, exact: typeof view === 'string' });

/** Opens the drawer of a task by a click on its card, once the card has stopped moving. */
export async function openTask(page: Page, task: string): Promise<void> {
  await still(cardOf(page, task));
  await cardOf(page, task).click();
  let shown = '';
  await until(`the drawer shows ${task}`, async () => {
    shown = await page.getByLabel('Key', { exact: true }).inputValue();
    return shown === task;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it shows ${shown}, and the address is ${page.url()}`);
  });
}
