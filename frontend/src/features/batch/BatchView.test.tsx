import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Definition } from '@/api/definition';
import { FindContext, newRegistry } from '@/features/find/registry';
import { loadTexts, setLanguage } from '@/i18n';
import { type Batch, RunStore } from '@/live';
import { problem, renderPage } from '@/test/page';
import { BatchView } from './BatchView';

const nothing = vi.fn();
vi.mock('./useAddress', () => ({
  useAddress: () => ({
    search: { view: 'table', task: 'a' },
    change: nothing,
    select: nothing,
    show: nothing,
    filter: nothing,
  }),
}));

const DEFINITION = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'orders',
  jobs: [{ key: 'j', tasks: [{ key: 'a', handler: 'shell' }] }],
} as unknown as Definition;
const BATCH = {
  id: 7,
  schedule: 'orders',
  revision: 1,
  kind: 'scheduled',
  state: 'failed',
  wish: 'run',
  reason: '',
  round: 1,
  live: false,
  moment: '2026-11-21T03:20:00.000Z',
  createdAt: '2026-11-21T03:20:00.000Z',
  createdBy: '',
  params: {},
  tasks: [
    {
      number: 0,
      key: 'a',
      job: 'j',
      state: 'failed',
      reason: 'exit',
      exitCode: 1,
      attempts: 1,
      executor: 'e',
      error: 'boom',
      round: 1,
    },
  ],
} as unknown as Batch;

/** Renders the page of a failed batch. `schedule` is the answer of the server to a question for the schedule. */
function show(deleted: boolean, schedule?: { createdAt: string }) {
  const store = new RunStore();
  store.reset(BATCH);
  const registry = newRegistry();
  const find = { registry, openBar: nothing, openKeys: nothing };
  renderPage(
    () => (
      <FindContext value={find}>
        <BatchView
          batch={BATCH}
          store={store}
          definition={DEFINITION}
          deleted={deleted}
          problem={undefined}
          retry={nothing}
        />
      </FindContext>
    ),
    {
      at: '/batches/7',
      path: '/batches/$id',
      answers: {
        'GET /api/v1/schedules/orders': () => schedule ?? problem(404, 'not_found', 'there is no schedule "orders"'),
      },
    },
  );
  return { commands: () => registry.list().flatMap((part) => part.commands ?? []) };
}

const ACTION = /Resume|Rerun|Mark|Skip|Cancel|Run again|Close…|More|Edit/;
const actions = () => screen.queryAllByRole('button', { name: ACTION });
const toSchedule = () => [...document.querySelectorAll('a')].filter((a) => a.href.includes('/schedules/orders'));

describe('the page of a batch that was deleted while it is open', () => {
  beforeEach(async () => {
    await Promise.all([setLanguage('en'), loadTexts('batch'), loadTexts('task')]);
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200);
  });

  it('offers no action, and leads to all batches if its schedule was deleted, too', async () => {
    const { commands } = show(true);
    expect(await screen.findByText(/The schedule orders was deleted, and its batches with it\./)).toBeVisible();
    expect(await screen.findByRole('region', { name: /a/ })).toBeInTheDocument();
    expect(await screen.findByRole('button', { name: 'a' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'To all batches' })).toHaveAttribute('href', '/batches');
    expect(actions()).toEqual([]);
    expect(screen.queryByRole('checkbox')).toBeNull();
    expect(toSchedule()).toEqual([]);
    expect(commands()).toEqual([]);
  });

  it('says so of a schedule that was made again under the same name', async () => {
    show(true, { createdAt: '2026-11-22T00:00:00.000Z' });
    expect(await screen.findByText(/The schedule orders was deleted/)).toBeVisible();
    expect(toSchedule()).toEqual([]);
  });

  it('leads to the other batches of its schedule', async () => {
    show(true, { createdAt: '2026-01-01T00:00:00.000Z' });
    expect(await screen.findByText(/orders keeps its batches only for a time\./)).toBeVisible();
    expect(screen.getByRole('link', { name: 'To the batches of orders' })).toBeVisible();
    expect(actions()).toEqual([]);
  });

  it('has actions before it is deleted', async () => {
    const { commands } = show(false, { createdAt: '2026-01-01T00:00:00.000Z' });
    expect(await screen.findByRole('button', { name: 'a' })).toBeInTheDocument();
    expect(actions().length).toBeGreaterThan(3);
    expect(screen.getAllByRole('checkbox').length).toBeGreaterThan(0);
    expect(commands().map(({ id }) => id)).toContain('resume');
  });
});
