import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '@/test/render';
import { type Answer, type Call, fakeServer, LOST, refusal } from '@/test/server';
import { TaskTitles } from '@/ui';
import { dismissToast, getToasts } from '@/ui/toasts';
import { batch, plan, row, run } from './fixtures';
import type { RepairPlan, RepairRequest } from './plan';
import { useRepair } from './useRepair';
import { useWish } from './useWish';

const RUNS = [
  run(0, 'extract', 'succeeded'),
  run(1, 'load', 'succeeded'),
  run(2, 'monthly', 'failed', { error: 'no such column: precipitation_mm' }),
  run(3, 'extremes', 'succeeded'),
  run(4, 'report', 'skipped', { cause: 'monthly' }),
];
const RESUME = plan([row(2, 'monthly'), row(4, 'report', { from: 'skipped', why: 'skipped', cause: 'monthly' })]);
const DONE = {
  id: 1,
  batch: 7,
  kind: 'repair',
  state: 'applied',
  createdAt: '2026-11-20T19:20:00.000Z',
  createdBy: 'ada',
};

type Told = Answer | typeof LOST | undefined;

/** A server with the batch and its schedule; the rest is the test's. */
function server(answer: (call: Call) => Told | Promise<Told>, over: Parameters<typeof batch>[1] = {}, newest = 1) {
  return fakeServer((call) => {
    const own = answer(call);
    if (own !== undefined) return own;
    switch (call.path) {
      case '/batches/7':
        return { body: batch(RUNS, over) };
      case '/batches/7/definition':
        return { body: definition('precipitation_mm') };
      case '/schedules/weather-report':
        return {
          body: {
            name: 'weather-report',
            timezone: 'Asia/Shanghai',
            revision: newest,
            definition: definition('precipitation'),
          },
        };
      default:
        return undefined;
    }
  });
}

const definition = (column: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'weather-report',
  jobs: [{ key: 'j', tasks: [{ key: 'monthly', handler: 'sql', params: { column } }] }],
});

function show(request: RepairRequest = { action: 'resume' }, titles: Record<string, string> = {}) {
  const named = new Map(Object.entries(titles));
  renderPage(function Page() {
    const repair = useRepair();
    return (
      <TaskTitles value={named}>
        <button
          type="button"
          onClick={() => {
            repair.open(7, request);
          }}
        >
          open
        </button>
        {repair.node}
      </TaskTitles>
    );
  });
}

async function open(request?: RepairRequest, titles?: Record<string, string>) {
  const user = userEvent.setup();
  show(request, titles);
  await user.click(await screen.findByText('open'));
  return { user, dialog: within(await screen.findByRole('dialog')) };
}

const applied = (calls: Call[]) => calls.filter((c) => c.path === '/batches/7/repairs');
const planned = (calls: Call[]) => calls.filter((c) => c.path === '/batches/7/repair-plans');
const plans =
  (p: RepairPlan) =>
  (call: Call): Told =>
    call.path === '/batches/7/repair-plans' ? { body: p } : undefined;

beforeEach(() => {
  getToasts().forEach((one) => {
    dismissToast(one.id);
  });
});

describe('the preview', () => {
  it('says what would change and why, and changes nothing', async () => {
    const calls = server(plans(RESUME));
    const { user, dialog } = await open();
    expect(
      await dialog.findByText('Round 2. Two tasks run again, three are kept. Nothing has changed yet.'),
    ).toBeVisible();
    await waitFor(() => {
      expect(screen.getByRole('dialog')).toHaveAccessibleName('Resume weather-report · 2026-11-21 03:20');
    });
    expect(dialog.getByText('it failed: no such column: precipitation_mm')).toBeVisible();
    expect(dialog.getByText('skipped because of monthly')).toBeVisible();
    expect(dialog.getByText('failed → run again')).toBeVisible();
    expect(dialog.getByText('extract, load, extremes')).toBeVisible();
    await user.keyboard('{Escape}');
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    await waitFor(() => {
      expect(screen.getByText('open')).toHaveFocus();
    });
    expect(calls.filter((c) => c.method !== 'GET').map((c) => c.path)).toEqual(['/batches/7/repair-plans']);
  });
  it('calls tasks as the page does, by their titles', async () => {
    server((call) =>
      plans({ ...RESUME, kept: [{ number: 3, task: 'extremes', state: 'succeeded', ranOnFailed: 'monthly' }] })(call),
    );
    const { dialog } = await open(
      { action: 'resume', tasks: ['monthly'] },
      { monthly: 'Rain by month', extremes: 'Warmest and coldest', load: 'Load the weather' },
    );
    expect(await dialog.findByText('skipped because of Rain by month')).toBeVisible();
    expect(dialog.getByText('extract, Load the weather, Warmest and coldest')).toBeVisible();
    expect(dialog.getByRole('checkbox', { name: 'Warmest and coldest, which read Rain by month' })).toBeVisible();
    await waitFor(() => {
      expect(screen.getByRole('dialog')).toHaveAccessibleName(/^Resume Rain by month/);
    });
  });
  it('shows no plan before it is known whether there is a later revision', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<Answer>((free) => {
      release = () => {
        free({
          body: { name: 'weather-report', timezone: 'UTC', revision: 2, definition: definition('precipitation') },
        });
      };
    });
    const calls = server((call) => (call.path.startsWith('/schedules/') ? held : plans(RESUME)(call)));
    const { dialog } = await open();
    await waitFor(() => {
      expect(calls.map((call) => call.path)).toContain('/batches/7/repair-plans');
    });
    expect(await dialog.findByRole('button', { name: 'Planning…' })).toBeDisabled();
    expect(dialog.queryByText('it failed: no such column: precipitation_mm')).toBeNull();
    release();
    expect(await dialog.findByText('Resume 2 tasks')).toBeEnabled();
    expect(dialog.getByText(/^With the latest, v2/)).toBeVisible();
  });
  it('plans each revision anew, and applies the one that was shown by its number', async () => {
    const calls = server(
      (call) => {
        if (call.path === '/batches/7/repairs') return { body: { ...DONE, plan: RESUME } };
        const latest = (call.body as RepairRequest | undefined)?.latest;
        return plans(latest ? { ...RESUME, revision: 2, hash: 'h2' } : RESUME)(call);
      },
      {},
      2,
    );
    const { user, dialog } = await open();
    await user.click(await dialog.findByText(/With the latest, v2/));
    expect(await dialog.findByText('differs in v2')).toBeVisible();
    await user.click(dialog.getByText('Resume 2 tasks'));
    await waitFor(() => {
      expect(applied(calls).map((c) => c.body)).toEqual([{ action: 'resume', revision: 2, hash: 'h2' }]);
    });
  });
  it('offers to rerun what ran on an input that is made anew', async () => {
    const doubt = {
      ...RESUME,
      kept: [{ number: 3, task: 'extremes', state: 'succeeded' as const, ranOnFailed: 'monthly' }],
    };
    const more = plan(
      [...RESUME.rows, row(3, 'extremes', { from: 'succeeded', why: 'ran_on_bad', cause: 'monthly' })],
      { hash: 'h2' },
    );
    const calls = server((call) => plans((call.body as RepairRequest | undefined)?.rerunKept ? more : doubt)(call));
    const { user, dialog } = await open();
    await user.click(await dialog.findByRole('checkbox', { name: 'extremes, which read monthly' }));
    expect(await dialog.findByText('Resume 3 tasks')).toBeVisible();
    await user.click(dialog.getByRole('checkbox', { name: 'extremes, which read monthly' }));
    expect(await dialog.findByText('Resume 2 tasks')).toBeVisible();
    expect(planned(calls).map((c) => (c.body as RepairRequest).rerunKept)).toEqual([
      undefined,
      ['extremes'],
      undefined,
    ]);
  });
  it('is loud about what is killed, and no stray key does it', async () => {
    const calls = server(
      plans(plan([row(1, 'load', { from: 'running', kill: true, why: 'asked' })], { action: 'rerun' })),
    );
    const { user, dialog } = await open({ action: 'rerun', tasks: ['load'] });
    expect(await dialog.findByText('1 task runs now and is killed first.')).toBeVisible();
    expect(dialog.getByText('Kill 1 and rerun 1 task')).toBeVisible();
    await user.keyboard('{Enter} ');
    expect(applied(calls)).toEqual([]);
  });
  it('says why there is nothing to do', async () => {
    server((call) =>
      call.path === '/batches/7'
        ? { body: batch([run(0, 'extract', 'succeeded')], { state: 'succeeded' }) }
        : plans(plan([]))(call),
    );
    const { dialog } = await open();
    expect(await dialog.findByText(/Nothing failed and nothing was canceled/)).toBeVisible();
    expect(dialog.queryByText(/^Resume \d/)).toBeNull();
  });
  it('says a refusal in words', async () => {
    server((call) =>
      call.path.endsWith('plans')
        ? refusal(409, 'conflict', { reason: 'run_in_hand', params: { task: 'load', state: 'running', cause: '' } })
        : undefined,
    );
    const { dialog } = await open({ action: 'mark_success', tasks: ['load'] });
    expect(
      await dialog.findByText('load is with an executor. Wait for its end, or cancel the whole batch.'),
    ).toBeVisible();
  });
  it('draws a few of 5,000 rows, and finds any', async () => {
    const many = Array.from({ length: 5000 }, (_, i) => run(i, `task_${String(i)}`, 'failed'));
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(400);
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(53);
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(600);
    server((call) =>
      call.path === '/batches/7' ? { body: batch(many) } : plans(plan(many.map((r) => row(r.number, r.key))))(call),
    );
    const { dialog } = await open();
    const drawn = () => screen.getByRole('dialog').querySelectorAll('li');
    expect(await dialog.findByText('Round 2. 5,000 tasks run again. Nothing has changed yet.')).toBeVisible();
    expect(drawn().length).toBeGreaterThan(3);
    expect(drawn().length).toBeLessThan(60);
    fireEvent.change(dialog.getByLabelText('Find a task among 5,000'), { target: { value: 'TASK_4321' } });
    expect(await dialog.findByText('task_4321')).toBeVisible();
    expect(drawn()).toHaveLength(1);
  });
});

describe('applying', () => {
  const twice = (first: Told, then: Told = { body: { ...DONE, plan: RESUME } }) => {
    let n = 0;
    return (call: Call): Told => {
      if (call.path === '/batches/7/repairs') return n++ === 0 ? first : then;
      return plans(RESUME)(call);
    };
  };

  it('does it once for two clicks, and says so', async () => {
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
  it('sends the very same under the same key after a lost answer', async () => {
    const calls = server(twice(LOST));
    const { user, dialog } = await open();
    await user.type(await dialog.findByLabelText('Why (optional)'), 'renamed');
    await user.click(dialog.getByText('Resume 2 tasks'));
    expect(await dialog.findByText('The answer was lost on the way')).toBeVisible();
    expect(dialog.getByLabelText('Why (optional)')).toHaveAttribute('readonly');
    await user.click(dialog.getByText('Try again'));
    expect(await screen.findByText('Round 2 has begun')).toBeVisible();
    const [one, two] = applied(calls);
    expect(one?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(two).toEqual(one);
  });
  it('shows the new plan when things have moved, marked, and asks again', async () => {
    const moved = plan([row(2, 'monthly'), row(3, 'extremes', { why: 'failed' })], { hash: 'h2' });
    const answers = [refusal(409, 'conflict', { reason: 'plan_moved' }), { body: { ...DONE, plan: moved } }];
    const calls = server((call) => {
      if (call.path === '/batches/7/repairs') return answers.shift();
      return plans(answers.length < 2 ? moved : RESUME)(call);
    });
    const { user, dialog } = await open();
    await user.click(await dialog.findByText('Resume 2 tasks'));
    expect(await dialog.findByText('Things have moved since you saw the plan.')).toBeVisible();
    expect(dialog.getByText('No longer in it: report')).toBeVisible();
    expect(within(dialog.getByText('extremes').closest('li') as HTMLElement).getByText('changed')).toBeVisible();
    await user.click(dialog.getByText('Resume 2 tasks'));
    expect(await screen.findByText('Round 2 has begun')).toBeVisible();
    const [one, two] = applied(calls);
    expect(two?.body).toEqual({ action: 'resume', hash: 'h2' });
    expect(two?.key).not.toBe(one?.key);
  });
  it('says when somebody else was faster', async () => {
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
    expect(await dialog.findByText(/what was to be done here has been done by now/)).toBeVisible();
  });
  it('waits for the owner of the batch where the order is only stored', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      let looks = 0;
      server((call) => {
        if (call.path === '/batches/7/repairs') return { status: 202, body: { ...DONE, state: 'pending' } };
        if (call.path === '/commands/1') return ++looks < 2 ? LOST : { body: { ...DONE, plan: RESUME } };
        return plans(RESUME)(call);
      });
      show();
      fireEvent.click(await screen.findByText('open'));
      fireEvent.click(await screen.findByText('Resume 2 tasks'));
      expect(await screen.findByText("Stored. It waits for the batch's owner.")).toBeVisible();
      await vi.advanceTimersByTimeAsync(2100);
      expect(await screen.findByText('Round 2 has begun')).toBeVisible();
      expect(looks).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });
  it('closes a batch only with a word why', async () => {
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

  it('pauses at once, shown until it is confirmed', async () => {
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
  it('keeps its key when nobody answers, and says what to do', async () => {
    const answers: Told[] = [LOST, { body: { ...DONE, kind: 'wish' } }];
    const calls = server((call) => (call.path === '/batches/7/wish' ? answers.shift() : undefined));
    page();
    fireEvent.click(await screen.findByText('pause'));
    expect(await screen.findByText(/The server cannot be reached/)).toBeVisible();
    fireEvent.click(screen.getByText('pause'));
    expect(await screen.findByText('Paused: nothing new starts')).toBeVisible();
    const [one, two] = wishes(calls);
    expect(two).toEqual(one);
  });
  it('cancels after a look at what that ends, whatever moves meanwhile', async () => {
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
