import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { taskOf } from '@/document';
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

const crons = (s: ReturnType<typeof show>) => s.doc().triggers?.map((trigger) => trigger.cron);

describe('triggers', () => {
  it('are described as text and written by a form; one card has several crons', async () => {
    const s = show(<Settings />);
    expect(screen.getByText('It runs by hand only: it has no trigger.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Add a trigger' }));
    expect(crons(s)).toEqual(['0 3 * * *']);
    expect(screen.getByText('03:00 every day')).toBeInTheDocument();
    const first = screen.getByLabelText('Time 1');
    await userEvent.clear(first);
    await userEvent.type(first, '3:20{Enter}');
    await userEvent.click(screen.getByRole('button', { name: 'Add a time' }));
    expect(crons(s)).toEqual(['20 3,15 * * *']);
    const second = screen.getByLabelText('Time 2');
    await userEvent.clear(second);
    await userEvent.type(second, '15:40{Enter}');
    expect(crons(s)).toEqual(['20 3 * * *', '40 15 * * *']);
    expect(screen.getByText('03:20 every day; 15:40 every day')).toBeInTheDocument();
    expect(screen.getAllByRole('button', { name: 'Remove the trigger' })).toHaveLength(1);
  });

  it('of a week have at least one day', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '0 9 * * *' }] } });
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'week');
    expect(crons(s)).toEqual(['0 9 * * 1']);
    await userEvent.click(screen.getByRole('button', { name: 'Mon' }));
    expect(crons(s)).toEqual(['0 9 * * 1']);
    expect(screen.getByRole('button', { name: 'Mon' })).toHaveAttribute('aria-pressed', 'false');
    await userEvent.click(screen.getByRole('button', { name: 'Fri' }));
    expect(crons(s)).toEqual(['0 9 * * 5']);
  });

  it('of a quarter have a month and days', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '@daily' }] } });
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'quarter');
    await userEvent.selectOptions(screen.getByLabelText('from'), 'Feb');
    const days = screen.getByLabelText('Days of the month, such as 1, 15, or L for the last one');
    await userEvent.clear(days);
    await userEvent.type(days, '1, 15');
    expect(crons(s)).toEqual(['0 0 1,15 2/3 *']);
    await userEvent.type(days, ', L');
    expect(crons(s)).toEqual(['0 0 1,15,L 2/3 *']);
    expect(days).toHaveValue('1, 15, L');
  });

  it('that no form writes are shown as crons', async () => {
    const s = show(<Settings />, {
      doc: { ...DOC, triggers: [{ cron: '0 3 1 * 1' }] },
      faults: [{ code: 'bad_cron', path: 'triggers[0].cron', message: 'this is no cron' }],
    });
    await userEvent.type(screen.getByLabelText('Cron'), ',2');
    expect(crons(s)).toEqual(['0 3 1 * 1,2']);
    expect(screen.getByText(/this is no cron/)).toBeInTheDocument();
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'minutes');
    expect(crons(s)).toEqual(['*/10 * * * *']);
  });

  it('follow other schedules, or wait for them with a cron', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '0 3 * * *' }] } });
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'after');
    expect(s.doc().triggers).toEqual([{ after: [{ schedule: '' }] }]);
    await userEvent.type(screen.getByRole('combobox', { name: /^Schedule/ }), 'raw');
    expect(screen.getByText('after raw')).toBeInTheDocument();
    await userEvent.selectOptions(screen.getByLabelText('Moments'), 'same_day');
    await userEvent.selectOptions(screen.getByLabelText('Needs'), 'last');
    expect(s.doc().triggers).toEqual([{ after: [{ schedule: 'raw', window: 'same_day', policy: 'last(1)' }] }]);

    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'day');
    expect(s.doc().triggers).toEqual([
      { cron: '0 3 * * *', after: [{ schedule: 'raw', window: 'same_day', policy: 'last(1)' }] },
    ]);
    expect(screen.getByText('03:00 every day, after raw')).toBeInTheDocument();
    await userEvent.selectOptions(screen.getByLabelText('Needs'), 'all');
    await userEvent.selectOptions(screen.getByLabelText('Moments'), 'other');
    const text = screen.getByLabelText('Window, such as last 6h or (-3d, 0h]');
    await userEvent.clear(text);
    await userEvent.type(text, 'last 2d');
    await userEvent.click(screen.getByLabelText('Wait until the moment before has succeeded'));
    expect(s.doc().triggers).toEqual([
      { cron: '0 3 * * *', after: [{ schedule: 'raw', window: 'last 2d' }], serial: true },
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Do not wait for raw' }));
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *', serial: true }]);
  });

  it('follow a calendar', async () => {
    fakeServer(({ path }) => ({
      body: path === '/calendars' ? { items: [{ name: 'china' }] } : { moments: [], faults: [] },
    }));
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '0 3 * * *' }] } });
    await userEvent.click(await screen.findByText('Workdays and holidays'));
    await userEvent.selectOptions(screen.getByLabelText('Calendar'), 'china');
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *', calendar: { name: 'china' } }]);
    expect(screen.getByText('03:00 every day, on workdays of china')).toBeInTheDocument();
    await userEvent.selectOptions(screen.getByLabelText('Is due'), 'On the last workday of the month');
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *', calendar: { name: 'china', workday: -1 } }]);
    expect(screen.getByText('03:00 every day, on the last workday of the month by china')).toBeInTheDocument();
    await userEvent.selectOptions(screen.getByLabelText('Calendar'), 'None');
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *' }]);
  });

  it('keep a rule of their calendar that the form does not have', async () => {
    const calendar = { name: 'gone', workday: 3 };
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '0 3 * * *', calendar }] } });
    expect(await screen.findByLabelText('Is due')).toHaveDisplayValue('As written in the YAML');
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *', calendar }]);
  });

  it('show the fields for daylight saving in a zone that has it', async () => {
    const s = show(<Settings />, { doc: { ...DOC, timezone: 'Europe/Berlin', triggers: [{ cron: '30 2 * * *' }] } });
    await userEvent.click(screen.getByText('The clocks of this zone are changed twice a year.'));
    await userEvent.selectOptions(screen.getByLabelText('An hour that is skipped'), 'not on that day');
    expect(s.doc().triggers).toEqual([{ cron: '30 2 * * *', dst: { gap: 'skip' } }]);
    await userEvent.selectOptions(screen.getByLabelText('An hour that is skipped'), 'run right after it');
    expect(s.doc().triggers).toEqual([{ cron: '30 2 * * *' }]);
  });

  it('hide these fields in a zone without daylight saving', () => {
    show(<Settings />, { doc: { ...DOC, timezone: 'Asia/Shanghai', triggers: [{ cron: '30 2 * * *' }] } });
    expect(screen.queryByText('The clocks of this zone are changed twice a year.')).not.toBeInTheDocument();
  });
});

describe('a trigger with one moment', () => {
  afterEach(() => {
    vi.useRealTimers();
  });
  const moment = () => screen.getByLabelText('Date and time');

  it('begins at 18:00 of the next day in the zone of the schedule', async () => {
    vi.useFakeTimers({ now: new Date('2026-11-22T23:00:00Z'), toFake: ['Date'] });
    const s = show(<Settings />, { doc: { ...DOC, timezone: 'Asia/Shanghai', triggers: [{ cron: '@daily' }] } });
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'once');

    expect(s.doc().triggers).toEqual([{ at: '2026-11-24T18:00' }]);
    expect(screen.getByText('once, at 2026-11-24 18:00')).toBeInTheDocument();
    expect(moment()).toHaveValue('2026-11-24T18:00');
    expect(screen.queryByText('Only for some time')).toBeNull();
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'day');
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *' }]);
  });

  it('may become a cron that is typed', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ at: '2026-12-24T18:00' }] } });
    await userEvent.selectOptions(screen.getByLabelText('Unit of the cycle'), 'cron');
    expect(s.doc().triggers).toEqual([{ cron: '0 3 * * *' }]);
    expect(screen.getByLabelText('Cron')).toHaveValue('0 3 * * *');
  });

  it('is edited in the field of the browser, and says if it is empty', () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ at: '2026-12-24 18:00' }] } });
    expect(moment()).toHaveAttribute('type', 'datetime-local');
    expect(moment()).toHaveValue('2026-12-24T18:00');
    fireEvent.change(moment(), { target: { value: '2026-12-25T07:30' } });
    expect(s.doc().triggers).toEqual([{ at: '2026-12-25T07:30' }]);
    fireEvent.change(moment(), { target: { value: '' } });
    expect(screen.getByText('no time yet')).toBeInTheDocument();
    expect(screen.getByText(/^The trigger has no time\. Write a cron such as/)).toBeInTheDocument();
  });

  it.each(['2026-12-24T18:00:00+08:00', '2026-02-31T18:00', 'tomorrow'])('is edited as text: %s', (at) => {
    show(<Settings />, { doc: { ...DOC, triggers: [{ at }] } });
    expect(moment()).toHaveAttribute('type', 'text');
    expect(moment()).toHaveValue(at);
  });

  it('stays a text while it is typed', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ at: 'x' }] } });
    await userEvent.clear(moment());
    await userEvent.type(moment(), '2026-12-24T18:00:00Z');
    expect(s.doc().triggers).toEqual([{ at: '2026-12-24T18:00:00Z' }]);
    await userEvent.type(moment(), '{Backspace}');
    expect(moment()).toHaveAttribute('type', 'text');
    await userEvent.tab();
    expect(moment()).toHaveAttribute('type', 'datetime-local');
  });

  it('has its fault at its field, once', () => {
    show(<Settings />, {
      doc: { ...DOC, triggers: [{ at: '2020-01-01T18:00' }] },
      faults: [{ code: 'trigger_ended', path: 'triggers[0].at', message: 'it has passed', warning: true }],
    });
    expect(screen.getAllByText(/it has passed/)).toHaveLength(1);
    expect(moment()).toHaveAccessibleDescription('it has passed');
  });
});

describe('a start and an end', () => {
  it('are set for all triggers of a card, and stay when the times change', async () => {
    const s = show(<Settings />, { doc: { ...DOC, triggers: [{ cron: '20 3 * * *' }, { cron: '40 15 * * *' }] } });
    await userEvent.click(screen.getByText('Only for some time'));
    fireEvent.change(screen.getByLabelText('From'), { target: { value: '2027-01-01' } });
    fireEvent.change(screen.getByLabelText('Until'), { target: { value: '2027-01-31' } });
    expect(screen.getByLabelText('Until')).toHaveAccessibleDescription('This day is included.');
    const bounds = { start: '2027-01-01', end: '2027-01-31' };
    expect(s.doc().triggers).toEqual([
      { cron: '20 3 * * *', ...bounds },
      { cron: '40 15 * * *', ...bounds },
    ]);
    const second = screen.getByLabelText('Time 2');
    await userEvent.clear(second);
    await userEvent.type(second, '3:40{Enter}');
    expect(s.doc().triggers).toEqual([{ cron: '20,40 3 * * *', ...bounds }]);
    fireEvent.change(screen.getByLabelText('From'), { target: { value: '' } });
    expect(s.doc().triggers).toEqual([{ cron: '20,40 3 * * *', end: '2027-01-31' }]);
    expect(screen.getByText(/until 2027-01-31$/)).toBeInTheDocument();
  });

  it('with a time are edited as text, and their faults open them', () => {
    show(<Settings />, {
      doc: { ...DOC, triggers: [{ cron: '@daily', start: '2027-01-02', end: '2027-01-01T12:00' }] },
      faults: [{ code: 'never_fires', path: 'triggers[0].end', message: 'it ends before it starts' }],
    });
    expect(screen.getByLabelText('From')).toHaveAttribute('type', 'date');
    expect(screen.getByLabelText('Until')).toHaveAttribute('type', 'text');
    expect(screen.getByLabelText('Until')).toHaveAccessibleDescription('it ends before it starts');
    expect(screen.getByLabelText('Until')).toBeInvalid();
    expect(screen.getAllByText(/it ends before it starts/)).toHaveLength(1);
  });
});

describe('the other settings', () => {
  it('stores no default values', async () => {
    const s = show(<Settings />);
    await userEvent.click(screen.getByRole('radio', { name: /Job after job/ }));
    await userEvent.click(screen.getByRole('radio', { name: /It waits/ }));
    await userEvent.click(screen.getByRole('radio', { name: /Run none/ }));
    await userEvent.type(screen.getByLabelText('On time if not later than'), '1 min');
    await userEvent.type(screen.getByLabelText('Ends after, batches'), '3');
    await userEvent.type(screen.getByLabelText('Priority'), '8');
    await userEvent.type(screen.getByLabelText('Keep days'), '0');
    expect(s.doc()).toMatchObject({
      flow: 'strict',
      policy: {
        overlap: 'queue',
        catchUp: { mode: 'none', grace: '1m' },
        priority: 8,
        maxBatches: 3,
        keep: { days: 0 },
      },
    });
    await userEvent.clear(screen.getByLabelText('Keep days'));
    await userEvent.click(screen.getByRole('radio', { name: /As soon as it can/ }));
    await userEvent.click(screen.getByRole('radio', { name: /It is skipped/ }));
    await userEvent.click(screen.getByRole('radio', { name: /Run the latest/ }));
    await userEvent.clear(screen.getByLabelText('On time if not later than'));
    await userEvent.clear(screen.getByLabelText('Ends after, batches'));
    await userEvent.clear(screen.getByLabelText('Priority'));
    expect(s.doc()).not.toHaveProperty('flow');
    expect(s.doc()).not.toHaveProperty('policy');
  });

  it('does not change the name of a published schedule', () => {
    show(<Settings />);
    expect(screen.getByLabelText('Name')).toHaveAttribute('readonly');
    expect(screen.getByLabelText('Name')).toHaveAccessibleDescription(/^“Rename…” in the menu/);
  });

  it('sets the name of a new schedule', async () => {
    const s = show(<Settings />, { base: 0 });
    const name = screen.getByLabelText('Name');
    await userEvent.clear(name);
    await userEvent.type(name, 'Nightly!');
    expect(name).toHaveAccessibleDescription(/^Use lower-case letters/);
    await userEvent.clear(name);
    await userEvent.type(name, 'nightly{Enter}');
    expect(s.doc().name).toBe('nightly');
  });

  it('sets an existing time zone', async () => {
    const s = show(<Settings />);
    const zone = screen.getByLabelText('Time zone');
    await userEvent.type(zone, 'berl{ArrowDown}{Enter}');
    expect(s.doc().timezone).toBe('Europe/Berlin');
  });

  it('declares params, and renames them in expressions too', async () => {
    const doc = {
      ...DOC,
      jobs: [
        {
          key: 'j',
          tasks: [{ key: 'a', handler: 'shell', when: 'params.region == "east"', params: { command: 'true' } }],
        },
      ],
    };
    const s = show(<Settings />, { doc });
    const name = screen.getByLabelText('Name of region');
    await userEvent.clear(name);
    await userEvent.type(name, 'limit');
    expect(within(name.closest('tr') as HTMLElement).getByText(/limit is taken already/)).toBeInTheDocument();
    await userEvent.clear(name);
    await userEvent.type(name, 'area{Enter}');
    expect(s.doc().params).toEqual({ area: 'east', limit: 5 });
    expect(taskOf(s.doc(), 'a')?.when).toBe('params.area == "east"');
    await userEvent.selectOptions(screen.getByLabelText('Type of limit'), 'text');
    expect(s.doc().params).toEqual({ area: 'east', limit: '5' });
    await userEvent.click(screen.getByRole('button', { name: 'Remove area' }));
    await userEvent.click(screen.getByRole('button', { name: 'Add a parameter' }));
    expect(s.doc().params).toEqual({ limit: '5', param: '' });
    s.store.getState().undo();
    s.store.getState().undo();
    s.store.getState().undo();
    s.store.getState().undo();
    expect(s.doc()).toEqual(doc);
  });

  it('passes axe', async () => {
    const { container } = show(<Settings />, {
      doc: {
        ...DOC,
        triggers: [
          { cron: '20 3 * * *' },
          { cron: '0 3 1 * 1' },
          { cron: '5,35 */6 * * *' },
          { cron: '@every 7m' },
          { cron: '0 3 1 1 *', start: '2027-01-01', end: '2027-12-31' },
          { at: '2026-12-24T18:00' },
        ],
      },
    });
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html)])).toEqual([]);
  });
});
