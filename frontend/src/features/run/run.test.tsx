import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { renderPage } from '@/test/render';
import { type Answer, type Call, fakeServer, LOST, refusal } from '@/test/server';
import { useRun } from '.';

const SCHEDULE = {
  name: 'warehouse',
  timezone: 'Asia/Shanghai',
  revision: 3,
  definition: {
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'warehouse',
    params: { late: 15, dry: false },
    jobs: [{ key: 'j', tasks: [{ key: 'a', handler: 'sql' }] }],
  },
};

/** A server that answers each run with the next of `answers`, and the other requests of the dialog. */
function server(
  answers: (Answer | typeof LOST)[],
  over: { schedule?: object; live?: object[]; executors?: object[] } = {},
) {
  return fakeServer((call) => {
    switch (call.path) {
      case '/schedules/warehouse':
        return { body: { ...SCHEDULE, ...over.schedule } };
      case '/batches':
        return { body: { items: over.live ?? [] } };
      case '/executors':
        return {
          body: {
            items: over.executors ?? [
              { name: 'e', group: 'default', state: 'online', offline: false, handlers: [{ name: 'sql' }] },
            ],
          },
        };
      case '/schedules/warehouse/batches':
        return answers.shift();
      default:
        return undefined;
    }
  });
}

const MADE: Answer = { status: 201, body: { id: 12 } };
const runs = (calls: Call[]) => calls.filter((c) => c.path === '/schedules/warehouse/batches');

async function open(task?: string) {
  const user = userEvent.setup();
  const page = renderPage(function Page() {
    const run = useRun();
    return (
      <>
        <button
          type="button"
          onClick={() => {
            run.open('warehouse', task);
          }}
        >
          open
        </button>
        {run.node}
      </>
    );
  });
  await user.click(await screen.findByText('open'));
  return { user, dialog: within(await screen.findByRole('dialog')), ...page };
}

describe('a run', () => {
  it('starts with two clicks, and opens its batch', async () => {
    const calls = server([MADE]);
    const { user, dialog, path } = await open();
    await dialog.findByText('Revision 3, as a batch of its own.');
    await user.click(dialog.getByText('Run now'));
    await waitFor(() => {
      expect(path()).toBe('/batches/12');
    });
    expect(runs(calls).map((c) => c.body)).toEqual([{}]);
  });
  it('is sent once for two clicks', async () => {
    const calls = server([MADE, MADE]);
    const { dialog, path } = await open();
    await dialog.findByText('Revision 3, as a batch of its own.');
    const button = dialog.getByRole('button', { name: 'Run now' });
    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => {
      expect(path()).toBe('/batches/12');
    });
    expect(runs(calls)).toHaveLength(1);
  });
  it('focuses the first field, and sends changed params with their types', async () => {
    const calls = server([MADE]);
    const { user, dialog, path } = await open();
    const late = await dialog.findByLabelText('late');
    expect(late).toHaveFocus();
    await user.clear(late);
    await user.type(late, '30{Enter}');
    await waitFor(() => {
      expect(path()).toBe('/batches/12');
    });
    expect(runs(calls)[0]?.body).toEqual({ params: { late: 30 } });
  });
  it('shows at the field that a text is not a number', async () => {
    const calls = server([]);
    const { user, dialog } = await open();
    await user.type(await dialog.findByLabelText('late'), 'x');
    await user.click(dialog.getByText('Run now'));
    expect(dialog.getByText('This is not a number.')).toBeVisible();
    expect(runs(calls)).toEqual([]);
  });
  it('shows the faults that the server finds at their fields', async () => {
    server([
      refusal(400, 'invalid', {
        reason: 'params_faults',
        params: { schedule: 'warehouse' },
        faults: [{ code: 'bad_param', path: 'params.late', message: 'no' }],
      }),
    ]);
    const { user, dialog } = await open();
    const late = await dialog.findByLabelText('late');
    await user.type(late, '0');
    await user.click(dialog.getByText('Run now'));
    expect(await dialog.findByText(/does not fit the declared kind/)).toBeVisible();
    expect(late).toHaveAccessibleDescription(/does not fit the declared kind/);
  });
  it('keeps its key after a lost answer, and uses another key for another run', async () => {
    const calls = server([LOST, LOST, MADE]);
    const { user, dialog, path } = await open();
    const late = await dialog.findByLabelText('late');
    await user.click(dialog.getByText('Run now'));
    expect(await dialog.findByText('The server cannot be reached')).toBeVisible();
    await user.click(dialog.getByText('Run now'));
    await waitFor(() => {
      expect(runs(calls)).toHaveLength(2);
    });
    await user.type(late, '0{Enter}');
    await waitFor(() => {
      expect(path()).toBe('/batches/12');
    });
    const [one, two, three] = runs(calls);
    expect(two).toEqual(one);
    expect(three?.key).not.toBe(one?.key);
  });
  it('accepts a logical time in the zone of the schedule', async () => {
    const calls = server([MADE]);
    const { user, dialog } = await open();
    await user.click(await dialog.findByText('Another time'));
    fireEvent.change(dialog.getByLabelText('Logical time in Asia/Shanghai'), { target: { value: '2026-11-21T03:20' } });
    await user.click(dialog.getByText('Run now'));
    await waitFor(() => {
      expect(runs(calls)[0]?.body).toEqual({ at: '2026-11-20T19:20:00.000Z' });
    });
  });
  it('warns of a live batch and of tasks without an executor, but can still be started', async () => {
    const calls = server([MADE], {
      live: [{ id: 9, state: 'running', startedAt: '2026-11-20T19:20:00.000Z' }],
      executors: [],
    });
    const { user, dialog, path } = await open();
    expect(await dialog.findByText(/One is running since 2026-11-21 03:20; both would run/)).toBeVisible();
    expect(dialog.getByRole('link', { name: 'Look at it' })).toHaveAttribute('href', '/batches/9');
    expect(await dialog.findByText('a would wait: no executor of group default offers sql now.')).toBeVisible();
    await user.click(dialog.getByText('Run now'));
    await waitFor(() => {
      expect(path()).toBe('/batches/12');
    });
    expect(runs(calls)).toHaveLength(1);
  });
  it('of one task says so, and does not check for live batches', async () => {
    const calls = server([MADE]);
    const { user, dialog } = await open('a');
    expect(await dialog.findByText(/Only this task, of revision 3/)).toBeVisible();
    await user.click(dialog.getByText('Run now'));
    await waitFor(() => {
      expect(runs(calls)[0]?.body).toEqual({ task: 'a' });
    });
    expect(calls.some((c) => c.path === '/batches')).toBe(false);
  });
});
