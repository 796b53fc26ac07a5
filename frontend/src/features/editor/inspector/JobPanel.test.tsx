import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
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
