import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { type Answers, problem, renderPage } from '@/test/page';
import type { Executor } from './executors';
import { ExecutorsPage } from './ExecutorsPage';

const executor = (name: string, over: Partial<Executor> = {}): Executor => ({
  id: name,
  name,
  group: 'etl',
  address: 'box:9999',
  state: 'online',
  offline: false,
  slots: 8,
  running: 2,
  durable: true,
  handlers: [{ name: 'shell', description: 'runs a command' }],
  labels: { zone: 'eu' },
  ...over,
});

const disk = {
  databaseBytes: 598_016,
  databaseFreeBytes: 0,
  databaseHere: true,
  logBytes: 1536,
  measuredAt: '2026-11-26T12:00:00Z',
  freeBytes: 67_719_969_720,
  totalBytes: 270_553_174_016,
};

function show(over: Answers = {}, admin = true) {
  return renderPage(ExecutorsPage, {
    at: '/executors',
    path: '/executors',
    answers: {
      'GET /api/v1/me': () => ({ name: 'ada', admin }),
      'GET /api/v1/executors': () => ({ items: [executor('e1'), executor('e2', { state: 'lost' })] }),
      'GET /api/v1/executor-groups': () => ({ items: [{ name: 'etl', route: 'least_loaded', executors: 2 }] }),
      'GET /api/v1/disk': () => disk,
      ...over,
    },
  });
}

describe('the executors page', () => {
  beforeEach(() => setLanguage('en'));

  it('shows executors by group', async () => {
    show();
    expect(await screen.findByRole('heading', { name: /Group etl/ })).toHaveTextContent('4 of 8 slots in use');
    const [e1, e2] = screen.getAllByRole('row').slice(1);
    for (const text of ['e1', 'online', 'box:9999', '2 of 8 slots', 'shell', 'zone=eu'])
      expect(e1).toHaveTextContent(text);
    expect(e2).toHaveTextContent('lost');
    expect(screen.getAllByRole('meter')[0]).toHaveAttribute('aria-valuenow', '2');
  });

  it.each([
    [{}, 'known after a day', false],
    [{ growthPerDay: 0, growthOverDays: 7 }, 'none in the last days', false],
    [{ growthPerDay: 2 ** 30, daysLeft: 63 }, '1 GiB a day: the disk lasts 63 days', false],
    [{ growthPerDay: 2 ** 36, daysLeft: 1 }, '64 GiB a day: the disk lasts 1 day', true],
  ])('shows the disk of the server, with growth %j', async (growth, text, short) => {
    show({ 'GET /api/v1/disk': () => ({ ...disk, ...growth }) });
    const storage = await screen.findByRole('region', { name: 'Storage of the server' });
    for (const t of ['584 KiB', '1.5 KiB', '63.1 GiB of 252 GiB free']) expect(storage).toHaveTextContent(t);
    const growing = within(storage).getByText(text).parentElement;
    expect(growing?.dataset['short']).toBe(String(short));
  });

  it('explains the effect before it takes an executor offline', async () => {
    const { calls } = show({ 'PUT /api/v1/executors/e1/offline': () => ({ offline: true }) });
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for e1' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Take offline…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Take e1 offline?' });
    expect(dialog).toHaveTextContent('What it runs goes on to its end.');
    expect(dialog).toHaveTextContent('It runs 2 attempts now.');
    expect(calls.some((c) => c.method === 'PUT')).toBe(false);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Take offline' }));
    await waitFor(() => {
      expect(calls.find((c) => c.method === 'PUT')).toMatchObject({ body: { offline: true } });
    });
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    });
  });

  it('shows the route of a group, and lets administrators set it', async () => {
    const { calls } = show({ 'PUT /api/v1/executor-groups/etl': () => ({ name: 'etl', route: 'last', executors: 2 }) });
    expect(await screen.findByText('Route: least loaded')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Change the route… etl' }));
    const dialog = await screen.findByRole('dialog', { name: 'Route of group etl' });
    await userEvent.selectOptions(within(dialog).getByLabelText('Route'), 'last');
    expect(within(dialog).getByText(/^The last executor by name/)).toBeInTheDocument();
    await userEvent.type(within(dialog).getByLabelText('Why (optional)'), 'tests');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Set the route' }));
    await waitFor(() => {
      expect(calls.find((c) => c.method === 'PUT')).toMatchObject({ body: { route: 'last', reason: 'tests' } });
    });
  });

  it('shows the route of a group to everybody, and the change only to administrators', async () => {
    show({}, false);
    expect(await screen.findByText('Route: least loaded')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /Change the route/ })).not.toBeInTheDocument();
  });

  it('shows why an executor cannot be removed', async () => {
    show({ 'DELETE /api/v1/executors/e1': () => problem(409, 'conflict', 'e1 holds 2 attempts') });
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for e1' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Forget…' }));
    await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Forget' }));
    expect(await within(screen.getByRole('dialog')).findByText('e1 holds 2 attempts')).toBeInTheDocument();
  });

  it('creates the token of a group, and shows it with the command', async () => {
    const { calls } = show({
      'GET /api/v1/executors': () => ({ items: [] }),
      'POST /api/v1/tokens': () => ({ id: 1, token: 'hx_secret' }),
    });
    expect(await screen.findByText('There is no executor')).toBeInTheDocument();
    await userEvent.click(screen.getAllByRole('button', { name: 'Add an executor…' })[0] as HTMLElement);
    const field = await screen.findByLabelText('Group');
    await userEvent.clear(field);
    await userEvent.type(field, 'a b');
    expect(screen.getByRole('button', { name: 'Make its token' })).toBeDisabled();
    await userEvent.clear(field);
    await userEvent.type(field, 'gpu');
    await userEvent.click(screen.getByRole('button', { name: 'Make its token' }));
    expect(await screen.findByText('hx_secret')).toBeInTheDocument();
    expect(screen.getByText(/hivego executor --server http.* --group gpu --token-file gpu\.token/)).toBeInTheDocument();
    expect(calls.find((c) => c.method === 'POST')).toMatchObject({ body: { group: 'gpu' } });
  });

  it('drains an executor, and shows when it can be restarted', async () => {
    let list = [executor('e1')];
    const { calls } = show({
      'GET /api/v1/executors': () => ({ items: list }),
      'PUT /api/v1/executors/e1/drain': () => {
        list = [executor('e1', { drained: true, running: 0 })];
        return { drained: true };
      },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for e1' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Drain…' }));
    await userEvent.click(
      within(await screen.findByRole('dialog', { name: 'Drain e1?' })).getByRole('button', { name: 'Drain' }),
    );
    expect(await screen.findByText('runs nothing: it can be restarted')).toBeInTheDocument();
    expect(calls.find((c) => c.method === 'PUT')).toMatchObject({ body: { drained: true } });
  });

  it('adds an executor by its address, and shows why another cannot be added', async () => {
    let refuse = true;
    const { calls } = show({
      'POST /api/v1/executors': () =>
        refuse
          ? problem(422, 'invalid', 'nobody listens there')
          : executor('greeter', { handlers: [{ name: 'greet' }] }),
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Add an executor…' }));
    await userEvent.click(await screen.findByText('By its address'));
    const field = await screen.findByLabelText(/^Address/);
    await userEvent.type(field, 'nowhere');
    expect(screen.getByRole('button', { name: 'Connect' })).toBeDisabled();
    await userEvent.type(field, ':9000');
    await userEvent.type(screen.getByLabelText('Slots'), '4x');
    await userEvent.click(screen.getByRole('button', { name: 'Connect' }));
    expect(await screen.findByText('nobody listens there')).toBeInTheDocument();
    expect(calls.find((c) => c.method === 'POST')?.body).toEqual({ address: 'nowhere:9000', tls: false, slots: 4 });
    refuse = false;
    await userEvent.click(screen.getByRole('button', { name: 'Connect' }));
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    });
  });

  it('shows the attempts and the handlers of an executor', async () => {
    const schema = JSON.stringify({
      properties: { who: { type: 'string', description: 'Whom to greet' } },
      required: ['who'],
    });
    show({
      'GET /api/v1/executors': () => ({
        items: [
          executor('e1', {
            durable: false,
            origin: 'address',
            trouble: 'refused',
            handlers: [
              { name: 'greet', schema },
              { name: 'odd', schema: '{' },
            ],
          }),
        ],
      }),
      'GET /api/v1/executors/e1/attempts': () => ({
        items: [
          {
            attempt: 5,
            batch: 12,
            schedule: 'warehouse',
            task: 'load',
            state: 'running',
            offeredAt: '2026-05-01T03:20:00Z',
          },
        ],
      }),
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Details of e1' }));
    const dialog = await screen.findByRole('dialog', { name: 'e1' });
    for (const text of ['added by its address', 'refused', 'Whom to greet', 'required', 'No parameters are described.'])
      expect(dialog).toHaveTextContent(text);
    expect(await within(dialog).findByRole('link', { name: 'Batch 12' })).toHaveAttribute('href', '/batches/12');
    expect(dialog).toHaveTextContent('running');
  });

  it('shows in the language of the user why an executor is silent', async () => {
    await setLanguage('zh');
    show({
      'GET /api/v1/executors': () => ({
        items: [
          executor('e1', {
            state: 'silent',
            trouble: 'nothing listens at its address',
            troubleReason: { reason: 'nothing_listens' },
          }),
        ],
      }),
    });
    const row = (await screen.findByText('e1')).closest('tr') as HTMLElement;
    expect(row).toHaveTextContent('该地址上没有程序在监听');
    expect(row).not.toHaveTextContent('listens');
  });

  it('opens the details by a click anywhere in the row, but not by the menu', async () => {
    show({ 'GET /api/v1/executors/e1/attempts': () => ({ items: [] }) });
    const row = (await screen.findByText('e1')).closest('tr') as HTMLElement;
    await userEvent.click(within(row).getByRole('button', { name: 'Actions for e1' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Drain…' }));
    await userEvent.click(
      within(await screen.findByRole('dialog', { name: 'Drain e1?' })).getByRole('button', { name: 'Cancel' }),
    );
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    });
    await userEvent.click(within(row).getByText('2 of 8 slots'));
    expect(await screen.findByRole('dialog', { name: 'e1' })).toBeInTheDocument();
  });

  it('shows that a new executor is being connected', async () => {
    show({ 'GET /api/v1/executors': () => ({ items: [executor('e1', { state: 'connecting' })] }) });
    expect(await screen.findByText('connecting…')).toBeInTheDocument();
    expect(screen.queryByText(/last heard/)).not.toBeInTheDocument();
  });

  it('offers no administrator actions to other users', async () => {
    show({}, false);
    await screen.findByText('e1');
    expect(screen.queryByRole('button', { name: 'Actions for e1' })).not.toBeInTheDocument();
  });

  it('loads the list again after a change of the live topic', async () => {
    let state: Executor['state'] = 'online';
    const { frame } = show({ 'GET /api/v1/executors': () => ({ items: [executor('e1', { state })] }) });
    await screen.findByText('online');
    state = 'draining';
    frame('executors', { op: 'snapshot' });
    expect(await screen.findByText('finishing')).toBeInTheDocument();
  });
});
