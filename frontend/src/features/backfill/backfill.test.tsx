import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderPage } from '@/test/render';
import { type Answer, fakeServer, refusal } from '@/test/server';
import type { Backfill } from './form';
import { Strip } from './Strip';
import { useBackfillDialog } from '.';

vi.mock('@/live', () => ({ usePollInterval: () => false }));

const SCHEDULE = {
  name: 'nightly',
  timezone: 'UTC',
  revision: 3,
  definition: { name: 'nightly', params: { late: 15 }, jobs: [] },
};
const PREVIEW: Answer = {
  body: {
    schedule: 'nightly',
    revision: 3,
    first: '2026-02-01T03:00:00Z',
    last: '2026-05-01T03:00:00Z',
    moments: 90,
    existing: 10,
    kept: 4,
    expectedSeconds: 17400,
    schedules: [
      {
        schedule: 'nightly',
        revision: 3,
        first: '2026-02-01T03:00:00Z',
        last: '2026-05-01T03:00:00Z',
        moments: 90,
        existing: 10,
        kept: 4,
      },
    ],
    leftOut: [],
  },
};
const MART = {
  schedule: 'mart',
  revision: 5,
  first: '2026-02-01T23:30:00Z',
  last: '2026-02-02T23:30:00Z',
  moments: 2,
  existing: 1,
  kept: 1,
};
const BACKFILL: Backfill = {
  id: 4,
  schedule: 'nightly',
  revision: 3,
  state: 'running',
  first: '2026-02-01T03:00:00Z',
  last: '2026-05-01T03:00:00Z',
  moments: 90,
  order: 'desc',
  parallel: 3,
  existing: 'keep',
  onFailure: 'stop',
  params: {},
  note: 'for the audit',
  createdAt: '2026-05-01T03:00:00Z',
  createdBy: 'ada',
  changedAt: '2026-05-01T03:00:00Z',
  changedBy: '',
  counts: { waiting: 70, running: 3, succeeded: 12, failed: 1, canceled: 0, kept: 4, skipped: 0 },
  withDependants: false,
  schedules: [],
};

function server(preview: Answer) {
  return fakeServer(({ path }) => {
    switch (path) {
      case '/schedules/nightly':
        return { body: SCHEDULE };
      case '/schedules/nightly/backfill-previews':
        return preview;
      case '/schedules/nightly/backfills':
        return { status: 201, body: BACKFILL };
      case '/backfills/4/wish':
        return { body: BACKFILL };
      default:
        return undefined;
    }
  });
}

async function open() {
  const user = userEvent.setup();
  const page = renderPage(function Page() {
    const dialog = useBackfillDialog();
    return (
      <>
        <button
          type="button"
          onClick={() => {
            dialog.open('nightly');
          }}
        >
          open
        </button>
        {dialog.node}
      </>
    );
  });
  await user.click(await screen.findByText('open'));
  return { user, dialog: within(await screen.findByRole('dialog')), ...page };
}

describe('the dialog', () => {
  it('shows what it would do, and opens the batches of the backfill', async () => {
    const calls = server(PREVIEW);
    const { user, dialog, path } = await open();
    expect(await dialog.findByText('90 moments')).toBeTruthy();
    expect(dialog.getByText('10 have a batch: 4 kept, 6 run again.')).toBeTruthy();
    await user.click(dialog.getByText('Newest first'));
    const many = dialog.getByLabelText('Batches at once');
    await user.clear(many);
    await user.type(many, '3');
    await user.click(await dialog.findByRole('button', { name: 'Run 86 batches' }));
    await waitFor(() => {
      expect(path()).toBe('/batches');
    });
    const made = calls.find((c) => c.path === '/schedules/nightly/backfills');
    expect(made?.body).toMatchObject({ order: 'desc', parallel: 3, existing: 'keep', onFailure: 'stop' });
  });
  it('names the place of a fault with the remedy', async () => {
    server(
      refusal(400, 'invalid', {
        reason: 'backfill_faults',
        faults: [
          {
            code: 'bad_range',
            path: 'to',
            message: 'in the future',
            reason: 'range_future',
            params: { value: '2027-01-01' },
          },
        ],
      }),
    );
    const { dialog } = await open();
    expect((await dialog.findByRole('alert')).textContent).toContain('to · “2027-01-01” is in the future.');
  });
  it('shows the moments of each schedule that it would fill, and what is left out', async () => {
    const wide = structuredClone(PREVIEW.body) as { schedules: unknown[]; leftOut: unknown[] };
    wide.schedules.push(MART);
    wide.leftOut.push({ schedule: 'mail', reason: 'disabled' });
    const calls = server({ body: wide });
    const { user, dialog } = await open();
    await user.click(await dialog.findByLabelText('Fill the schedules that wait for it too'));
    const list = within(await dialog.findByRole('list', { name: 'Moments by schedule' }));
    expect(list.getByText('mart')).toBeTruthy();
    expect(list.getByText('2 moments')).toBeTruthy();
    expect(list.getByText('1 has a batch: 1 kept, 0 run again.')).toBeTruthy();
    expect(dialog.getByText('Left out: mail, which is disabled.')).toBeTruthy();
    await waitFor(() => {
      expect(calls.at(-1)?.body).toMatchObject({ withDependants: true });
    });
  });
  it('is not sent with a number that it cannot have', async () => {
    server(PREVIEW);
    const { user, dialog } = await open();
    await dialog.findByText('90 moments');
    await user.type(dialog.getByLabelText('Batches at once'), 'x');
    expect(dialog.getByText('A number from 1 to 100.')).toBeTruthy();
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Run 86 batches' }).disabled).toBe(true);
  });
});

describe('a strip', () => {
  const show = (backfill: Backfill) => renderPage(() => <Strip backfill={backfill} />);
  it('shows progress and settings', async () => {
    server(PREVIEW);
    show(BACKFILL);
    const strip = within(await screen.findByRole('region', { name: 'Backfill #4' }));
    for (const text of ['17 of 90', '3 running', '70 waiting', '1 failed', '4 kept', 'newest first', '3 at once'])
      expect(strip.getByText(text)).toBeTruthy();
  });
  it('has a line for each schedule, and names what is skipped', async () => {
    server(PREVIEW);
    const counts = { waiting: 0, running: 1, succeeded: 1, failed: 0, canceled: 0, kept: 0, skipped: 21 };
    const at = { revision: 1, first: BACKFILL.first, last: BACKFILL.last };
    show({
      ...BACKFILL,
      counts,
      withDependants: true,
      schedules: [
        { schedule: 'nightly', moments: 90, counts: BACKFILL.counts, ...at },
        { schedule: 'mart', moments: 23, counts, ...at },
      ],
      skipped: [
        {
          schedule: 'mart',
          moment: '2026-02-02T23:30:00Z',
          upstream: 'nightly',
          upstreamMoment: '2026-02-02T03:00:00Z',
          batch: 7,
        },
      ],
    });
    const list = within(await screen.findByRole('list', { name: 'Its schedules' }));
    expect(list.getByText('17 of 90')).toBeTruthy();
    expect(list.getByText('22 of 23')).toBeTruthy();
    expect(list.getByText('21 skipped')).toBeTruthy();
    expect(screen.getByText(/^mart of .* is skipped: nightly of .* has not succeeded/)).toBeTruthy();
    expect(screen.getByText('#7').getAttribute('href')).toBe('/batches/7');
    expect(screen.getByText('20 more are skipped.')).toBeTruthy();
  });
  it('pauses, and cancels after a question', async () => {
    const calls = server(PREVIEW);
    const user = userEvent.setup();
    show(BACKFILL);
    await user.click(await screen.findByText('Pause'));
    await user.click(screen.getByText('Cancel…'));
    await user.click(within(await screen.findByRole('dialog')).getByText('Cancel the backfill'));
    await waitFor(() => {
      expect(calls.filter((c) => c.path === '/backfills/4/wish').map((c) => c.body)).toEqual([
        { wish: 'pause' },
        { wish: 'cancel' },
      ]);
    });
  });
  it('says why it has stopped', async () => {
    server(PREVIEW);
    show({ ...BACKFILL, state: 'stopped', stoppedBy: 7 });
    expect((await screen.findByText('Batch #7 did not succeed.')).getAttribute('href')).toBe('/batches/7');
    expect(screen.getByText('Continue')).toBeTruthy();
  });
  it('has no buttons when it is over', async () => {
    server(PREVIEW);
    show({ ...BACKFILL, state: 'done' });
    await screen.findByText('done');
    expect(screen.queryByText('Pause')).toBeNull();
  });
});
