import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card, shows } from './harness/batch';
import { type Appearance, openBrowser, Person } from './harness/browser';
import { cardOf, drag, edit, middle, roomIn, still } from './harness/editor';
import { Server, until } from './harness/server';

const folder = mkdtempSync(join(tmpdir(), 'hivego-motion-'));
const [begin, end] = [join(folder, 'begin'), join(folder, 'end')];

const task = (key: string, needs?: string[], command = `echo ${key}`) => ({
  key,
  handler: 'shell',
  params: { command },
  ...(needs && { needs }),
});

let browser: Browser;
let server: Server;
beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'drawn',
    jobs: [
      { key: 'top', tasks: [task('one'), task('two'), task('three')] },
      { key: 'low', tasks: [task('four', ['one', 'two', 'three'])] },
    ],
  });
  const wait = `until [ -e ${begin} ]; do sleep 0.05; done`;
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'slow',
    jobs: [
      { key: 'top', tasks: [task('one', undefined, wait)] },
      { key: 'low', tasks: [task('two', ['one'], `until [ -e ${end} ]; do sleep 0.05; done`)] },
    ],
  });
});
afterAll(async () => {
  for (const file of [begin, end]) writeFileSync(file, '');
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Motion {
  /** The names of animated properties, with the task whose card they belong to, or nothing for the picture of one. */
  animated: string[];
  /** How often the path of moving edges was written. */
  drawn: number;
}

/** A person whose page notes what it animates by script. */
async function watcher(
  appearance: Appearance = {},
): Promise<{ person: Person; page: Page; seen: () => Promise<Motion> }> {
  const person = await Person.come(browser, server, appearance);
  const { page } = person;
  await page.addInitScript(() => {
    const motion: Motion = { animated: [], drawn: 0 };
    Object.assign(window, { motion });
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, options) {
      const owner = this.closest('[data-task]') ?? this.querySelector('[data-task]');
      const [first] = frames as Keyframe[];
      const name = owner instanceof HTMLElement ? (owner.dataset.task ?? '') : '';
      motion.animated.push(`${name} ${Object.keys(first ?? {}).join(' ')}`.trim());
      return animate.call(this, frames, options);
    };
    const set = SVGPathElement.prototype.setAttribute;
    SVGPathElement.prototype.setAttribute = function (name, value) {
      if (name === 'd' && this.closest('[data-quiet]') && this.getAttribute('d') !== value) motion.drawn++;
      set.call(this, name, value);
    };
  });
  const seen = () => page.evaluate(() => (window as unknown as { motion: Motion }).motion);
  return { person, page, seen };
}

const pictures = (page: Page) => page.locator('[data-lively] [aria-hidden="true"][inert]').count();

describe('what moves', () => {
  it('after an edit: removed cards fade out, new ones fade in, others travel with their edges', async () => {
    const { person, page, seen } = await watcher({ height: 900 });
    await person.enter();
    await edit(page, 'drawn');
    await still(cardOf(page, 'four'));
    expect((await seen()).animated).toEqual([]);

    await cardOf(page, 'one').click();
    await page.keyboard.press('Delete');
    await cardOf(page, 'one').waitFor({ state: 'detached' });
    await until('the picture of the card is gone', async () => (await pictures(page)) === 0);
    const removed = await seen();
    expect(removed.animated).toEqual(['opacity']);
    // In each frame of the way, the edges between the first picture and the last. A busy machine has few such frames.
    expect(removed.drawn).toBeGreaterThan(0);

    await page.getByRole('button', { name: /^Undo: / }).click();
    await still(cardOf(page, 'one'));
    await until('the edges have travelled', async () => (await seen()).drawn > removed.drawn);
    expect((await seen()).animated).toEqual(['opacity', 'one opacity']);

    const place = await still(cardOf(page, 'three'));
    await drag(page, await middle(cardOf(page, 'three')), await roomIn(page, 'low'));
    await until('the card has moved', async () => (await still(cardOf(page, 'three'))).y > place.y);
    expect((await seen()).animated).toHaveLength(2); // a moved card does not fade
    // At the end, no path is left that is written by script.
    await until(
      'all edges are drawn as always',
      async () => (await page.locator('[data-quiet] > path:not([d])').count()) === 0,
    );
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('nothing for those who want no motion', async () => {
    const { person, page, seen } = await watcher({ height: 900, reducedMotion: true });
    await person.enter();
    await edit(page, 'drawn');
    await still(cardOf(page, 'four'));
    await cardOf(page, 'two').click();
    await page.keyboard.press('Delete');
    await cardOf(page, 'two').waitFor({ state: 'detached' });
    await still(cardOf(page, 'four'));
    expect(await seen()).toEqual({ animated: [], drawn: 0 });
    await person.leave();
  });

  it('in a batch: a ring is drawn at the start, a sign settles at the end, the bar fills again', async () => {
    const { person, page, seen } = await watcher();
    await person.enter();
    const id = await server.run('slow');
    await page.goto(`/batches/${String(id)}`);
    await shows(page, 'one', 'running');
    await card(page, 'two').waitFor();
    expect((await seen()).animated).toEqual([]);
    expect(await page.locator('[data-ended]').count()).toBe(0);
    writeFileSync(begin, '');
    await shows(page, 'two', 'running');
    await shows(page, 'one', 'succeeded');
    await until('the ring is drawn', async () => (await seen()).animated.includes('two strokeDasharray'));
    writeFileSync(end, '');
    await shows(page, 'two', 'succeeded');
    await page.locator('[data-ended]').waitFor({ state: 'attached' });
    await until('the sign settles', async () => (await seen()).animated.includes('two transform'));
    expect((await seen()).animated.sort()).toEqual(['one transform', 'two strokeDasharray', 'two transform']);
    expect(person.errors).toEqual([]);
    await person.leave();
  });
});
