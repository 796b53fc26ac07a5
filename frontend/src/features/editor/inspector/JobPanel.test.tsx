import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { taskOf } from '@/document';
import { fakeServer } from '@/test/server';
import { Inspector } from './Inspector';
import { DOC, show } from './testing';

beforeEach(() => {
  const listen = { addEventListener: vi.fn(), removeEventListener: vi.fn() };
  vi.stubGlobal('matchMedia', (media: string) => ({ matches: true, media, ...listen }));
  fakeServer(() => ({ body: { items: [] } }));
});

it('disables a job in one step to undo, and the forms of its tasks say so', async () => {
  const s = show(<Inspector />, { select: { tasks: [], job: 'extract' } });
  await userEvent.click(screen.getByRole('checkbox', { name: 'Disabled' }));
  expect(s.doc().jobs[0]?.disabled).toBe(true);
  act(() => {
    s.store.getState().select({ tasks: ['a'] });
  });
  await userEvent.click(screen.getByText('More'));
  expect(screen.getByText('Its job extract is disabled, so the task does not run.')).toBeInTheDocument();
  act(() => {
    s.store.getState().undo();
  });
  expect(s.doc()).toEqual(DOC);
});

it('edits the defaults of a job, and the forms of its tasks show them as inherited', async () => {
  const s = show(<Inspector />, { select: { tasks: [], job: 'extract' } });
  await userEvent.click(screen.getByText('Defaults for its tasks'));
  await userEvent.type(await screen.findByLabelText('Group'), 'etl{Enter}');
  await userEvent.type(screen.getByLabelText('Retries: how often'), '2');
  await userEvent.type(screen.getByLabelText('Priority'), '7');
  expect(s.doc().jobs[0]?.defaults).toEqual({ group: 'etl', retry: { max: 2 }, priority: 7 });

  act(() => {
    s.store.getState().select({ tasks: ['a'] });
  });
  expect(await screen.findByLabelText('Group')).toHaveAttribute('placeholder', 'from job extract: etl');
  expect(screen.getByText('from job extract: 2 times')).toBeInTheDocument();
  // A task may write the standard value, and 0 retries: both override the job.
  await userEvent.type(screen.getByLabelText('Group'), 'default{Enter}');
  await userEvent.type(screen.getByLabelText('Retries: how often'), '0');
  expect(taskOf(s.doc(), 'a')).toMatchObject({ group: 'default', retry: { max: 0 } });
  await userEvent.clear(screen.getByLabelText('Retries: how often'));
  expect(taskOf(s.doc(), 'a')).not.toHaveProperty('retry');
});
