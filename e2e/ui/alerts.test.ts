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
const paths: string[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  server = await Server.begun();
  service = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      titles.push((JSON.parse(body) as { markdown: { title: string } }).markdown.title);
      paths.push(request.url ?? '');
      response.writeHead(status).end(status === 200 ? '{"errcode": 0, "errmsg": "ok"}' : 'no such room');
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

/** Chooses an option of a list in a dialog. */
async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Shows what a dialog edits as a form or as YAML. */
async function view(page: Page, name: 'Form' | 'YAML'): Promise<void> {
  await page.getByRole('dialog').getByText(name, { exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: name === 'YAML' ? 'Document (YAML)' : 'Name' })
    .waitFor();
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
    const dialog = page.getByRole('dialog', { name: 'New channel' });
    await dialogHasFocus(page);
    await choose(page, 'Type', 'DingTalk');

    // Nothing is wrong with a form that nobody has filled in yet; whoever wants to go on sees what is missing.
    expect(await dialog.getByText(/cannot be the name/).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/cannot be the name of a channel/).waitFor();
    await expect.poll(() => dialog.getByLabel('Name').evaluate((e) => e === document.activeElement)).toBe(true);
    await dialog.getByLabel('Name').fill('hook');
    await dialog.getByText(/cannot be the name of a channel/).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText('the channel lacks its secret "url"; set it').waitFor();
    await dialog.getByLabel('Webhook address').fill('oapi.dingtalk.com');
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog
      .getByText(/This cannot be the secret url of the channel hook/)
      .first()
      .waitFor();

    // A test before it is saved, which the service refuses at first.
    await dialog.getByLabel('Webhook address').fill(`${url}?access_token=abc`);
    await dialog.getByLabel('Signing secret').fill('SEC123');
    status = 404;
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText(/Not sent\. 404 Not Found/).waitFor();
    status = 200;
    await dialog.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByText(/^Sent\./).waitFor();
    expect(titles).toEqual(['A test of channel hook', 'A test of channel hook']);
    expect(paths.at(-1)).toMatch(/\/alerts\?access_token=abc&sign=[^&]+&timestamp=\d+$/);
    expect(await server.hivego('channels')).not.toContain('hook'); // nothing is saved yet

    // YAML and form have the same, and the secrets stay typed.
    await view(page, 'YAML');
    const text = dialog.getByLabel('Document (YAML)');
    await expect
      .poll(() => text.inputValue())
      .toBe('apiVersion: hivego/v1\nkind: Channel\nname: hook\ntype: dingtalk\n');
    await text.fill('apiVersion: hivego/v1\nkind: Channel\nname: hook\ntype: dingtlk\n');
    await dialog.getByText(/^4:7 · /).waitFor(); // the place of the fault
    await text.fill(
      '# The robot of the night.\napiVersion: hivego/v1\nkind: Channel\nname: hook\ntype: dingtalk\nlanguage: zh\n',
    );
    await dialog.getByText(/^4:7 · /).waitFor({ state: 'detached' });
    await view(page, 'Form');
    expect(await dialog.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('中文');
    expect(await dialog.getByLabel('Signing secret').inputValue()).toBe('SEC123');
    await choose(page, 'Language', 'English');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /hook.*DingTalk.*key, url.*no rule.*admin/ }).waitFor();
    expect(await server.hivego('channels', 'export', 'hook')).toMatch(/^# The robot of the night\.\n/);

    // Another type keeps what was typed for the first one. Secrets that are set stay if their fields are empty.
    const open = async (item: string) => {
      await page.getByRole('button', { name: 'Actions for the channel hook' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await open('Edit…');
    const edit = page.getByRole('dialog', { name: 'Channel hook' });
    await edit
      .getByText(/^Set on .* by admin\. Leave it empty to keep it\.$/)
      .first()
      .waitFor();
    await choose(page, 'Type', 'E-mail');
    await edit.getByLabel('Mail server').fill('smtp.example.com');
    await edit.getByLabel(/^To( \*)?$/).fill('ops@example.com, nobody');
    await edit.getByText(/nobody is not a mail address/).waitFor();
    await choose(page, 'Type', 'DingTalk');
    await choose(page, 'Type', 'E-mail');
    expect(await edit.getByLabel('Mail server').inputValue()).toBe('smtp.example.com');
    await choose(page, 'Type', 'DingTalk');
    await edit.getByRole('button', { name: 'Send a test' }).click();
    await edit.getByText(/^Sent\./).waitFor();
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'detached' });

    // A test of what is saved.
    await open('Send a test…');
    const test = page.getByRole('dialog', { name: 'Send a test to hook' });
    await test.getByRole('button', { name: 'Send', exact: true }).click();
    await test.getByText(/^Sent\./).waitFor();
    expect(titles).toHaveLength(4);
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'New rule…' }).click();
    const rule = page.getByRole('dialog', { name: 'New rule' });
    await rule.getByRole('textbox', { name: 'Name' }).fill('night');
    expect(await rule.getByLabel('hook').first().isChecked()).toBe(true);
    await rule.getByLabel('Some schedules, by tag or name').check();
    expect(await rule.getByLabel('Executor is silent').isDisabled()).toBe(true);
    await rule.getByRole('button', { name: 'Save' }).click();
    await rule.getByText('Name a tag or a schedule, or choose all schedules.').waitFor();
    await rule.getByLabel(/^Schedules( \*)?$/).fill('nightly');
    await rule.getByText('There is no schedule nightly yet. Create it, or correct the name.').waitFor();
    await rule.getByLabel('Deadline of late batches').fill('6 o’clock');
    await rule.getByText(/is not a time of day/).waitFor();
    await rule.getByLabel('Deadline of late batches').fill('06:00');
    await rule.getByLabel('Batch is late').uncheck();
    await rule.getByLabel('Deadline of late batches').waitFor({ state: 'detached' });
    await rule.getByLabel('One message for all within').fill('0 seconds');
    await rule.getByLabel('Escalate if nobody takes the problem').check();
    await rule.getByLabel(/^After( \*)?$/).fill('20 min');
    await rule.getByRole('group', { name: 'Escalate to' }).getByLabel('hook').check();
    expect(await rule.getByLabel(/^After( \*)?$/).inputValue()).toBe('20m');
    await rule.getByRole('button', { name: 'Add quiet hours' }).click();
    await rule.getByRole('group', { name: 'Only on' }).getByLabel('Sat').check();
    await view(page, 'YAML');
    expect(await rule.getByLabel('Document (YAML)').inputValue()).toBe(`apiVersion: hivego/v1
kind: Alert
name: night
on: [failed, recovered, needs_person]
schedules: [nightly]
channels: [hook]
timezone: Asia/Shanghai
group: 0s
quiet:
  - {from: "22:00", to: "07:00", days: [sat]}
escalate: {after: 20m, to: [hook]}
`);
    await view(page, 'Form');
    await rule.getByRole('button', { name: 'Remove' }).click();
    await rule.getByLabel('Escalate if nobody takes the problem').uncheck();
    await rule.getByRole('button', { name: 'Save' }).click();
    await page.getByText('There is no schedule nightly yet. Create it, or correct the name.').first().waitFor();
    await page.getByRole('row', { name: /night.*Batch failed, Recovered.*nightly.*hook.*admin/ }).waitFor();

    // The keyboard opens it again, with what was saved.
    await page.getByRole('button', { name: 'night', exact: true }).focus();
    await page.keyboard.press('Enter');
    await dialogHasFocus(page);
    const saved = page.getByRole('dialog', { name: 'Rule night' });
    await expect.poll(() => saved.getByLabel(/^Schedules( \*)?$/).inputValue()).toBe('nightly');
    expect(await saved.getByLabel('Batch failed').isChecked()).toBe(true);
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
    await page.goto('/');
    await page.getByRole('link', { name: 'failed · admin is on it' }).waitFor();
    await page.goto('/alerts');
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
    await page.getByRole('table').getByRole('link', { name: 'nightly', exact: true }).waitFor();
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
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: text('alerts:channels.create') }).click();
    await dialogHasFocus(page);
    await dialog.getByLabel(text('alerts:form.host')).waitFor();
    await shows(page, 'channel');
    await dialog.getByRole('button', { name: text('alerts:document.save') }).click();
    await dialog.locator('[aria-invalid=true]').first().waitFor();
    await shows(page, 'channel-faults');
    await dialog.getByRole('combobox', { name: text('alerts:document.type') }).click();
    await page.getByRole('option', { name: text('alerts:type.http') }).click();
    await dialog.getByLabel(text('alerts:form.url')).fill('https://example.com/?key=${{ secrets.token }}');
    await dialog.getByLabel('token').waitFor();
    await shows(page, 'http');
    await page.keyboard.press('Escape');
    await page.goto('/alerts?view=rules');
    await page.getByRole('button', { name: text('alerts:rules.create') }).click();
    await dialogHasFocus(page);
    await dialog.getByLabel(text('alerts:form.some')).check();
    await dialog.getByLabel(text('alerts:form.escalate')).check();
    await dialog.getByRole('button', { name: text('alerts:form.quietAdd') }).click();
    await shows(page, 'rule');
    for (const part of ['channels', 'escalate'] as const) {
      await dialog
        .getByText(text(`alerts:form.${part}`))
        .first()
        .scrollIntoViewIfNeeded();
      await shows(page, `rule-${part}`);
    }
    await page.keyboard.press('Escape');
    await page.goto('/?tag=finance');
    await page.getByRole('row').nth(1).waitFor();
    await shows(page, 'tags');
    await page.goto('/batches/1');
    await page.getByRole('button', { name: text('batch:taker.take') }).waitFor();
    await shows(page, 'batch');
  });
});
