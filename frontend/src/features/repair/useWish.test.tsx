import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { renderPage } from '@/test/render';
import { type Answer, type Call, LOST } from '@/test/server';
import { applied, clearToasts, DONE, type MaybeAnswer, plan, plans, row, server } from './testing';
import { useWish } from './useWish';

beforeEach(clearToasts);

describe('wishes', () => {
  function page() {
    renderPage(function Page() {
      const wish = useWish(7);
      return (
        <>
          <button type="button" onClick={wish.pause}>
            pause
          </button>
          <button type="button" onClick={wish.cancel}>
            cancel
          </button>
          <output>{wish.pending ?? 'none'}</output>
          {wish.node}
        </>
      );
    });
  }
  const wishes = (calls: Call[]) => calls.filter((c) => c.path === '/batches/7/wish');

  it('sends a pause at once, and shows it until it is confirmed', async () => {
    let confirm: (answer: Answer) => void = () => undefined;
    const calls = server((call) =>
      call.path === '/batches/7/wish'
        ? new Promise<Answer>((resolve) => {
            confirm = resolve;
          })
        : undefined,
    );
    page();
    const button = await screen.findByText('pause');
    fireEvent.click(button);
    fireEvent.click(button);
    expect(screen.getByText('pause', { selector: 'output' })).toBeVisible();
    await waitFor(() => {
      expect(wishes(calls)).toHaveLength(1);
    });
    confirm({ body: { ...DONE, kind: 'wish' } });
    expect(await screen.findByText('none')).toBeVisible();
    expect(screen.getByText('Paused: nothing new starts')).toBeVisible();
    expect(wishes(calls)).toHaveLength(1);
  });
  it('keeps the key after a lost answer, and tells the user what to do', async () => {
    const answers: MaybeAnswer[] = [LOST, { body: { ...DONE, kind: 'wish' } }];
    const calls = server((call) => (call.path === '/batches/7/wish' ? answers.shift() : undefined));
    page();
    fireEvent.click(await screen.findByText('pause'));
    expect(await screen.findByText(/The server cannot be reached/)).toBeVisible();
    expect(await screen.findByText('none')).toBeVisible(); // clicks before it has settled count for the first one
    fireEvent.click(screen.getByText('pause'));
    expect(await screen.findByText('Paused: nothing new starts')).toBeVisible();
    const [one, two] = wishes(calls);
    expect(two).toEqual(one);
  });
  it('cancels after a preview, even if the batch changes meanwhile', async () => {
    const all = plan(
      [
        row(1, 'load', { from: 'running', to: 'canceled', kill: true, why: 'asked' }),
        row(4, 'report', { from: 'waiting', to: 'canceled', why: 'asked' }),
      ],
      { action: 'cancel', round: 1 },
    );
    const calls = server(
      (call) => (call.path === '/batches/7/wish' ? { body: { ...DONE, kind: 'wish' } } : plans(all)(call)),
      { live: true, state: 'running' },
    );
    page();
    fireEvent.click(await screen.findByText('cancel'));
    const dialog = within(await screen.findByRole('dialog'));
    expect(await dialog.findByText('1 task runs now and is killed.')).toBeVisible();
    expect(dialog.getByText('Let it run')).toBeVisible();
    fireEvent.click(dialog.getByText('Cancel 2 tasks'));
    expect(await screen.findByText('2 tasks are being canceled')).toBeVisible();
    expect(wishes(calls).map((c) => c.body)).toEqual([{ wish: 'cancel' }]);
    expect(applied(calls)).toEqual([]);
  });
});
