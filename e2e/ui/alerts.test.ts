import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessible, type Appearance, dialogHasFocus, fits, openBrowser, Person, picture } from './harness/browser';
import { publish } from './harness/editor';
import { Server, until } from './harness/server';
import { textNames, textsOf, worded } from './harness/texts';

let browser: Browser;
let server: Server;
let person: Person | undefined;
/** A service that takes messages, and what it got. */
let service: HttpServer;
let url = '';
let status = 200;
const titles: string[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  service = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      titles.push((JSON.parse(body) as { title: string }).title);
      response.writeHead(status).end(status === 200 ? 'thanks' : 'no such room');
    });
  });
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}/alerts`;
});
afterEach(async () => {
  await person?.leave();
  person = undefined;
  status = 200;
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  await new Promise((done) => service.close(done));
});

/** Opens a page of a new user's browser. */
async function enter(path: string, appearance?: Appearance): Promise<Page> {
  person = await Person.come(browser, server, appearance);
  await person.enter(path);
  return person.page;
}

const failing = (name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  tags: ['finance'],
  jobs: [{ key: 'a', tasks: [{ key: 'load', handler: 'shell', params: { command: 'echo gone; exit 3' } }] }],
});

describe('the alerts', () => {
  it('begin with a channel, its secret, a test and a rule', async () => {
    const page = await enter('/alerts?view=rules');
    await page.getByText('A rule needs a channel. Make one first.').waitFor();
    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByRole('button', { name: 'New channel…' }).click();
    const dialog = page.getByRole('dialog');
    await dialogHasFocus(page);
    await dialog.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Webhook, signed' }).click();
    const text = dialog.getByLabel('Document (YAML)');
    expect(await text.inputValue()).toContain('type: webhook');
    await text.fill(`apiVersion: hivego/v1\nkind: Channel\ntype: webhook\nhttp: {url: "${url}"}\n`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The document needs a line such as “name: night”.').waitFor();
    await text.fill(`apiVersion: hivego/v1\nkind: Channel\nname: hook\ntype: webhok\nhttp: {url: "${url}"}\n`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/4:7/).waitFor(); // the place of the fault
    await text.fill(`apiVersion: hivego/v1\nkind: Channel\nname: hook\ntype: webhook\nhttp: {url: "${url}"}\n`);
    await dialog.getByRole('button', { name: 'Save' }).click();

    const secrets = page.getByRole('dialog', { name: 'Secrets of hook' });
    await secrets.getByLabel('key').fill('a long key');
    await secrets.getByRole('button', { name: 'Save' }).click();
    await secrets.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /hook.*Webhook, signed.*key.*no rule.*admin/ }).waitFor();

    // A test, which the service refuses at first.
    const open = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for the channel hook' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    status = 404;
    await open('Send a test…');
    const test = page.getByRole('dialog', { name: 'Send a test to hook' });
    await test.getByRole('button', { name: 'Send', exact: true }).click();
    await test.getByText('404 Not Found: no such room').waitFor();
    status = 200;
    await test.getByRole('button', { name: 'Send again' }).click();
    await test.getByText('Sent. 200 OK').waitFor();
    expect(titles).toEqual(['A test of channel hook', 'A test of channel hook']);
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'New rule…' }).click();
    const rule = page.getByRole('dialog', { name: 'New rule' });
    const document = rule.getByLabel('Document (YAML)');
    expect(await document.inputValue()).toContain('channels: [hook]');
    await document.fill(`${await document.inputValue()}group: 0s\nschedules: [nightly]\n`);
    await rule.getByRole('button', { name: 'Save' }).click();
    await page.getByText('There is no schedule nightly yet. Create it, or correct the name.').waitFor();
    await page.getByRole('row', { name: /night.*Batch failed, Recovered.*nightly.*hook.*admin/ }).waitFor();

    // The keyboard opens it again, with what was saved.
    await page.getByRole('button', { name: 'night', exact: true }).focus();
    await page.keyboard.press('Enter');
    await dialogHasFocus(page);
    const saved = page.getByRole('dialog', { name: 'Rule night' }).getByLabel('Document (YAML)');
    expect(await saved.inputValue()).toContain('schedules: [nightly]');
    await page.keyboard.press('Escape');

    // The channel is used now.
    await page.getByRole('link', { name: 'Channels' }).click();
    await open('Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The channel hook is used by the rules night. Take it out of them first.').waitFor();
  });

  it('show a failure, who is on it, and what became of the message', async () => {
    await server.apply(failing('nightly'));
    status = 404;
    const batch = await server.run('nightly', { wait: true });
    const page = await enter('/alerts');
    const row = page.getByRole('row', { name: /Batch failed/ });
    await row.getByText(`nightly batch ${String(batch)}`).waitFor();
    await row.getByRole('button', { name: /^I am on it/ }).click();
    await row.getByText(/admin is on it/).waitFor();
    await row.getByRole('link', { name: /^nightly/ }).click();
    await page.getByText(/You are on it,/).waitFor();
    await page.getByRole('button', { name: 'Give back' }).click();
    await page.getByRole('button', { name: 'I am on it' }).waitFor();
    expect(await server.hivego('alerts', '--open')).toMatch(/failed +nightly batch \d+ +yes +- /);

    await page.goto('/alerts?view=log');
    const entry = page.getByRole('row', { name: /Batch failed/ });
    await entry.getByText('404 Not Found: no such room').waitFor();
    await entry.getByRole('button', { name: /1 try/ }).click();
    await page.getByRole('dialog').getByText('404 Not Found: no such room').waitFor();
    await page.keyboard.press('Escape');
    status = 200;
    await entry.getByRole('button', { name: 'Send again to hook' }).click();
    await until('the message has come', () => Promise.resolve(titles.includes('nightly: batch 1 failed')));
    await page.reload();
    await entry.getByText('sent', { exact: true }).waitFor();

    // A batch that no rule has can be taken, too.
    await server.apply(failing('other'));
    const other = await server.run('other', { wait: true });
    await page.goto(`/batches/${String(other)}`);
    await page.getByRole('button', { name: 'I am on it' }).click();
    await page.getByText(/You are on it,/).waitFor();
    await page.goto('/alerts');
    await page
      .getByRole('row', { name: /Batch failed.*other batch/ })
      .getByText(/admin is on it/)
      .waitFor();
  });
});

describe('tags', () => {
  it('are written in the editor and select schedules in the list', async () => {
    await server.apply({ ...failing('tagged'), tags: undefined });
    const page = await enter('/schedules/tagged?view=settings');
    await page.getByLabel('Tags').fill('marketing, night');
    await page.getByLabel('Owners').fill('ada@example.com');
    await page.keyboard.press('Tab');
    await publish(page, 2);
    const saved = await server.get<{ definition: object }>('/schedules/tagged');
    expect(saved.definition).toMatchObject({ tags: ['marketing', 'night'], owners: ['ada@example.com'] });
    await page.goto('/');
    await page.getByRole('link', { name: 'Show only schedules with the tag marketing' }).click();
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.getByRole('button', { name: 'tag marketing' }).click();
    await page.getByRole('link', { name: 'nightly', exact: true }).waitFor();
  });
});

const APPEARANCES = [
  { language: 'en', dark: false, width: 1280, height: 860 },
  { language: 'en', dark: true, width: 390, height: 844 },
  { language: 'zh', dark: true, width: 1280, height: 860 },
  { language: 'zh', dark: false, width: 390, height: 844 },
] as const satisfies Appearance[];

describe('the page of alerts', () => {
  it.each(APPEARANCES)('fits in $language at $width pixels', async (appearance) => {
    const { language, width } = appearance;
    const names = textNames();
    const text = textsOf(language);
    const shows = async (page: Page, what: string) => {
      await worded(page, names, `${what} in ${language}`);
      await fits(page, `${what} in ${language}`);
      await accessible(page, `${what} in ${language}`);
      await picture(page, `alerts/${language}-${String(width)}-${what}`);
    };
    const page = await enter('/alerts', appearance);
    await page.getByRole('row').nth(1).waitFor();
    // The link of the page is visible although the links do not all fit, and one view is marked as the current one.
    const link = page.getByRole('link', { name: text('common:nav.alerts'), exact: true });
    expect(
      await link.evaluate((e) => {
        const [box, around] = [e.getBoundingClientRect(), e.parentElement?.getBoundingClientRect()];
        return around !== undefined && box.left >= around.left - 1 && box.right <= around.right + 1;
      }),
    ).toBe(true);
    const views = page.getByRole('navigation', { name: text('alerts:views') });
    expect(await views.locator('[aria-current=page]').allInnerTexts()).toEqual([text('alerts:view.problems')]);
    await shows(page, 'problems');
    for (const view of ['log', 'rules', 'channels'] as const) {
      await page.goto(`/alerts?view=${view}`);
      await page.getByRole('row').nth(1).waitFor();
      expect(await views.locator('[aria-current=page]').allInnerTexts()).toEqual([text(`alerts:view.${view}`)]);
      await shows(page, view);
    }
    await page.getByRole('button', { name: text('alerts:channels.create') }).click();
    await dialogHasFocus(page);
    await shows(page, 'new');
    await page.keyboard.press('Escape');
    await page.goto('/?tag=finance');
    await page.getByRole('row').nth(1).waitFor();
    await shows(page, 'tags');
    await page.goto('/batches/1');
    await page.getByRole('button', { name: text('batch:taker.take') }).waitFor();
    await shows(page, 'batch');
  });
});
