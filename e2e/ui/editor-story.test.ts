import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shows } from './harness/batch';
import { openBrowser, Person, picture } from './harness/browser';
import {
  addTask,
  cardOf,
  connect,
  openTask,
  publish,
  still,
  tasksOn,
  type,
  viewTab,
  writeCode,
  yamlOf,
} from './harness/editor';
import { PASSWORD, Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

/** The lanes of the schedule that is built, and the needs of its tasks. */
const LANES = [['a', 'b', 'c'], ['d'], ['e', 'f', 'g', 'h'], ['i', 'j'], ['k']] as const;
const NEEDS: Record<string, string[]> = {
  d: ['a', 'b', 'c'],
  e: ['d'],
  f: ['d'],
  g: ['d'],
  h: ['d'],
  i: ['e'],
  j: ['g', 'h'],
  k: ['j'],
};
const TASKS = LANES.flat();

interface Built {
  triggers?: { cron: string }[];
  jobs: { key: string; tasks?: { key: string; needs?: string[]; params: { command: string } }[] }[];
}

/** The definition that the server has stored. */
async function built(server: Server, name: string): Promise<Built> {
  return (await server.get<{ definition: Built }>(`/schedules/${name}`)).definition;
}

function agreesWithPlan({ jobs }: Built): void {
  expect(jobs.map(({ tasks = [] }) => tasks.map((t) => t.key))).toEqual(LANES);
  for (const task of jobs.flatMap(({ tasks = [] }) => tasks)) {
    expect([...(task.needs ?? [])].sort(), `what ${task.key} waits for`).toEqual(NEEDS[task.key] ?? []);
    expect(task.params.command).toBe(`echo ${task.key.toUpperCase()}`);
  }
}

/** Presses undo or redo until its button is disabled, and returns how often that was possible. */
async function allTheWay(page: Page, way: 'Undo' | 'Redo'): Promise<number> {
  const button = page.getByRole('button', { name: new RegExp(`^(${way}: |There is nothing to ${way.toLowerCase()})`) });
  for (let steps = 0; ; steps++) {
    if ((await button.getAttribute('aria-disabled')) === 'true') return steps;
    await button.click();
  }
}

describe.each(['sqlite', 'postgres'] as const)('a visitor builds a schedule by mouse, on %s', (database) => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.start(database);
    person = await Person.come(browser, server, { height: 900 });
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('from nothing to eleven tasks in five jobs', async () => {
    const { page } = person;
    await page.goto('/');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('The password again').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create and begin' }).click();
    await page.getByRole('button', { name: 'New schedule' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('letters');
    await dialog.getByRole('button', { name: 'Make it' }).click();
    await page.waitForURL('**/schedules/letters');
    await page.getByText('An empty schedule').waitFor();
    await picture(page, `editor/empty-${database}`);

    await page.getByRole('button', { name: 'First job' }).click();
    const lanes = page.locator('[data-lane-head]');
    for (let n = 1; n < LANES.length; n++) {
      await until(`lane ${String(n)} is there`, async () => (await lanes.count()) === n);
      await page.locator('[data-add-job]').click();
    }
    await until('five lanes are there', async () => (await lanes.count()) === LANES.length);
    // The hints for the first steps cover no lane.
    const [last, steps] = [await still(lanes.last()), await still(page.locator('[data-start]'))];
    expect(steps.y).toBeGreaterThan(last.y + last.height);
    const jobs = await lanes.evaluateAll((heads) => heads.map((head) => (head as HTMLElement).dataset.laneHead ?? ''));
    for (const [n, tasks] of LANES.entries())
      for (const task of tasks) await addTask(page, jobs[n] ?? '', `${task} shell`);
    await page.getByRole('button', { name: 'Show all' }).click();
    for (const [to, needs] of Object.entries(NEEDS)) for (const from of needs) await connect(page, from, to);
    await picture(page, `editor/built-${database}`);
  });

  it('with commands and a cron, saved after each edit', async () => {
    const { page } = person;
    for (const task of TASKS) {
      await openTask(page, task);
      await writeCode(page, 'Command', `echo ${task.toUpperCase()}`);
    }
    await picture(page, `editor/drawer-${database}`);
    await viewTab(page, 'Settings').click();
    await page.getByRole('button', { name: 'Add a trigger' }).click();
    await page.getByLabel('Time 1').fill('04:40');
    await page.getByLabel('Time 1').press('Enter');
    await page.getByText(/04:40/).nth(1).waitFor();
    await picture(page, `editor/settings-${database}`);
    await page
      .getByText(/^saved/)
      .first()
      .waitFor();
  });

  it('undoes and redoes everything, and has the same YAML again', async () => {
    const { page } = person;
    const before = await yamlOf(page);
    await viewTab(page, 'Canvas').click();
    await cardOf(page, 'k').waitFor();
    const steps = await allTheWay(page, 'Undo');
    expect(steps).toBeGreaterThan(5 + 11 + 12 + 11);
    await page.getByText('An empty schedule').waitFor();
    expect(await tasksOn(page)).toEqual([]);
    expect(await allTheWay(page, 'Redo')).toBe(steps);
    await until('all tasks are back', async () => (await tasksOn(page)).length === 11);
    expect(await yamlOf(page)).toBe(before);
  });

  it('publishes it, runs it, and watches it turn green', async () => {
    const { page } = person;
    await viewTab(page, 'Canvas').click();
    await publish(page, 1);
    agreesWithPlan(await built(server, 'letters'));
    expect((await built(server, 'letters')).triggers).toEqual([expect.objectContaining({ cron: '40 4 * * *' })]);
    await page.getByRole('button', { name: 'Run…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
    await page.waitForURL('**/batches/*');
    await page.getByText('11 of 11 succeeded').waitFor();
    for (const task of TASKS) await shows(page, task, 'succeeded');
    await picture(page, `editor/ran-${database}`);
    expect(person.errors).toEqual([]);
  });
});

describe('a visitor builds the same schedule without a mouse', () => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun();
    person = await Person.come(browser, server, { height: 900 });
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('eleven tasks, their dependencies, commands, a cron, publishing and running, by keys alone', async () => {
    const { page } = person;
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () =>
      page.evaluate(() => {
        const at = document.activeElement;
        return (
          at?.getAttribute('aria-label') ??
          (at instanceof HTMLInputElement ? at.labels?.[0]?.textContent : undefined) ??
          at?.textContent ??
          ''
        );
      });
    const tabTo = async (name: RegExp, key = 'Tab') => {
      const stops: string[] = [];
      for (let i = 0; i < 60; i++) {
        const at = await focused();
        if (name.test(at)) return;
        stops.push(at.slice(0, 30));
        await page.keyboard.press(key);
      }
      throw new Error(`${String(name)} is not reached by ${key}: ${stops.join(' | ')}`);
    };
    /** The card to which the keys apply. */
    const active = () =>
      page.evaluate(
        () =>
          document.getElementById(document.activeElement?.getAttribute('aria-activedescendant') ?? '')?.dataset.task ??
          '',
      );
    /** Moves to a card with the arrow keys, in the direction in which it is visible. */
    const walk = async (to: string) => {
      const goal = await still(cardOf(page, to));
      for (let i = 0; i < 20; i++) {
        const at = await active();
        if (at === to) return;
        const here = at ? await cardOf(page, at).boundingBox() : undefined;
        const down = here && Math.abs(here.y - goal.y) > 10;
        const key = !here
          ? 'Home'
          : down
            ? here.y < goal.y
              ? 'ArrowDown'
              : 'ArrowUp'
            : here.x < goal.x
              ? 'ArrowRight'
              : 'ArrowLeft';
        await page.keyboard.press(key);
        await until('the key has moved the focus', async () => (await active()) !== at, 5).catch(() => undefined);
      }
      throw new Error(`${to} is not reached by arrow keys`);
    };

    await page.getByRole('link', { name: 'warehouse' }).first().waitFor();
    await tabTo(/^New schedule$/);
    await press('Enter');
    await until('the name has the focus', async () => (await focused()).startsWith('Name'));
    await page.keyboard.type('keys');
    await press('Enter');
    await page.waitForURL('**/schedules/keys');
    await page.getByText('An empty schedule').waitFor();
    await tabTo(/^First job$/);
    await press('Enter');
    await page.locator('[data-lane-head]').first().waitFor();
    await until('the canvas has the focus', async () => (await focused()) === 'Schedule as lanes and tasks');
    for (const [n, lane] of LANES.entries()) {
      if (n > 0) {
        await press('n');
        await until(
          `lane ${String(n + 1)} is there`,
          async () => (await page.locator('[data-lane-head]').count()) === n + 1,
        );
      }
      for (const task of lane) {
        await press('a');
        await page.getByRole('dialog', { name: 'Add a task' }).waitFor();
        await type(page, `${task} shell`);
        await press('Enter');
        await cardOf(page, task).waitFor();
      }
    }
    for (const [to, needs] of Object.entries(NEEDS)) {
      for (const from of needs) {
        await walk(from);
        await press('c');
        await walk(to);
        await press('Enter');
        await page.getByRole('button', { name: `Undo: Connect ${from} → ${to}` }).waitFor();
      }
    }
    await picture(page, 'editor/keyboard');
    // A dependency is refused by keys, too: the reason appears before Enter, and Escape removes it.
    await walk('a');
    await press('c');
    await walk('b');
    await page
      .locator('[data-tip]')
      .getByText(/same job/)
      .waitFor();
    await press('Escape');
    await page.locator('[data-tip]').waitFor({ state: 'detached' });

    for (const task of TASKS) {
      await walk(task);
      await press('Enter');
      await until(
        `the drawer shows ${task}`,
        async () => (await page.getByLabel('Key', { exact: true }).inputValue()) === task,
      );
      await tabTo(/^Command/);
      await page.keyboard.type(`echo ${task.toUpperCase()}`);
      await page.getByRole('button', { name: `Undo: Edit ${task}` }).waitFor();
      await press('Escape', 'Escape');
      await tabTo(/^Schedule as lanes and tasks$/, 'Shift+Tab');
    }
    // All views are one stop of Tab; the arrow keys move between them.
    await tabTo(/^Canvas$/, 'Shift+Tab');
    for (const view of ['Table', 'YAML', 'Settings']) {
      await press('ArrowRight');
      await page.getByRole('tab', { name: view, exact: true, selected: true }).waitFor();
      await until(`${view} has the focus`, async () => (await focused()) === view);
    }
    await page.getByRole('button', { name: 'Add a trigger' }).waitFor();
    await tabTo(/^Add a trigger$/);
    await press('Enter');
    await page.getByLabel('Unit of the cycle').waitFor();
    await tabTo(/^Unit of the cycle$/, 'Shift+Tab');
    await press('End'); // the last unit is a cron expression
    await page.getByRole('textbox', { name: 'Cron', exact: true }).waitFor();
    await tabTo(/^Cron$/);
    await press('Control+a');
    await page.keyboard.type('40 4 * * *');
    await page.getByText(/04:40/).nth(1).waitFor(); // in words, and the next ticks
    await picture(page, 'editor/keyboard-cron');

    await tabTo(/^Publish v1/, 'Shift+Tab');
    await press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its first revision.', { exact: false }).waitFor();
    await until('the note has the focus', async () => (await focused()).startsWith('What you changed'));
    await tabTo(/^Publish v1$/);
    await press('Enter');
    await page.getByText('published · v1').waitFor();
    agreesWithPlan(await built(server, 'keys'));
    expect((await built(server, 'keys')).triggers).toEqual([expect.objectContaining({ cron: '40 4 * * *' })]);
    await tabTo(/^Run…$/, 'Shift+Tab');
    await press('Enter');
    await until('the primary action has the focus', async () => (await focused()) === 'Run now');
    await press('Enter');
    await page.waitForURL('**/batches/*');
    await page.getByText('11 of 11 succeeded').waitFor();
    expect(person.errors).toEqual([]);
  });
});
