import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadTexts, setLanguage } from '@/i18n';
import { type Answers, problem, renderPage } from '@/test/page';
import { NIGHT, OVERVIEW } from '@/test/schedules';
import type { Recent, Schedule } from './rows';
import { SchedulesPage } from './SchedulesPage';

const batch = (id: number, over: Partial<Recent> = {}): Recent => ({
  id,
  state: 'succeeded',
  kind: 'scheduled',
  round: 1,
  moment: '2026-11-21T11:00:00.000Z',
  counts: { succeeded: 3 },
  startedAt: '2026-11-21T11:00:00.000Z',
  finishedAt: '2026-11-21T11:00:10.000Z',
  ...over,
});
const schedule = (name: string, over: Partial<Schedule> = {}): Schedule => ({
  name,
  enabled: true,
  revision: 1,
  createdAt: '',
  updatedAt: '',
  ...over,
});
/** A change of a batch of a row. */
const CHANGE = {
  id: 4,
  schedule: 'orders',
  revision: 1,
  kind: 'manual' as const,
  wish: 'run' as const,
  reason: '',
  round: 1,
  live: true,
  moment: '2026-11-21T12:00:00.000Z',
  createdAt: '',
  createdBy: 'ada',
};
/** In the order of the server. */
const ROWS = [
  schedule('warehouse', {
    triggers: ['1 2 3 4 1'],
    recent: [batch(7, { state: 'failed', counts: { failed: 1, skipped: 2 } })],
  }),
  schedule('backup', { enabled: false, triggers: ['30 1 * * 1-5'], nextAt: ['2030-01-01T00:00:00.000Z'] }),
  schedule('orders', {
    title: '<b>Orders</b>',
    triggers: ['5 * * * *'],
    recent: [batch(1), batch(2), batch(3)],
    usualSeconds: 48,
  }),
];

function show(over: Answers = {}, at = '/') {
  return renderPage(SchedulesPage, {
    at,
    path: '/',
    answers: {
      'GET /api/v1/overview': () => OVERVIEW,
      'GET /api/v1/schedules': () => ({ items: ROWS }),
      'GET /api/v1/night': () => NIGHT,
      'GET /api/v1/night/open': () => ({ items: [], count: 0 }),
      ...over,
    },
  });
}
const names = () => [...document.querySelectorAll('tbody th')].map((head) => head.querySelector('a')?.textContent);
const row = (name: string) => screen.getByRole('link', { name }).closest('tr') as HTMLElement;

describe('the schedules page', () => {
  beforeEach(() => setLanguage('en'));

  it('lists schedules in the order of the server, with the reason of those that need a person', async () => {
    show();
    await screen.findByRole('link', { name: 'warehouse' });
    expect(names()).toEqual(['warehouse', 'backup', 'orders']);
    expect(row('warehouse')).toHaveTextContent('failed, 2 skipped');
    expect(row('warehouse')).toHaveTextContent('1 2 3 4 1');
    expect(row('orders')).toHaveTextContent('every hour at :05');
    expect(row('orders')).toHaveTextContent('<b>Orders</b>');
    expect(row('orders')).toHaveTextContent('48 s');
    expect(row('backup')).toHaveTextContent('01:30 on weekdays');
    expect(row('backup')).toHaveTextContent('disabled');
    expect(within(row('warehouse')).getByRole('button', { name: 'Resume warehouse…' })).toBeInTheDocument();
    expect(within(row('orders')).getByRole('button', { name: 'Run orders…' })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: '98.7% succeeded, 30 days' })).toHaveAttribute(
      'href',
      '/batches?state=succeeded&since=30d',
    );
    expect(screen.getByRole('link', { name: '3 executors · 2 of 48 slots' })).toHaveAttribute('href', '/executors');
    expect(document.title).toBe('Schedules · HiveGo');
  });

  it('says that a schedule is finished, and how to go on', async () => {
    const once = 'at 2026-11-20T18:00';
    const ended = schedule('once', { triggers: [once], finished: 'ended' });
    const off = schedule('off', { triggers: [once], finished: 'ended', enabled: false });
    show({
      'GET /api/v1/schedules': () => ({ items: [ended, off] }),
      'GET /api/v1/schedules/once': () => ended,
    });
    const link = await screen.findByRole('link', { name: 'finished' });
    expect(row('once')).toHaveTextContent('once, at 2026-11-20 18:00');
    expect(link).toHaveAttribute('href', '/schedules/once?view=settings');
    await userEvent.hover(link);
    expect(await screen.findByText(/None of its triggers is due any more\. To go on,/)).toBeInTheDocument();
    expect(row('off')).toHaveTextContent('disabled');
    expect(row('off')).not.toHaveTextContent('finished');
  });

  it('says so once its last moment has passed', async () => {
    const once = { triggers: ['at 2026-11-21T18:00'], nextAt: ['2026-11-21T10:00:00.000Z'] };
    show({
      'GET /api/v1/schedules': () => ({ items: [schedule('once', once)] }),
      'GET /api/v1/schedules/once': () => schedule('once', { ...once, nextAt: undefined, finished: 'ended' }),
    });
    await screen.findByRole('link', { name: 'once' });
    expect(screen.queryByRole('link', { name: 'finished' })).toBeNull();
    expect(await screen.findByRole('link', { name: 'finished' }, { timeout: 5_000 })).toBeInTheDocument();
  });

  it('shows alarms about undecided ticks first', async () => {
    const since = '2026-11-21T11:00:00.000Z';
    show({
      'GET /api/v1/overview': () => ({
        ...OVERVIEW,
        alarms: [
          { reason: 'clock_jumped', params: { off: '3h0m0s', steady: '30s' }, detail: 'not shown', since },
          { reason: 'not_stored', schedule: 'orders', detail: 'not shown', since },
          { reason: 'not known yet', schedule: 'backup', detail: 'in the words of the server', since },
        ],
      }),
    });
    const region = await screen.findByRole('alert', { name: 'Ticks are not decided' });
    expect(region).toHaveTextContent('The clock of this server jumped by 3h0m0s');
    expect(region).toHaveTextContent('Ticks of orders are not decided');
    expect(region).toHaveTextContent('The decisions cannot be stored');
    expect(region).toHaveTextContent('in the words of the server');
    expect(region).not.toHaveTextContent('not shown');
  });

  it('shows no alarm without undecided ticks', async () => {
    show();
    await screen.findByRole('link', { name: 'warehouse' });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('sorts and searches by its address', async () => {
    const { router, calls } = show({
      'GET /api/v1/schedules': ({ url }) =>
        url.searchParams.get('find') ? { items: [], count: 0, total: 3 } : { items: ROWS, count: 3, total: 3 },
    });
    await screen.findByRole('link', { name: 'warehouse' });
    const heads = () => screen.getByRole('columnheader', { name: 'Schedule' });
    await userEvent.click(within(heads()).getByRole('button'));
    expect(heads()).toHaveAttribute('aria-sort', 'ascending');
    await userEvent.click(within(heads()).getByRole('button'));
    expect(heads()).toHaveAttribute('aria-sort', 'descending');
    expect(names()).toEqual(['warehouse', 'orders', 'backup']);
    await userEvent.type(screen.getByRole('searchbox'), 'zz');
    expect(router.state.location.search).toEqual({ sort: 'name', desc: true, q: 'zz' });
    expect(await screen.findByText('No schedule matches')).toBeInTheDocument();
    expect(screen.getByText('0 of 3')).toBeInTheDocument();
    const asked = calls.filter((c) => c.url.pathname === '/api/v1/schedules').map((c) => c.url.search);
    expect(asked[0]).toBe('?sort=need&limit=50');
    expect(asked.at(-1)).toBe('?find=zz&sort=name&desc=true&limit=50');
    await userEvent.click(screen.getByRole('button', { name: 'Show all' }));
    expect(await screen.findByRole('link', { name: 'warehouse' })).toBeInTheDocument();
    expect(names()).toEqual(['warehouse', 'orders', 'backup']);
  });

  it('filters by the owner of its address', async () => {
    const { router, calls } = show({}, '/?owner=ada&tag=dwh');
    await screen.findByRole('link', { name: 'warehouse' });
    const asked = () => calls.filter((c) => c.url.pathname === '/api/v1/schedules').map((c) => c.url.search);
    expect(asked()).toEqual(['?tag=dwh&owner=ada&sort=need&limit=50']);
    await userEvent.click(screen.getByRole('button', { name: 'owner ada' }));
    await waitFor(() => {
      expect(router.state.location.search).toEqual({ tag: 'dwh' });
    });
    await waitFor(() => {
      expect(asked().at(-1)).toBe('?tag=dwh&sort=need&limit=50');
    });
  });

  it('reads a page, and the next one on demand', async () => {
    const { calls } = show({
      'GET /api/v1/schedules': ({ url }) =>
        url.searchParams.get('after')
          ? { items: [schedule('b'), schedule('c')] } // b has moved meanwhile
          : { items: [schedule('a'), schedule('b')], next: '3~b', count: 3, total: 3 },
    });
    expect(await screen.findByText('3 schedules')).toBeInTheDocument();
    const afters = () =>
      calls.filter((c) => c.url.pathname === '/api/v1/schedules').map((c) => c.url.searchParams.get('after'));
    expect(afters()).toEqual([null]);
    expect(names()).toEqual(['a', 'b']);
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }));
    expect(await screen.findByRole('link', { name: 'c' })).toBeInTheDocument();
    expect(afters()).toEqual([null, '3~b']);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('reads the rows again when a schedule that it does not show may come to the top', async () => {
    const { calls, frame } = show({ 'GET /api/v1/schedules': () => ({ items: ROWS, next: '3~x' }) });
    await screen.findByRole('link', { name: 'orders' });
    const reads = () => calls.filter((c) => c.url.pathname === '/api/v1/schedules').length;
    frame('batches', { op: 'snapshot', batches: [] });
    frame('batches', { batches: [{ ...CHANGE, id: 5, schedule: 'other', state: 'failed', live: false }] });
    await waitFor(() => {
      expect(reads()).toBe(2);
    });
  });

  it('moves a row to where the server has it after a live change, and does not read for mere progress', async () => {
    let items = ROWS;
    const { calls, frame } = show({ 'GET /api/v1/schedules': () => ({ items }) });
    await screen.findByRole('link', { name: 'orders' });
    frame('batches', { op: 'snapshot', batches: [] });
    const progress = { ...CHANGE, id: 3, kind: 'scheduled' as const, state: 'succeeded' as const, live: false };
    const reads = () => calls.filter((c) => c.url.pathname === '/api/v1/schedules').length;
    frame('batches', { batches: [{ ...progress, counts: { succeeded: 2, running: 1 } }] });
    expect(reads()).toBe(1);
    const [warehouse, backup, orders] = ROWS as [Schedule, Schedule, Schedule];
    items = [warehouse, { ...orders, recent: [batch(4, { state: 'running' })] }, backup];
    frame('batches', { batches: [{ ...CHANGE, state: 'running' }] });
    await waitFor(() => {
      expect(names()).toEqual(['warehouse', 'orders', 'backup']);
    });
    expect(reads()).toBe(2);
  });

  it('updates a row when its batches change, before the server answers', async () => {
    const answers = [{ items: ROWS }];
    const { frame } = show({ 'GET /api/v1/schedules': () => answers.pop() ?? new Promise(() => undefined) });
    await screen.findByRole('link', { name: 'orders' });
    frame('batches', { op: 'snapshot', batches: [] });
    frame('batches', { batches: [{ ...CHANGE, state: 'running', counts: { succeeded: 1, running: 2 } }] });
    await waitFor(() => {
      expect(row('orders')).toHaveTextContent('running, 1 of 3');
    });
    frame('batches', { batches: [{ ...CHANGE, state: 'failed', live: false, counts: { failed: 1, succeeded: 2 } }] });
    expect(await within(row('orders')).findByRole('button', { name: 'Resume orders…' })).toBeInTheDocument();
  });

  it('keeps a change that arrives before an older response', async () => {
    let respond: (() => void) | undefined;
    const { frame, client } = show({
      'GET /api/v1/schedules': () =>
        respond === undefined
          ? { items: ROWS }
          : new Promise((resolve) => {
              respond = () => {
                resolve({ items: ROWS });
              };
            }),
    });
    await screen.findByRole('link', { name: 'orders' });
    frame('batches', { op: 'snapshot', batches: [] });
    respond = () => undefined;
    void client.invalidateQueries({ queryKey: ['schedules'] });
    await waitFor(() => {
      expect(client.isFetching({ queryKey: ['schedules'] })).toBe(1);
    });
    frame('batches', { batches: [{ ...CHANGE, state: 'failed', live: false, counts: { failed: 1 } }] });
    expect(await within(row('orders')).findByRole('button', { name: 'Resume orders…' })).toBeInTheDocument();
    act(() => {
      respond?.();
    });
    await waitFor(() => {
      expect(client.isFetching({ queryKey: ['schedules'] })).toBe(0);
    });
    expect(await within(row('orders')).findByRole('button', { name: 'Resume orders…' })).toBeInTheDocument();
  });

  it('has one tab stop for all bars, and arrow keys between them', async () => {
    show();
    const bars = within(await screen.findByRole('list', { name: 'Latest batches of orders' })).getAllByRole('link');
    expect(bars.map((b) => b.tabIndex)).toEqual([-1, -1, 0]);
    expect(bars[2]).toHaveAccessibleName(/succeeded · 10 s$/);
    expect(bars[2]).toHaveAttribute('href', '/batches/3');
    bars[2]?.focus();
    await userEvent.keyboard('{ArrowLeft}');
    expect(bars[1]).toHaveFocus();
    expect(bars.map((b) => b.tabIndex)).toEqual([-1, 0, -1]);
    await userEvent.keyboard('{Home}{ArrowLeft}');
    expect(bars[0]).toHaveFocus();
  });

  it('disables a schedule at once, and reverts the change if the server refuses', async () => {
    let refuse: (answer: Response) => void = () => undefined;
    const { calls } = show({
      'PUT /api/v1/schedules/orders/enabled': () =>
        new Promise((resolve) => {
          refuse = resolve;
        }),
    });
    await screen.findByRole('link', { name: 'orders' });
    expect(row('orders')).not.toHaveTextContent('disabled');
    await userEvent.click(within(row('orders')).getByRole('button', { name: 'More for orders' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: /^Disable/ }));
    await waitFor(() => {
      expect(row('orders')).toHaveTextContent('disabled');
    });
    expect(calls.at(-1)).toMatchObject({ method: 'PUT', body: { enabled: false } });
    refuse(problem(403, 'forbidden', 'no'));
    await waitFor(() => {
      expect(row('orders')).not.toHaveTextContent('disabled');
    });
  });

  it('runs a schedule while its latest batch waits for a person', async () => {
    show();
    await screen.findByRole('link', { name: 'warehouse' });
    await userEvent.click(within(row('warehouse')).getByRole('button', { name: 'More for warehouse' }));
    expect((await screen.findAllByRole('menuitem'))[0]).toHaveTextContent('Run…');
    await userEvent.keyboard('{Escape}');
    await userEvent.click(within(row('orders')).getByRole('button', { name: 'More for orders' }));
    await waitFor(() => {
      expect(screen.getAllByRole('menuitem')[0]).toHaveTextContent('Run one task…');
    });
  });

  it('explains how to create the first schedule', async () => {
    show({ 'GET /api/v1/schedules': () => ({ items: [] }) });
    expect(await screen.findByText('There are no schedules yet')).toBeInTheDocument();
    expect(screen.getByText(/hivego apply -f hello.yaml/)).toBeInTheDocument();
  });

  it('shows an error, and retries', async () => {
    let times = 0;
    show({ 'GET /api/v1/schedules': () => (times++ === 0 ? problem(500, 'internal', 'x') : { items: ROWS }) });
    await userEvent.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: 'warehouse' })).toBeInTheDocument();
  });

  it('shows the night, and what failed and is open', async () => {
    await loadTexts('night');
    const open = (id: number) => ({
      id,
      schedule: 'warehouse',
      kind: 'scheduled',
      round: 1,
      moment: NIGHT.now,
      failedAt: NIGHT.now,
      task: 'core',
      error: 'no such column\nline 2',
      counts: { failed: 1, skipped: 5 },
      waiting: id === 7 ? ['mart'] : undefined,
      takenBy: id === 6 ? 'bob' : undefined,
    });
    const bar = { id: 7, state: 'failed', moment: NIGHT.now, begin: NIGHT.from, end: NIGHT.now, open: true };
    show({
      'GET /api/v1/night': () => ({
        ...NIGHT,
        rows: [{ schedule: 'warehouse', state: 'failed', bars: [bar], ticks: [{ moment: NIGHT.to }] }],
      }),
      'GET /api/v1/night/open': () => ({ items: [open(7), open(6)], count: 2 }),
    });
    const section = await screen.findByRole('region', { name: 'Open' });
    expect(await within(section).findByText('2 failed batches that nobody has settled')).toBeInTheDocument();
    expect(section).toHaveTextContent('no such column');
    expect(section).not.toHaveTextContent('line 2');
    expect(section).toHaveTextContent('mart waits · 5 tasks skipped');
    expect(section).toHaveTextContent('bob is on it');
    const [first, second] = within(section).getAllByRole('button', { name: /^Resume warehouse/ });
    expect(first).toHaveAttribute('data-variant', 'filled');
    expect(second).toHaveAttribute('data-variant', 'default');
    const band = await screen.findByRole('application');
    band.focus();
    await userEvent.keyboard('{Home}');
    expect(await screen.findByText(/^warehouse, .*: failed · nobody has settled it/)).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Table' }));
    expect(screen.getByRole('row', { name: /warehouse.*failed.*due/ })).toBeInTheDocument();
  });

  it('is shown in Chinese', async () => {
    await setLanguage('zh');
    show();
    await screen.findByRole('link', { name: 'orders' });
    expect(row('orders')).toHaveTextContent('每小时 :05');
    expect(row('warehouse')).toHaveTextContent('失败，2 个略过');
  });
});
