import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shows } from './harness/batch';
import { accessible, type Appearance, fits, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit, handleOf, middle, type Point, still, viewTab, yamlOf } from './harness/editor';
import { Server } from './harness/server';

let browser: Browser;
let server: Server;
let batch: number;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), Server.begun()]);
  batch = await server.run('warehouse', { wait: true });
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const DEVICES: Record<string, Appearance> = {
  'large screen': { width: 1920, height: 1080 },
  'zoom of 200 %': { width: 640, height: 400, scale: 2 },
  tablet: { width: 820, height: 1180, touch: true },
};

/** The main pages, each with an element that it shows once it has its data. */
const pages = (): [what: string, path: string, ready: string][] => [
  ['schedules', '/', 'main :text("warehouse")'],
  ['batch', `/batches/${String(batch)}`, '[data-mood="succeeded"]'],
  ['runs', '/schedules/warehouse/runs', 'main [role="grid"], main table, main canvas'],
  ['editor', '/schedules/warehouse', '[data-task="a"][data-editable]'],
  ['executors', '/executors', 'main :text("embedded")'],
  ['alerts', '/alerts', 'main h1'],
];

/** Calls visit on the login page and on each main page, and gathers what it finds wrong. */
async function everyPage(person: Person, visit: (what: string) => Promise<void>): Promise<string[]> {
  const { page } = person;
  const faults: string[] = [];
  const look = async (what: string) => {
    await visit(what).catch((error: unknown) => {
      faults.push(`${what}: ${String(error)} ${JSON.stringify((error as { actual?: unknown }).actual)}`);
    });
  };
  await page.goto('/login');
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await look('login');
  await person.enter();
  for (const [what, path, ready] of pages()) {
    await page.goto(path);
    await page.locator(ready).first().waitFor();
    await look(what);
  }
  return faults;
}

describe('the main pages', () => {
  it.each(Object.entries(DEVICES))('are accessible and fit: %s', async (name, device) => {
    const person = await Person.come(browser, server, { ...device, reducedMotion: true });
    const faults = await everyPage(person, async (what) => {
      await picture(person.page, `devices/${what}-${String(device.width)}`);
      await fits(person.page, `${what} on a ${name}`);
      await accessible(person.page, `${what} on a ${name}`, { targets: device.touch ?? false });
    });
    expect(faults).toEqual([]);
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('move nothing with reduced motion', async () => {
    const person = await Person.come(browser, server, { reducedMotion: true });
    const faults = await everyPage(person, async (what) => {
      const moving = () =>
        person.page.evaluate(() =>
          document
            .getAnimations()
            .filter((a) => a.playState === 'running' && Number(a.effect?.getComputedTiming().duration) > 1)
            .map((a) => {
              const target = (a.effect as KeyframeEffect | null)?.target;
              return `${target?.tagName ?? ''}.${target?.getAttribute('class') ?? ''}`;
            }),
        );
      expect(await moving(), `animations of ${what}`).toEqual([]);
    });
    expect(faults).toEqual([]);
    await person.leave();
  });
});

/** Moves a finger over the page. */
async function swipe(page: Page, from: Point, to: Point): Promise<void> {
  const device = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: Point[]) =>
    device.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await touch('touchStart', [from]);
  for (let step = 1; step <= 8; step++)
    await touch('touchMove', [{ x: from.x + ((to.x - from.x) * step) / 8, y: from.y + ((to.y - from.y) * step) / 8 }]);
  await touch('touchEnd', []);
  await device.detach();
}

describe('on a tablet', () => {
  let person: Person;
  beforeAll(async () => {
    const task = (key: string) => ({ key, handler: 'shell', params: { command: 'true' } });
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'touched',
      jobs: [
        { key: 'one', tasks: [task('a'), task('b')] },
        { key: 'two', tasks: [{ ...task('c'), needs: ['a'] }] },
      ],
    });
    person = await Person.come(browser, server, DEVICES.tablet);
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
  });

  it('opens the drawer of a task by a tap on its card', async () => {
    const { page } = person;
    await page.goto(`/batches/${String(batch)}`);
    await shows(page, 'a', 'succeeded');
    await still(page.locator('[data-task="a"][data-state]'));
    await page.locator('[data-task="a"][data-state]').first().tap();
    await page
      .getByRole('region', { name: /^a|orders/i })
      .or(page.getByRole('dialog'))
      .first()
      .waitFor();
    await picture(page, 'devices/tapped');
  });

  it('draws a dependency with a finger', async () => {
    const { page } = person;
    await edit(page, 'touched');
    await cardOf(page, 'b').waitFor();
    await swipe(page, await handleOf(page, 'b'), await middle(cardOf(page, 'c')));
    const needs = async () => /needs:\s*\[?\s*-?\s*a\b[\s,-]*b\b/.test(await yamlOf(page));
    await page.getByRole('button', { name: /^Undo: / }).waitFor();
    expect(await needs()).toBe(true);
    await viewTab(page, 'Canvas').click();
    await cardOf(page, 'c').waitFor();
    await picture(page, 'devices/drawn');
    expect(person.errors).toEqual([]);
  });
});

describe('on a phone', () => {
  it('shows the times of a log once they are chosen', async () => {
    const person = await Person.come(browser, server, { width: 390, height: 844, touch: true });
    const { page } = person;
    await person.enter(`/batches/${String(batch)}?task=a`);
    await page.getByText(/shell begins on executor/).waitFor();
    const clock = page.getByText(/^\d\d:\d\d:\d\d\.\d{3}$/).first();
    await clock.waitFor({ state: 'attached' });
    expect(await clock.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Times: by the clock' }).tap();
    await clock.waitFor();
    await picture(page, 'devices/log-times');
    await page.getByRole('button', { name: 'Times: by the clock' }).press('Enter');
    await page
      .getByText(/^\+00:00\.\d{3}$/)
      .first()
      .waitFor();
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
