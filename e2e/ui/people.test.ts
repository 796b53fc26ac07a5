import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agrees, connection, shows } from './harness/batch';
import { openBrowser, Person } from './harness/browser';
import { Server } from './harness/server';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

describe('two people at one batch', () => {
  let server: Server;
  let ada: Person;
  let bob: Person;
  beforeAll(async () => {
    server = await Server.begun();
    ada = await Person.come(browser, server);
    bob = await Person.come(browser, server);
    await ada.enter();
    await bob.enter();
  });
  afterAll(async () => {
    await ada.leave();
    await bob.leave();
    await server.stop();
  });

  const fails = (gate: string) => `if [ -e ok-${gate} ]; then echo fine; else touch ok-${gate}; exit 1; fi`;

  it('see at once that the other one pauses and continues it', async () => {
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'shared',
      jobs: [
        { key: 'j1', tasks: [{ key: 'one', handler: 'shell', params: { command: server.gated('one') } }] },
        { key: 'j2', tasks: [{ key: 'two', handler: 'shell', params: { command: 'true' } }] },
      ],
    });
    const id = await server.run('shared');
    for (const { page } of [ada, bob]) {
      await page.goto(`/batches/${String(id)}`);
      await connection(page, 'live');
      await shows(page, 'one', 'running');
    }
    await ada.page.getByRole('button', { name: 'Pause' }).click();
    await bob.page.getByText('Paused: nothing new starts, what runs goes on.').first().waitFor();
    server.open('one');
    await shows(bob.page, 'one', 'succeeded');
    await bob.page.getByRole('button', { name: 'Continue' }).click();
    await ada.page.getByRole('button', { name: 'Continue' }).waitFor({ state: 'detached' });
    await ada.page.getByText('2 of 2 succeeded').waitFor();
    await agrees(ada.page, server, id);
    await agrees(bob.page, server, id);
  });

  it('do not overrule each other: an outdated plan is not applied, and the new one is shown', async () => {
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'both',
      jobs: [
        {
          key: 'j1',
          tasks: [
            { key: 'x', handler: 'shell', params: { command: fails('x') } },
            { key: 'y', handler: 'shell', params: { command: 'exit 1' } },
          ],
        },
        { key: 'j2', tasks: [{ key: 'z', handler: 'shell', needs: ['x', 'y'], params: { command: 'true' } }] },
      ],
    });
    const id = await server.run('both', { wait: true });
    for (const { page } of [ada, bob]) {
      await page.goto(`/batches/${String(id)}`);
      await connection(page, 'live');
      await shows(page, 'x', 'failed');
    }
    // Ada looks at her plan, of three tasks, while Bob resumes one of them.
    await ada.page.getByRole('button', { name: 'Resume…' }).first().click();
    const hers = ada.page.getByRole('dialog');
    await hers.getByRole('button', { name: 'Resume 3 tasks' }).waitFor();
    await server.hivego('mark', String(id), 'x', '--as', 'success');
    await shows(ada.page, 'x', 'succeeded');
    await hers.getByRole('button', { name: 'Resume 3 tasks' }).click();
    await hers.getByText('The batch has changed since you saw the plan.').waitFor();
    await hers.getByText('No longer in it: x').waitFor();
    const before = await server.batch(id);
    expect(before.tasks.find((t) => t.key === 'x')?.state).toBe('succeeded');
    expect(before.tasks.find((t) => t.key === 'y')).toMatchObject({ state: 'failed', attempts: 1 });
    await hers.getByRole('button', { name: 'Resume 2 tasks' }).click();
    await hers.waitFor({ state: 'detached' });
    const after = await server.ended(id);
    expect(after.tasks.map((t) => [t.key, t.attempts])).toEqual([
      ['x', 1],
      ['y', 2],
      ['z', 0],
    ]);
    await agrees(ada.page, server, id);
    await agrees(bob.page, server, id);

    // Both have the same plan open. The second one to confirm learns that it is already done.
    for (const { page } of [ada, bob]) {
      await page.getByRole('button', { name: 'Resume…' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Resume 2 tasks' }).waitFor();
    }
    await server.apply({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'both',
      jobs: [
        {
          key: 'j1',
          tasks: [
            { key: 'x', handler: 'shell', params: { command: fails('x') } },
            { key: 'y', handler: 'shell', params: { command: server.gated('y') } },
          ],
        },
        { key: 'j2', tasks: [{ key: 'z', handler: 'shell', needs: ['x', 'y'], params: { command: 'true' } }] },
      ],
    });
    await bob.page.getByRole('button', { name: 'Close', exact: true }).last().click();
    await server.hivego('resume', String(id), '--latest');
    await shows(ada.page, 'y', 'running');
    await hers.getByRole('button', { name: 'Resume 2 tasks' }).click();
    await hers
      .getByText('The batch has changed: nothing is left to do here.')
      .or(hers.getByText(/The batch has changed|nothing to do/))
      .first()
      .waitFor();
    server.open('y');
    const done = await server.ended(id);
    expect(done.state).toBe('succeeded');
    expect(done.tasks.map((t) => [t.key, t.attempts])).toEqual([
      ['x', 1],
      ['y', 3],
      ['z', 1],
    ]);
    expect([...ada.errors, ...bob.errors]).toEqual([]);
  });
});
