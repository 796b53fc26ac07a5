import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shows } from './harness/batch';
import { accessible, openBrowser, Person, picture } from './harness/browser';
import { cardOf, edit, openTask, publish } from './harness/editor';
import { freePort } from './harness/postgres';
import { Server, until } from './harness/server';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECRET = 'a-secret-of-the-test';

let browser: Browser;
beforeAll(async () => {
  // Installs the example executors as their READMEs describe.
  execFileSync(join(ROOT, 'scripts/plug'), { stdio: ['ignore', 'ignore', 'inherit'] });
  browser = await openBrowser();
}, 300_000);
afterAll(async () => {
  await browser.close();
});

describe('an executor in ten lines of Python', () => {
  let server: Server;
  let person: Person;
  let address: string;
  let program: ChildProcess;
  beforeAll(async () => {
    server = await Server.begun();
    person = await Person.come(browser, server, { height: 900 });
    await person.enter();
    address = `127.0.0.1:${String(await freePort())}`;
    const folder = join(ROOT, 'bin/plug/python');
    const token = join(server.data, 'secret');
    writeFileSync(token, `${SECRET}\n`, { mode: 0o600 });
    program = spawn(join(folder, '.venv/bin/python'), ['greet.py', '--listen', address], {
      cwd: folder,
      env: { ...process.env, LISTEN: address, HIVEGO_EXECUTOR_TOKEN: SECRET, PYTHONPATH: folder },
      stdio: 'ignore',
    });
    await until('the example answers', () =>
      server.hivego('executor', 'describe', '--address', address, '--token-file', token).then(
        () => true,
        () => false,
      ),
    );
  });
  afterAll(async () => {
    program.kill('SIGKILL');
    await person.leave();
    await server.stop();
  });

  it('is added by its address, appears in the palette, runs a task, is drained and taken offline', async () => {
    const { page } = person;
    // The editor is already open: the handlers of the executor appear there by themselves.
    const editor = await person.tab();
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'greeting',
      jobs: [{ key: 'only', tasks: [{ key: 'first', handler: 'shell', params: { command: 'true' } }] }],
    });
    await edit(editor, 'greeting');
    await cardOf(editor, 'first').waitFor();
    expect(await editor.locator('[data-handler="greet"]').count()).toBe(0);

    await page.goto('/executors');
    await page.getByRole('button', { name: 'Add an executor…' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('By its address').click();
    await dialog.getByLabel(/^Address/).fill(address);
    await dialog.getByLabel(/^Its token/).fill(SECRET);
    await accessible(page, 'an executor that is added');
    await picture(page, 'editor/add-executor');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await page
      .getByText(/is there, and offers greet/)
      .first()
      .waitFor();
    if (await dialog.isVisible()) await page.keyboard.press('Escape');
    const row = page.getByRole('row', { name: /python/ });
    await row.getByText('online').waitFor();
    await picture(page, 'editor/executors');
    await row
      .getByRole('button', { name: /python/ })
      .first()
      .click();
    await dialog.getByText('greet').first().waitFor();
    await accessible(page, 'what is known of an executor');
    await picture(page, 'editor/executor-details');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await editor.locator('[data-handler="greet"]').waitFor();
    await editor.locator('[data-handler="greet"]').click();
    await cardOf(editor, 'greet').waitFor();
    await openTask(editor, 'greet');
    await editor.getByLabel('Name', { exact: true }).fill('a visitor');
    await editor.keyboard.press('Tab');
    await picture(editor, 'editor/greet');
    await publish(editor, 2);
    const id = await server.run('greeting', { wait: true });
    expect(await server.batch(id)).toMatchObject({ state: 'succeeded' });
    await editor.goto(`/batches/${String(id)}?task=greet&tab=outputs`);
    await shows(editor, 'greet', 'succeeded');
    await editor
      .getByText(/Hello a visitor/)
      .first()
      .waitFor();

    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Drain…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drain', exact: true }).click();
    await row.getByText('drained').first().waitFor();
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Take offline…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take offline', exact: true }).click();
    await row.getByText('offline by hand').waitFor();
    await accessible(page, 'an executor that is offline');
    expect(person.errors).toEqual([]);
  });
});
