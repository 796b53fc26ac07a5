import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Call, LOST, refusal } from '@/test/server';
import {
  applied,
  clearToasts,
  DONE,
  type MaybeAnswer,
  open,
  plan,
  planned,
  plans,
  RESUME,
  row,
  server,
  show,
} from './testing';

beforeEach(clearToasts);

describe('applying', () => {
  const twice = (first: MaybeAnswer, then: MaybeAnswer = { body: { ...DONE, plan: RESUME } }) => {
    let n = 0;
    return (call: Call): MaybeAnswer => {
      if (call.path === '/batches/7/repairs') return n++ === 0 ? first : then;
      return plans(RESUME)(call);
    };
  };

  it('applies the plan once for two clicks, and confirms it', async () => {
    const calls = server(twice({ body: { ...DONE, plan: RESUME } }));
    const { dialog } = await open();
    const button = await dialog.findByRole('button', { name: 'Resume 2 tasks' });
    fireEvent.click(button);
    fireEvent.click(button);
    expect(await screen.findByText('Round 2 has begun')).toBeVisible();
    expect(applied(calls)).toHaveLength(1);
    expect(applied(calls)[0]?.body).toEqual({ action: 'resume', hash: 'h1' });
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
  });
  it('repeats the same request with the same key after a lost answer', async () => {
    const calls = server(twice(LOST));
    const { user, dialog } = await open();
    await user.type(await dialog.findByLabelText('Why (optional)'), 'renamed');
    await user.click(dialog.getByText('Resume 2 tasks'));
    expect(await dialog.findByText('The answer was lost')).toBeVisible();
    expect(dialog.getByLabelText('Why (optional)')).toHaveAttribute('readonly');
    await user.click(dialog.getByText('Try again'));
    expect(await screen.findByText('Round 2 has begun')).toBeVisible();
    const [one, two] = applied(calls);
    expect(one?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(two).toEqual(one);
  });
  it('shows the new plan, with its changes marked, if the batch has changed', async () => {
    const replaced = plan([row(2, 'monthly'), row(3, 'extremes', { why: 'failed' })], { hash: 'h2' });
    const answers = [refusal(409, 'conflict', { reason: 'plan_moved' }), { body: { ...DONE, plan: replaced } }];
    const calls = server((call) => {
      if (call.path === '/batches/7/repairs') return answers.shift();
      return plans(answers.length < 2 ? replaced : RESUME)(call);
    });
    const { user, dialog } = await open();
    await user.click(await dialog.findByText('Resume 2 tasks'));
    expect(await dialog.findByText('The batch has changed since you saw the plan.')).toBeVisible();
    expect(dialog.getByText('No longer in it: report')).toBeVisible();
    expect(within(dialog.getByText('extremes').closest('li') as HTMLElement).getByText('changed')).toBeVisible();
    await user.click(dialog.getByText('Resume 2 tasks'));
    expect(await screen.findByText('Round 2 has begun')).toBeVisible();
    const [one, two] = applied(calls);
    expect(two?.body).toEqual({ action: 'resume', hash: 'h2' });
    expect(two?.key).not.toBe(one?.key);
  });
  it('reports that another user was faster', async () => {
    let mine = false;
    server((call) => {
      if (call.path === '/batches/7/repairs') {
        mine = true;
        return refusal(409, 'conflict', { reason: 'plan_moved' });
      }
      return plans(mine ? plan([], { hash: 'h9' }) : RESUME)(call);
    });
    const { user, dialog } = await open();
    await user.click(await dialog.findByText('Resume 2 tasks'));
    expect(await dialog.findByText(/nothing is left to do here/)).toBeVisible();
  });
  it('waits for the owner of the batch if the order is only stored', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      let polls = 0;
      server((call) => {
        if (call.path === '/batches/7/repairs') return { status: 202, body: { ...DONE, state: 'pending' } };
        if (call.path === '/commands/1') return ++polls < 2 ? LOST : { body: { ...DONE, plan: RESUME } };
        return plans(RESUME)(call);
      });
      show();
      fireEvent.click(await screen.findByText('open'));
      fireEvent.click(await screen.findByText('Resume 2 tasks'));
      expect(await screen.findByText('Stored. It waits for the owner of the batch.')).toBeVisible();
      await vi.advanceTimersByTimeAsync(2100);
      expect(await screen.findByText('Round 2 has begun')).toBeVisible();
      expect(polls).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });
  it('closes a batch only with a note', async () => {
    const calls = server((call) => (call.path === '/batches/7/repairs' ? { body: DONE } : undefined));
    const { user, dialog } = await open({ action: 'close' });
    await user.click(await dialog.findByText('Close the batch'));
    expect(dialog.getByText(/Say why it is left as it is/)).toBeVisible();
    expect(dialog.getByRole('textbox')).toHaveFocus();
    await user.type(dialog.getByRole('textbox'), 'not needed');
    await user.click(dialog.getByText('Close the batch'));
    expect(await screen.findByText('Closed')).toBeVisible();
    expect(applied(calls).map((c) => c.body)).toEqual([{ action: 'close', note: 'not needed' }]);
    expect(planned(calls)).toEqual([]);
  });
});
