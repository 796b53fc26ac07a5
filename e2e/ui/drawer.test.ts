import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { card } from './harness/batch';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { edit, openTask, publish, still } from './harness/editor';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const task = (key: string) => ({ key, handler: 'shell', params: { command: 'exit 1' } });

describe('the drawer of a task in a batch', () => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun();
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'wide',
      jobs: [{ key: 'all', tasks: ['a', 'b', 'c', 'd'].map(task) }],
    });
    const id = await server.run('wide', { wait: true });
    person = await Person.come(browser, server);
    await person.enter(`/batches/${String(id)}`);
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  const drawer = (key: string) => person.page.getByRole('region', { name: `Task ${key}` });
  const boxOf = async (place: Locator) => {
    const box = await place.boundingBox();
    if (!box) throw new Error('it has no box');
    return box;
  };

  it('leaves the graph in place, and the selected card visible', async () => {
    const { page } = person;
    await card(page, 'd').waitFor();
    const before = await still(card(page, 'a'));
    await card(page, 'a').click();
    await drawer('a').waitFor();
    expect(await still(card(page, 'a'))).toEqual(before);
    await page.keyboard.press('Escape');
    await drawer('a').waitFor({ state: 'detached' });
    expect(await still(card(page, 'a'))).toEqual(before);

    // A card that it would cover moves out from under it, and back afterwards.
    const last = await still(card(page, 'd'));
    await card(page, 'd').click();
    const { x: edge } = await boxOf(drawer('d'));
    expect(last.x + last.width).toBeGreaterThan(edge);
    await until('the card is in sight', async () => {
      const { x, width } = await boxOf(card(page, 'd'));
      return x + width < edge;
    });
    expect((await still(card(page, 'd'))).y).toBeCloseTo(last.y, 0);
    await picture(page, 'side/over');
    await page.keyboard.press('Escape');
    await until('the graph is back', async () => Math.abs((await boxOf(card(page, 'd'))).x - last.x) < 1);
  });

  it('is not covered by notices', async () => {
    const { page } = person;
    await card(page, 'a').click();
    await drawer('a')
      .getByRole('button', { name: 'Resume from here…' })
      .or(drawer('a').getByRole('button', { name: 'Resume…' }))
      .first()
      .click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resume/ })
      .last()
      .click();
    const notice = page.getByRole('region', { name: 'Notices' }).getByRole('button', { name: 'Dismiss' }).locator('..');
    await notice.first().waitFor();
    const { x, width } = await still(notice.first());
    expect(x + width).toBeLessThanOrEqual((await boxOf(drawer('a'))).x);
    await picture(page, 'side/notice');
    expect(person.errors).toEqual([]);
  });

  it('says why a failed attempt was not repeated, by the rules that its form has', async () => {
    const { page } = person;
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'choosy',
      jobs: [{ key: 'all', tasks: [{ ...task('load'), params: { command: 'exit 3' } }] }],
    });
    await edit(page, 'choosy');
    await openTask(page, 'load');
    await page.getByLabel('Retries: how often').fill('2');
    const on = page.getByLabel('Repeat only after');
    await on.fill('75, 300');
    await page.locator('[data-field="retry.on"]').getByText('300 is no exit code. Use 0 to 255.').waitFor();
    await on.fill('75, timeout');
    await page.getByLabel('Repeat only if').fill('outcome.failures < 2');
    await accessible(page, 'the form of retries');
    await picture(page, 'retry-form');
    await publish(page, 2);
    expect(await server.hivego('export', 'choosy')).toContain(
      'retry: {max: 2, on: "75, timeout", when: outcome.failures < 2}',
    );
    const id = await server.run('choosy', { wait: true });
    await page.goto(`/batches/${String(id)}?task=load`);
    await drawer('load').getByRole('tab', { name: 'Attempts' }).click();
    await drawer('load').getByText('not retried: exit code 3 is not in retry.on (75, timeout)').waitFor();
    await picture(page, 'retry-why');
  });
});
