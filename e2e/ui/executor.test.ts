import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shows } from './harness/batch';
import { accessible, openBrowser, Person } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('a separate executor', () => {
  let server: Server;
  let person: Person;
  beforeAll(async () => {
    server = await Server.begun('sqlite', '--no-executor', '--orphan-timeout', '1s');
    person = await Person.come(browser, server);
    await person.enter();
  });
  afterAll(async () => {
    await person.leave();
    await server.stop();
  });

  it('is reported missing before it starts and after its end: its task is lost, and the user must decide', async () => {
    const { page } = person;
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'remote',
      jobs: [
        {
          key: 'only',
          tasks: [
            {
              key: 'long',
              handler: 'shell',
              group: 'far',
              onLost: { do: 'hold' },
              killGrace: '1s',
              params: { command: server.gated('never') },
            },
            { key: 'after', handler: 'shell', group: 'nowhere', params: { command: 'true' } },
          ],
        },
      ],
    });
    await page.goto('/');
    // Without an executor a run can start. Its dialog names the tasks that would wait, and the batch gives the reason.
    await page.getByRole('button', { name: 'Run remote…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/no executor of group far offers shell now/).waitFor();
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.waitForURL('**/batches/*');
    const id = Number(new URL(page.url()).pathname.split('/').pop());
    await page.goto(`/batches/${String(id)}?task=long`);
    await page.getByRole('region', { name: 'Task long' }).getByText('Its group has no executor.').waitFor();

    const executor = await server.executor('far');
    await shows(page, 'long', 'running');
    await page
      .getByRole('region', { name: 'Task long' })
      .getByText('Its group has no executor.')
      .waitFor({ state: 'detached' });
    const executors = await person.tab();
    await executors.goto('/executors');
    const row = executors.getByRole('row', { name: /far/ });
    await row.getByText('online').waitFor();

    await executor.kill();
    await shows(page, 'long', 'unknown');
    await page
      .getByText(/1 task was lost and needs your decision/)
      .first()
      .waitFor();
    await page
      .getByRole('region', { name: 'Task long' })
      .getByText(/Its executor was lost\. The task waits until somebody decides/)
      .waitFor();
    await row.getByText('lost').waitFor();
    await accessible(page, 'a lost task');
    await accessible(executors, 'a lost executor');

    // The user decides to cancel it.
    await page.getByRole('button', { name: 'Cancel…' }).first().click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Cancel \d tasks?$/ })
      .click();
    await shows(page, 'long', 'canceled');
    await shows(page, 'after', 'canceled');
    expect(person.errors).toEqual([]);
  });
});
