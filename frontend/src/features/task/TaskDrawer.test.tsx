import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '@/api/client';
import { newQueryClient } from '@/api/queries';
import { type Batch, RunStore, type TaskRun } from '@/live';
import { TaskDrawer, type TaskSearch } from '.';

const LOG = [
  'sys sql begins on executor etl-2',
  'out connected',
  'out statement 1 of 1',
  'err error: no such column: precipitation_mm',
  'sys failed after 9ms',
]
  .map((text, i) => `2026-11-21T03:22:58.11${String(i)}Z ${text}\n`)
  .join('');
const ERROR_AT = LOG.indexOf('2026-11-21T03:22:58.113Z');

const definition = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'weather',
  jobs: [
    { key: 'load', tasks: [{ key: 'load', handler: 'sql' }] },
    {
      key: 'sum',
      tasks: [
        {
          key: 'monthly',
          title: 'Rain by month',
          handler: 'sql',
          needs: ['load'],
          params: { connection: 'dw', statement: 'SELECT 1;' },
        },
      ],
    },
    { key: 'publish', tasks: [{ key: 'report', handler: 'shell', needs: ['monthly'] }] },
    { key: 'spread', tasks: [{ key: 'copy', handler: 'shell', shard: { over: 'params.files' } }] },
  ],
};

const run = (number: number, key: string, state: TaskRun['state'], more: Partial<TaskRun> = {}): TaskRun => ({
  number,
  key,
  job: '',
  state,
  reason: '',
  attempts: state === 'waiting' || state === 'skipped' ? 0 : 1,
  executor: 'etl-2',
  error: '',
  round: 1,
  ...more,
});

function storeOf(...tasks: TaskRun[]): RunStore {
  const store = new RunStore();
  store.reset({
    id: 7,
    schedule: 'weather',
    revision: 1,
    kind: 'manual',
    state: 'failed',
    wish: 'run',
    reason: '',
    round: 1,
    live: false,
    moment: '2026-11-21T03:20:00Z',
    createdAt: '2026-11-21T03:20:00Z',
    createdBy: 'ada',
    params: {},
    tasks,
  } as unknown as Batch);
  return store;
}

const failed = () =>
  storeOf(
    run(0, 'load', 'succeeded'),
    run(1, 'monthly', 'failed', {
      reason: 'exit',
      exitCode: 1,
      startedAt: '2026-11-21T03:22:58Z',
      finishedAt: '2026-11-21T03:23:07Z',
    }),
    run(2, 'report', 'skipped', { reason: 'upstream_failed', cause: 'monthly' }),
  );

beforeEach(() => {
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: true,
    media,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
    addListener: vi.fn(),
    removeListener: vi.fn(),
  }));
  const answer = (
    path: string,
    query: Record<string, unknown> = {},
  ): { data: unknown; headers?: Record<string, string> } => {
    if (path.endsWith('/log/find'))
      return {
        data: query.text
          ? { found: false, next: 0, size: LOG.length, complete: true }
          : { found: true, offset: ERROR_AT, line: 4, next: 0, size: LOG.length, complete: true },
      };
    if (path.endsWith('/log')) {
      const offset = Number(query.offset);
      const text = LOG.slice(offset < 0 ? Math.max(LOG.length + offset, 0) : offset);
      return {
        data: new TextEncoder().encode(text).buffer,
        headers: {
          'X-Log-Size': String(LOG.length),
          'X-Log-Next': String(LOG.length),
          'X-Log-Complete': 'true',
          'X-Log-Attempt': '1',
        },
      };
    }
    if (path.endsWith('/why'))
      return {
        data: {
          batch: 7,
          task: 'report',
          state: 'waiting',
          code: 'needs',
          words: '',
          on: [{ task: 'monthly', state: 'running' }],
        },
      };
    return {
      data: {
        items: [
          {
            id: 3,
            task: 'monthly',
            number: 1,
            round: 1,
            executor: 'etl-2',
            state: 'ended',
            outcome: 'failure',
            exitCode: 1,
            offeredAt: '2026-11-21T03:22:58Z',
            notes: ['etl-1 was busy'],
          },
        ],
      },
    };
  };
  vi.spyOn(api, 'GET').mockImplementation(((path: string, init: { params: { query?: Record<string, unknown> } }) => {
    const { data, headers } = answer(path, init.params.query);
    return Promise.resolve({ data, response: new Response(null, { headers }) });
  }) as never);
});

function show(store: RunStore, task: string, search: TaskSearch = {}) {
  const calls = { onSearch: vi.fn(), onClose: vi.fn(), onRepair: vi.fn() };
  const view = render(
    <MantineProvider>
      <QueryClientProvider client={newQueryClient()}>
        <TaskDrawer batch={7} store={store} definition={definition} task={task} search={search} {...calls} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { ...calls, ...view };
}

describe('TaskDrawer', () => {
  it('shows the line of the error, and offers to resume below it', async () => {
    const { onRepair, container } = show(failed(), 'monthly');
    expect(await screen.findByText('1 task was skipped because of this one')).toBeInTheDocument();
    await userEvent.click(await screen.findByRole('button', { name: 'Resume from here…' }));
    expect(onRepair).toHaveBeenCalledWith({ action: 'resume', tasks: ['monthly'] });
    const line = container.querySelector('[data-mark="error"]');
    expect(line).toHaveTextContent('error: no such column: precipitation_mm');
    expect(line).toHaveTextContent('stderr');
    expect(screen.queryByRole('button', { name: 'Resume…' })).not.toBeInTheDocument();
  });

  it('puts a selected line into the address', async () => {
    const { onSearch } = show(failed(), 'monthly');
    await userEvent.click(await screen.findByRole('link', { name: 'Line 2' }));
    expect(onSearch).toHaveBeenCalledWith({ attempt: 1, at: LOG.indexOf('\n') + 1 });
  });

  it('marks the line in the address', async () => {
    const at = LOG.indexOf('\n') + 1;
    const { container } = show(failed(), 'monthly', { at, attempt: 1 });
    await waitFor(() => {
      expect(container.querySelector('[data-mark="link"]')).toHaveTextContent('connected');
    });
  });

  it('names the task that caused a skip, and opens that task', async () => {
    const { onSearch } = show(failed(), 'report');
    expect(screen.getByText(/Skipped because of/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: /^monthly/ }));
    expect(onSearch).toHaveBeenCalledWith({ task: 'monthly', attempt: undefined, at: undefined });
  });

  it('explains why a task does not run', async () => {
    show(storeOf(run(0, 'load', 'succeeded'), run(1, 'monthly', 'running'), run(2, 'report', 'waiting')), 'report');
    expect(await screen.findByText('It waits for another task:')).toBeInTheDocument();
    expect(screen.getByText(/There is no log yet/)).toBeInTheDocument();
  });

  it.each([
    ['waiting', 'The shards are known once the task starts.'],
    ['succeeded', 'There are no shards: the list was empty.'],
    ['canceled', 'The task has no shards.'],
  ] as const)('says why a task with shards has none while it is %s', (state, text) => {
    show(storeOf(run(0, 'copy', state, { attempts: 0 })), 'copy');
    expect(screen.getByText(text)).toBeInTheDocument();
    expect(screen.getAllByRole('tab').map((tab) => tab.dataset.tab)).toEqual(['shards', 'command', 'needs']);
  });

  it('selects tabs by the arrow keys, and closes on Escape', async () => {
    const { onSearch, onClose } = show(failed(), 'monthly', { tab: 'command' });
    expect(within(screen.getByRole('tabpanel')).getByText('SELECT 1;')).toBeInTheDocument();
    screen.getByRole('tab', { name: 'Command' }).focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(onSearch).toHaveBeenCalledWith({ tab: 'outputs' });
    await userEvent.keyboard('{Escape}');
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('lists the attempts with their notes', async () => {
    const { onSearch } = show(failed(), 'monthly', { tab: 'attempts' });
    expect(await screen.findByText('etl-1 was busy')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: /Attempt 1/ }));
    expect(onSearch).toHaveBeenCalledWith({ tab: undefined, attempt: 1, at: undefined });
  });

  it.each([undefined, 'command', 'outputs', 'attempts', 'needs'] as const)(
    'has no fault of accessibility on tab %s',
    async (tab) => {
      const { container } = show(failed(), 'monthly', { tab });
      if (!tab) await screen.findByRole('button', { name: 'Resume from here…' });
      else
        await waitFor(() => {
          expect(screen.getByRole('tabpanel')).not.toBeEmptyDOMElement();
        });
      const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
      expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html)])).toEqual([]);
    },
  );
});
