import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { taskOf } from '@/document';
import { fakeServer } from '@/test/server';
import { Inspector } from '../Inspector';
import { DOC, show } from '../testing';

beforeEach(() => {
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: true,
    media,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
    addListener: vi.fn(),
    removeListener: vi.fn(),
  }));
  fakeServer(() => ({ body: { items: [] } }));
});

describe('several tasks', () => {
  it('have one pool, and keep their slots of it', async () => {
    const [extract, ...others] = DOC.jobs;
    const tasks = extract?.tasks?.map((task, i) => ({ ...task, pool: { name: `p${String(i)}`, slots: i + 2 } }));
    const doc = { ...DOC, jobs: [{ key: 'extract', tasks }, ...others] };
    const s = show(<Inspector />, { doc, select: { tasks: ['a', 'b', 'd'] } });
    await userEvent.type(await screen.findByLabelText('Pool'), 'dw');
    expect(['a', 'b', 'd'].map((key) => taskOf(s.doc(), key)?.pool)).toEqual([
      { name: 'dw', slots: 2 },
      { name: 'dw', slots: 3 },
      { name: 'dw' },
    ]);
    s.store.getState().undo();
    expect(s.doc()).toEqual(doc);
  });

  it.each([
    [undefined, '5'],
    [8, '8'],
  ])('without a priority show that of the schedule: %j', async (priority, shown) => {
    show(<Inspector />, { doc: { ...DOC, policy: { priority } }, select: { tasks: ['a', 'b'] } });
    expect(await screen.findByLabelText('Priority')).toHaveAttribute('placeholder', shown);
  });
});
