import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, refusal } from '@/test/server';
import type { RepairRequest } from './plan';
import {
  applied,
  batch,
  clearToasts,
  definition,
  DONE,
  open,
  plan,
  planned,
  plans,
  RESUME,
  row,
  run,
  server,
} from './testing';

beforeEach(clearToasts);

describe('the preview', () => {
  it('shows what would change and why, and changes nothing', async () => {
    const calls = server(plans(RESUME));
    const { user, dialog } = await open();
    expect(
      await dialog.findByText('Round 2. Two tasks run again, three are kept. Nothing has changed yet.'),
    ).toBeVisible();
    await waitFor(() => {
      expect(screen.getByRole('dialog')).toHaveAccessibleName('Resume weather-report · 2026-11-21 03:20');
    });
    expect(dialog.getByText('it failed: no such column: precipitation_mm')).toBeVisible();
    expect(dialog.getByText('skipped because of monthly')).toBeVisible();
    expect(dialog.getByText('failed → run again')).toBeVisible();
    expect(dialog.getByText('extract, load, extremes')).toBeVisible();
    await user.keyboard('{Escape}');
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    await waitFor(() => {
      expect(screen.getByText('open')).toHaveFocus();
    });
    expect(calls.filter((c) => c.method !== 'GET').map((c) => c.path)).toEqual(['/batches/7/repair-plans']);
  });
  it('names tasks by their titles, as the page does', async () => {
    server((call) =>
      plans({ ...RESUME, kept: [{ number: 3, task: 'extremes', state: 'succeeded', ranOnFailed: 'monthly' }] })(call),
    );
    const { dialog } = await open(
      { action: 'resume', tasks: ['monthly'] },
      { monthly: 'Rain by month', extremes: 'Warmest and coldest', load: 'Load the weather' },
    );
    expect(await dialog.findByText('skipped because of Rain by month')).toBeVisible();
    expect(dialog.getByText('extract, Load the weather, Warmest and coldest')).toBeVisible();
    expect(dialog.getByRole('checkbox', { name: 'Warmest and coldest, which read Rain by month' })).toBeVisible();
    await waitFor(() => {
      expect(screen.getByRole('dialog')).toHaveAccessibleName(/^Resume Rain by month/);
    });
  });
  it('shows no plan before it has checked for a later revision', async () => {
    let release: () => void = () => undefined;
    const pending = new Promise<Answer>((resolve) => {
      release = () => {
        resolve({
          body: { name: 'weather-report', timezone: 'UTC', revision: 2, definition: definition('precipitation') },
        });
      };
    });
    const calls = server((call) => (call.path.startsWith('/schedules/') ? pending : plans(RESUME)(call)));
    const { dialog } = await open();
    await waitFor(() => {
      expect(calls.map((call) => call.path)).toContain('/batches/7/repair-plans');
    });
    expect(await dialog.findByRole('button', { name: 'Planning…' })).toBeDisabled();
    expect(dialog.queryByText('it failed: no such column: precipitation_mm')).toBeNull();
    release();
    expect(await dialog.findByText('Resume 2 tasks')).toBeEnabled();
    expect(dialog.getByText(/^With the latest, v2/)).toBeVisible();
  });
  it('requests a plan for each revision, and applies the shown one by its number', async () => {
    const calls = server(
      (call) => {
        if (call.path === '/batches/7/repairs') return { body: { ...DONE, plan: RESUME } };
        const latest = (call.body as RepairRequest | undefined)?.latest;
        return plans(latest ? { ...RESUME, revision: 2, hash: 'h2' } : RESUME)(call);
      },
      {},
      2,
    );
    const { user, dialog } = await open();
    await user.click(await dialog.findByText(/With the latest, v2/));
    expect(await dialog.findByText('differs in v2')).toBeVisible();
    await user.click(dialog.getByText('Resume 2 tasks'));
    await waitFor(() => {
      expect(applied(calls).map((c) => c.body)).toEqual([{ action: 'resume', revision: 2, hash: 'h2' }]);
    });
  });
  it('offers to rerun a task whose input is produced again', async () => {
    const doubt = {
      ...RESUME,
      kept: [{ number: 3, task: 'extremes', state: 'succeeded' as const, ranOnFailed: 'monthly' }],
    };
    const more = plan(
      [...RESUME.rows, row(3, 'extremes', { from: 'succeeded', why: 'ran_on_bad', cause: 'monthly' })],
      { hash: 'h2' },
    );
    const calls = server((call) => plans((call.body as RepairRequest | undefined)?.rerunKept ? more : doubt)(call));
    const { user, dialog } = await open();
    await user.click(await dialog.findByRole('checkbox', { name: 'extremes, which read monthly' }));
    expect(await dialog.findByText('Resume 3 tasks')).toBeVisible();
    await user.click(dialog.getByRole('checkbox', { name: 'extremes, which read monthly' }));
    expect(await dialog.findByText('Resume 2 tasks')).toBeVisible();
    expect(planned(calls).map((c) => (c.body as RepairRequest).rerunKept)).toEqual([
      undefined,
      ['extremes'],
      undefined,
    ]);
  });
  it('warns about killed tasks, and Enter does not confirm them', async () => {
    const calls = server(
      plans(plan([row(1, 'load', { from: 'running', kill: true, why: 'asked' })], { action: 'rerun' })),
    );
    const { user, dialog } = await open({ action: 'rerun', tasks: ['load'] });
    expect(await dialog.findByText('1 task runs now and is killed first.')).toBeVisible();
    expect(dialog.getByText('Kill 1 and rerun 1 task')).toBeVisible();
    await user.keyboard('{Enter} ');
    expect(applied(calls)).toEqual([]);
  });
  it('explains why there is nothing to do', async () => {
    server((call) =>
      call.path === '/batches/7'
        ? { body: batch([run(0, 'extract', 'succeeded')], { state: 'succeeded' }) }
        : plans(plan([]))(call),
    );
    const { dialog } = await open();
    expect(await dialog.findByText(/Nothing failed and nothing was canceled/)).toBeVisible();
    expect(dialog.queryByText(/^Resume \d/)).toBeNull();
  });
  it('explains a refusal', async () => {
    server((call) =>
      call.path.endsWith('plans')
        ? refusal(409, 'conflict', { reason: 'run_in_hand', params: { task: 'load', state: 'running', cause: '' } })
        : undefined,
    );
    const { dialog } = await open({ action: 'mark_success', tasks: ['load'] });
    expect(
      await dialog.findByText('load is with an executor. Wait for its end, or cancel the whole batch.'),
    ).toBeVisible();
  });
  it('renders a few of 5,000 rows, and finds any of them', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => run(i, `task_${String(i)}`, 'failed'));
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(53);
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(600);
    server((call) =>
      call.path === '/batches/7' ? { body: batch(many) } : plans(plan(many.map((r) => row(r.number, r.key))))(call),
    );
    const { dialog } = await open();
    const drawn = () => screen.getByRole('dialog').querySelectorAll('li');
    expect(await dialog.findByText('Round 2. 5,000 tasks run again. Nothing has changed yet.')).toBeVisible();
    expect(drawn().length).toBeGreaterThan(3);
    expect(drawn().length).toBeLessThan(60);
    fireEvent.change(dialog.getByLabelText('Find a task among 5,000'), { target: { value: 'TASK_4321' } });
    expect(await dialog.findByText('task_4321')).toBeVisible();
    expect(drawn()).toHaveLength(1);
  });
});
