import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessible, fits, openBrowser, Person, picture } from './harness/browser';
import { Server } from './harness/server';

const NAME = 'a-very-long-name-of-a-schedule-as-some-people-like-them-to-be-1';

let browser: Browser;
let server: Server;
let failed: number;
beforeAll(async () => {
  [browser, server] = await Promise.all([openBrowser(), Server.begun()]);
  await server.apply({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: NAME,
    timezone: 'America/Argentina/Buenos_Aires',
    jobs: [{ key: 'j', tasks: [{ key: 'broken', handler: 'shell', params: { command: 'exit 3' } }] }],
  });
  failed = await server.run(NAME);
  await server.ended(failed);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

it.each([1920, 1280, 1024, 768])('the header of a batch is one row at %s px', async (width) => {
  const person = await Person.come(browser, server, { width });
  const { page } = person;
  await person.enter(`/batches/${String(failed)}`);
  const time = page.locator('main header h1 time');
  await time.waitFor();
  // A number as a server has after some years.
  await page.locator('main header nav span', { hasText: 'batch' }).evaluate((id) => {
    id.textContent = 'batch 999999';
  });
  await picture(page, `header/${String(width)}`);
  const header = page.locator('main header').first();
  expect((await header.boundingBox())?.height).toBeLessThanOrEqual(54);
  const resume = header.getByRole('button', { name: 'Resume…' });
  const box = await resume.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(width);
  expect((await time.boundingBox())?.width).toBeGreaterThan(80); // the moment stays whole
  await fits(page, `the batch at ${String(width)}`);
  await accessible(page, `the batch at ${String(width)}`);
  expect(person.errors).toEqual([]);
  await person.leave();
});

it.each([
  { language: 'en', dark: true },
  { language: 'zh', dark: false },
] as const)('the header of a batch has the whole name on a phone: $language', async (appearance) => {
  const person = await Person.come(browser, server, { ...appearance, width: 390, height: 844, touch: true });
  const { page } = person;
  await person.enter(`/batches/${String(failed)}`);
  const header = page.locator('main header').first();
  const name = header.getByRole('link', { name: NAME });
  await name.waitFor();
  await picture(page, `header/390-${appearance.language}`);
  const box = await name.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  const whole = await name.evaluate(
    (a) => a.scrollWidth <= a.clientWidth || getComputedStyle(a).overflowX === 'visible',
  );
  expect(whole).toBe(true);
  await fits(page, 'the batch on a phone');
  await accessible(page, 'the batch on a phone');
  expect(person.errors).toEqual([]);
  await person.leave();
});
