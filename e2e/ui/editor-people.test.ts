import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, Person, picture } from './harness/browser';
import { addTask, cardOf, edit, openTask, publish, publishButton, writeCode } from './harness/editor';
import { openProfile } from './harness/profile';
import { Server, until } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const shared = (name: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name,
  jobs: [
    {
      key: 'first',
      tasks: [
        { key: 'one', handler: 'shell', params: { command: 'echo one' } },
        { key: 'two', handler: 'shell', params: { command: 'echo two' } },
      ],
    },
    { key: 'second', tasks: [{ key: 'three', handler: 'shell', needs: ['one'], params: { command: 'echo three' } }] },
  ],
});

type Definition = ReturnType<typeof shared>;
const commands = async (server: Server, name: string) =>
  Object.fromEntries(
    (await server.get<{ definition: Definition }>(`/schedules/${name}`)).definition.jobs
      .flatMap((job) => job.tasks)
      .map((task) => [task.key, task.params.command]),
  );

async function setCommand(page: Page, task: string, command: string): Promise<void> {
  await openTask(page, task);
  await writeCode(page, 'Command', command);
}

describe('two people at one schedule', () => {
  let server: Server;
  let ada: Person;
  let bob: Person;
  beforeAll(async () => {
    server = await Server.begun();
    // A user's draft is the same in every browser, so the two people are two users.
    await server.user('bob');
    ada = await Person.come(browser, server, { height: 900 });
    bob = await Person.come(browser, server, { height: 900 });
    await ada.enter();
    await bob.enter('/', 'bob');
  });
  afterAll(async () => {
    await ada.leave();
    await bob.leave();
    await server.stop();
  });

  it('lose no edit: separate edits are merged, and in a conflict the second one to publish chooses', async () => {
    await server.apply(shared('together'));
    for (const { page } of [ada, bob]) {
      await edit(page, 'together');
      await cardOf(page, 'three').waitFor();
    }
    await setCommand(ada.page, 'one', 'echo one of Ada');
    await setCommand(ada.page, 'two', 'echo two of Ada');
    await setCommand(bob.page, 'two', 'echo two of Bob');
    await setCommand(bob.page, 'three', 'echo three of Bob');
    await publish(ada.page, 2);

    // Bob publishes after a revision that he has not seen.
    await publishButton(bob.page).first().click();
    const dialog = bob.page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Publish v\d/ }).click();
    await dialog.getByText('admin published v2 meanwhile.').waitFor();
    await dialog.getByText('1 conflict to settle').waitFor();
    const conflict = dialog.getByRole('group', { name: 'two · Command' });
    for (const words of ['echo two', 'echo two of Bob', 'echo two of Ada'])
      await conflict.getByText(words, { exact: true }).waitFor();
    await picture(bob.page, 'editor/conflict');
    expect(await dialog.getByRole('button', { name: /^Publish v3/ }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: /^Take theirs for two/ }).click();
    await dialog.getByRole('button', { name: 'Publish v3' }).click();
    await bob.page.getByText('published · v3').waitFor();
    expect(await commands(server, 'together')).toEqual({
      one: 'echo one of Ada',
      two: 'echo two of Ada',
      three: 'echo three of Bob',
    });

    // Ada sees a notice, and continues from the new revision.
    await ada.page.getByText('bob published v3').waitFor();
    await ada.page.getByRole('button', { name: 'Show it' }).click();
    await ada.page.getByText('published · v3').waitFor();
    await openTask(ada.page, 'three');
    await ada.page.getByRole('textbox', { name: 'Command', exact: true }).getByText('echo three of Bob').waitFor();
    expect([...ada.errors, ...bob.errors]).toEqual([]);
  });

  it('lose no edit of a schedule that both of them create', async () => {
    for (const [{ page }, who, own] of [
      [ada, 'Ada', 'hers'],
      [bob, 'Bob', 'his'],
    ] as const) {
      await page.goto('/schedules/twins');
      await page.getByRole('button', { name: 'Make it' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Make it' }).click();
      await page.getByRole('button', { name: 'First job' }).click();
      const job = (await page.locator('[data-lane-head]').first().getAttribute('data-lane-head')) ?? '';
      for (const task of ['both', own]) {
        await addTask(page, job, `${task} shell`);
        await setCommand(page, task, `echo ${task} of ${who}`);
      }
    }
    await publish(ada.page, 1);

    // Ada has already published the schedule: Bob is shown both versions.
    await publishButton(bob.page).first().click();
    const dialog = bob.page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Publish v\d/ }).click();
    await dialog.getByText('admin published v1 meanwhile.').waitFor();
    const conflict = dialog.getByRole('group', { name: 'both · Command' });
    for (const words of ['echo both of Bob', 'echo both of Ada'])
      await conflict.getByText(words, { exact: true }).waitFor();
    await picture(bob.page, 'editor/twins');
    await dialog.getByRole('button', { name: /^Keep yours for both/ }).click();
    await dialog.getByRole('button', { name: 'Publish v2' }).click();
    await bob.page.getByText('published · v2').waitFor();
    expect(await commands(server, 'twins')).toEqual({
      both: 'echo both of Bob',
      hers: 'echo hers of Ada',
      his: 'echo his of Bob',
    });
    await ada.page.getByText('bob published v2').waitFor();
    expect([...ada.errors, ...bob.errors]).toEqual([]);
  });

  it('find their own draft in every browser', async () => {
    await server.apply(shared('wandering'));
    await edit(ada.page, 'wandering');
    await setCommand(ada.page, 'one', 'echo from here');
    await ada.page
      .getByText(/^saved/)
      .first()
      .waitFor();
    const elsewhere = await Person.come(browser, server, { height: 900 });
    await elsewhere.enter();
    await edit(elsewhere.page, 'wandering');
    await elsewhere.page.getByText('draft · 1 change since v1').waitFor();
    await openTask(elsewhere.page, 'one');
    await elsewhere.page.getByRole('textbox', { name: 'Command', exact: true }).getByText('echo from here').waitFor();
    // Bob does not have this draft.
    await edit(bob.page, 'wandering');
    await bob.page.getByText('published · v1').waitFor();
    await elsewhere.leave();
  });
});

describe('a browser that is killed', () => {
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    server = await Server.begun();
    await server.apply(shared('fragile'));
    folder = mkdtempSync(join(tmpdir(), 'hivego-ui-profile-'));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses no edit, not even the last one, made while the server was down', async () => {
    const first = await openProfile(folder, server.url);
    await edit(first.page, 'fragile');
    await setCommand(first.page, 'one', 'echo before the end');
    await first.page
      .getByText(/^saved/)
      .first()
      .waitFor();
    await server.kill();
    await setCommand(first.page, 'two', 'echo at the very end');
    await first.page.getByText('draft · 2 changes since v1').waitFor();
    await first.stored('echo at the very end');
    await first.kill();
    await server.again();

    const second = await openProfile(folder, server.url);
    await edit(second.page, 'fragile');
    await second.page.getByText('draft · 2 changes since v1').waitFor();
    await openTask(second.page, 'two');
    await second.page
      .getByRole('textbox', { name: 'Command', exact: true })
      .getByText('echo at the very end')
      .waitFor();
    await openTask(second.page, 'one');
    await second.page.getByRole('textbox', { name: 'Command', exact: true }).getByText('echo before the end').waitFor();
    await publish(second.page, 2);
    await until(
      'both edits are published',
      async () => (await commands(server, 'fragile')).two === 'echo at the very end',
    );
    expect(await commands(server, 'fragile')).toMatchObject({
      one: 'echo before the end',
      two: 'echo at the very end',
      three: 'echo three',
    });
    await second.close();
  });
});
