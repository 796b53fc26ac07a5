import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeServer } from '@/test/server';
import { Settings } from './Settings';
import { DOC, show } from '../inspector/testing';

beforeEach(() => {
  fakeServer(({ body }) => ({
    body: {
      moments: ((body as { triggers?: object[] } | undefined)?.triggers ?? []).map((_, trigger) => ({
        at: '2026-11-23T03:20:00Z',
        trigger,
      })),
      faults: [],
    },
  }));
});

describe('a time after the last batch', () => {
  it('replaces a cron, is edited, and has a start and an end', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '20 3 * * *', jitter: '10m' }] } });
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'delay');
    expect(s.doc().triggers).toEqual([{ every: '10m', from: 'end' }]);
    expect(screen.getByText('10 min after the last batch has ended')).toBeVisible();
    expect(screen.queryByText('Spread the start')).toBeNull();
    const field = screen.getByLabelText('So long after its end');
    await userEvent.clear(field);
    expect(s.doc().triggers).toEqual([{ every: '', from: 'end' }]);
    await userEvent.type(field, '2 h');
    expect(s.doc().triggers).toEqual([{ every: '2h', from: 'end' }]);
    await userEvent.click(screen.getByText('Only for some time'));
    fireEvent.change(screen.getByLabelText('From'), { target: { value: '2027-01-01' } });
    expect(s.doc().triggers).toEqual([{ every: '2h', from: 'end', start: '2027-01-01' }]);
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'cron');
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *' }]);
  });

  it('shows its fault', () => {
    show(<Settings />, {
      doc: { ...DOC, triggers: [{ every: '0.5s', from: 'end' }] },
      faults: [{ code: 'bad_trigger', path: 'triggers[0].every', message: 'every 500ms is not possible' }],
    });
    expect(screen.getByLabelText('So long after its end')).toHaveAccessibleDescription(/500ms is not possible/);
  });
});

describe('a jitter', () => {
  it('is set for all triggers of a card, and stays when the times or the moment change', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '20 3 * * *' }, { cron: '40 15 * * *' }] } });
    await userEvent.click(screen.getByText('Spread the start'));
    await userEvent.type(screen.getByLabelText('Later by up to'), '10 min');
    expect(s.doc().triggers).toEqual([
      { cron: '20 3 * * *', jitter: '10m' },
      { cron: '40 15 * * *', jitter: '10m' },
    ]);
    await userEvent.clear(screen.getByLabelText('Later by up to'));
    expect(s.doc().triggers).toEqual([{ cron: '20 3 * * *' }, { cron: '40 15 * * *' }]);
  });

  it('belongs to one moment too', () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ at: '2027-01-01T18:00', jitter: '10m' }] } });
    fireEvent.change(screen.getByLabelText('Date and time'), { target: { value: '2027-01-02T18:00' } });
    expect(s.doc().triggers).toEqual([{ at: '2027-01-02T18:00', jitter: '10m' }]);
  });

  it('shows its fault', () => {
    show(<Settings />, {
      doc: { ...DOC, triggers: [{ cron: '@daily', jitter: '25h' }] },
      faults: [{ code: 'bad_trigger', path: 'triggers[0].jitter', message: 'longer than a day' }],
    });
    expect(screen.getByLabelText('Later by up to')).toHaveAccessibleDescription(/longer than a day/);
  });

  it('is not offered for a trigger that follows others, but its fault is shown', () => {
    show(<Settings />, {
      doc: { ...DOC, triggers: [{ after: [{ schedule: 'orders' }], jitter: '10m' }] },
      faults: [{ code: 'bad_trigger', path: 'triggers[0].jitter', message: 'after without a cron has no jitter' }],
    });
    expect(screen.queryByText('Spread the start')).toBeNull();
    expect(screen.getByText(/after without a cron has no jitter/)).toBeVisible();
  });
});
