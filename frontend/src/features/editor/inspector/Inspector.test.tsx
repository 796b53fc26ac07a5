import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { addTask, taskOf } from '@/document';
import { fakeServer } from '@/test/server';
import { touchAll } from '../pristineFields';
import { Inspector } from './Inspector';
import { DOC, show } from './testing';

// A text field replaces CodeMirror, which is tested in a browser.
vi.mock('./code/LazyCodeEditor', () => ({
  LazyCodeEditor: ({
    value,
    onChange,
    control,
    label,
  }: {
    value: string;
    onChange: (text: string) => void;
    control: object;
    label: string;
  }) => (
    <textarea
      {...control}
      aria-label={label}
      value={value}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  ),
}));

const POOLS = [
  { kind: 'server', name: '', most: 9, used: 1 },
  { kind: 'pool', name: 'dw', most: 3, used: 1 },
];

beforeEach(() => {
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: true,
    media,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
    addListener: vi.fn(),
    removeListener: vi.fn(),
  }));
  fakeServer(({ path }) => {
    if (path.endsWith('/forecasts'))
      return { body: { moments: [{ at: '2026-11-23T03:20:00Z', trigger: 0 }], faults: [] } };
    if (path.endsWith('/limits')) return { body: { items: POOLS } };
    if (/\/(executors|connections|secrets)$/.test(path)) return { body: { items: [] } };
    return { body: { params: { command: 'echo rendered' }, env: { REGION: 'east' }, faults: [] } };
  });
});

const field = (name: string) => document.querySelector<HTMLElement>(`[data-field="${name}"]`) as HTMLElement;
const undo = (s: ReturnType<typeof show>) => {
  s.store.getState().undo();
};

describe('a task', () => {
  it('is renamed when the key field loses the focus; a refusal is shown at the field', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    const key = screen.getByLabelText('Key');
    await userEvent.clear(key);
    await userEvent.type(key, 'D');
    expect(key).toHaveAccessibleDescription('D is taken already; case makes no difference.');
    await userEvent.keyboard('{Enter}');
    expect(taskOf(s.doc(), 'a')).toBeDefined();
    await userEvent.tab();
    expect(key).toHaveValue('D');
    expect(key).toHaveAccessibleDescription('D is taken already; case makes no difference.');
    await userEvent.clear(key);
    await userEvent.type(key, 'flights{Enter}');
    expect(taskOf(s.doc(), 'd')).toMatchObject({ needs: ['flights'], when: 'outputs.flights.rows != nil' });
    expect(screen.getByLabelText('Key')).toHaveValue('flights');
  });

  it('that was just added shows a missing command only after the field has lost the focus', async () => {
    const s = show(<Inspector />);
    act(() => {
      s.store.getState().apply(addTask(s.doc(), 'extract', { handler: 'shell', key: 'fresh' }));
    });
    const command = await screen.findByLabelText('Command');
    expect(command).not.toHaveAttribute('aria-invalid');
    expect(field('params.command')).not.toHaveTextContent('missing');
    // Its other fields are no reason to complain of this one, nor is another name.
    await userEvent.type(screen.getByLabelText('Folder'), 'stage');
    await userEvent.clear(screen.getByLabelText('Key'));
    await userEvent.type(screen.getByLabelText('Key'), 'news{Enter}');
    expect(taskOf(s.doc(), 'news')).toBeDefined();
    expect(screen.getByLabelText('Command')).not.toHaveAttribute('aria-invalid');
    await userEvent.click(screen.getByLabelText('Command'));
    await userEvent.tab();
    expect(screen.getByLabelText('Command')).toHaveAttribute('aria-invalid', 'true');
    expect(field('params.command')).toHaveTextContent('missing');
  });

  it('that was just added shows a missing command when the author publishes or selects it again', () => {
    const s = show(<Inspector />);
    const add = (key: string) => {
      act(() => {
        s.store.getState().apply(addTask(s.doc(), 'extract', { handler: 'shell', key }));
      });
    };
    add('one');
    expect(screen.getByLabelText('Command')).not.toHaveAttribute('aria-invalid');
    act(() => {
      touchAll(s.pristine);
    });
    expect(screen.getByLabelText('Command')).toHaveAttribute('aria-invalid', 'true');
    add('two');
    expect(screen.getByLabelText('Command')).not.toHaveAttribute('aria-invalid');
    act(() => {
      s.store.getState().select({ tasks: ['a'] });
    });
    act(() => {
      s.store.getState().select({ tasks: ['two'] });
    });
    expect(screen.getByLabelText('Command')).toHaveAttribute('aria-invalid', 'true');
  });

  it('has one step of undo for typing into one field', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    await userEvent.type(screen.getByLabelText('Title'), 'Flights');
    await userEvent.type(screen.getByLabelText('Folder'), 'stage');
    expect(taskOf(s.doc(), 'a')).toMatchObject({ title: 'Flights', params: { command: 'true', workdir: 'stage' } });
    expect(s.store.getState().past).toHaveLength(2);
    undo(s);
    expect(taskOf(s.doc(), 'a')).toMatchObject({ title: 'Flights', params: { command: 'true' } });
    undo(s);
    expect(s.doc()).toEqual(DOC);
  });

  it('has another step of undo after the field has lost the focus', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    await userEvent.type(screen.getByLabelText('Title'), 'A');
    await userEvent.tab();
    await userEvent.type(screen.getByLabelText('Title'), 'B');
    expect(s.store.getState().past).toHaveLength(2);
  });

  it.each([
    ['90', '1m30s', '1 min 30 s'],
    ['10 min', '10m', '10 min'],
    ['2d', '2d', '2 days'],
  ])('understands a timeout of %s', async (typed, written, shown) => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    const timeout = screen.getByLabelText('Timeout');
    await userEvent.type(timeout, typed);
    expect(taskOf(s.doc(), 'a')?.timeout).toBe(written);
    await userEvent.tab();
    expect(timeout).toHaveValue(shown);
  });

  it('keeps an invalid timeout, and shows its fault', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    await userEvent.type(screen.getByLabelText('Timeout'), 'soon');
    expect(taskOf(s.doc(), 'a')?.timeout).toBeUndefined();
    await userEvent.tab();
    expect(taskOf(s.doc(), 'a')?.timeout).toBe('soon');
    expect(screen.getByLabelText('Timeout')).toHaveAccessibleDescription(/“soon” is not a duration/);
    expect(screen.getByLabelText('Timeout')).toBeInvalid();
  });

  it('describes its retries in a sentence, and stores no default values', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    await userEvent.type(screen.getByLabelText('Retries: how often'), '3');
    await userEvent.type(screen.getByLabelText('Retries: after how long'), '30');
    await userEvent.selectOptions(screen.getByLabelText('Retries: how the wait grows'), 'then double');
    expect(taskOf(s.doc(), 'a')?.retry).toEqual({ max: 3, delay: '30s', backoff: 2 });
    expect(field('retry')).toHaveTextContent('Waits 30 s, 1 min, 2 min.');
    await userEvent.clear(screen.getByLabelText('Retries: how often'));
    await userEvent.selectOptions(screen.getByLabelText('Retries: how the wait grows'), 'then the same');
    await userEvent.clear(screen.getByLabelText('Retries: after how long'));
    expect(taskOf(s.doc(), 'a')).not.toHaveProperty('retry');
  });

  it('adds and removes needs', async () => {
    const s = show(<Inspector />, { select: { tasks: ['k'] } });
    const add = within(field('needs')).getByRole('combobox');
    await userEvent.type(add, 'b{ArrowDown}{Enter}');
    expect(taskOf(s.doc(), 'k')?.needs).toEqual(['d', 'b']);
    expect(s.store.getState().selection.tasks).toEqual(['k']);
    await userEvent.click(screen.getByRole('button', { name: 'Do not wait for d' }));
    expect(taskOf(s.doc(), 'k')?.needs).toEqual(['b']);
    await userEvent.click(add);
    await userEvent.keyboard('{Backspace}');
    expect(taskOf(s.doc(), 'k')).not.toHaveProperty('needs');
    expect(field('needs')).toHaveTextContent('All tasks of the earlier jobs.');
  });

  it('shows why a need is refused', async () => {
    const s = show(<Inspector />, { select: { tasks: ['d'] } });
    await userEvent.type(within(field('needs')).getByRole('combobox'), 'k{Enter}');
    expect(field('needs')).toHaveTextContent('k runs in a later job than d: dependencies go downwards.');
    expect(s.doc()).toEqual(DOC);
  });

  it('keeps params that a new handler does not have, and can remove them', async () => {
    const s = show(<Inspector />, {
      doc: {
        ...DOC,
        jobs: [{ key: 'j', tasks: [{ key: 'a', handler: 'shell', params: { command: 'true', workdir: 'stage' } }] }],
      },
      select: { tasks: ['a'] },
    });
    const handler = screen.getByLabelText('Handler');
    await userEvent.clear(handler);
    await userEvent.type(handler, 'sql{Enter}');
    expect(taskOf(s.doc(), 'a')).toMatchObject({ handler: 'sql', params: { command: 'true', workdir: 'stage' } });
    expect(screen.getByText('Kept, not used')).toBeInTheDocument();
    expect(screen.getByLabelText('Command')).toHaveValue('true');
    await userEvent.click(screen.getByRole('button', { name: 'Drop workdir' }));
    expect(taskOf(s.doc(), 'a')?.params).toEqual({ command: 'true' });
  });

  it('accepts an expression as a number, suggests names, and refuses a number out of range', async () => {
    const s = show(<Inspector />, { select: { tasks: ['d'] } });
    const slots = screen.getByLabelText('Slots');
    await userEvent.type(slots, '9');
    expect(slots).toHaveAccessibleDescription('Write a number from 1 to 8.');
    await userEvent.clear(slots);
    await userEvent.type(slots, '$' + '{{{{ params.limit }}');
    expect(taskOf(s.doc(), 'd')?.params?.slots).toBe('${{ params.limit }}');
    const folder = screen.getByLabelText('Folder');
    await userEvent.type(folder, '$' + '{{{{ par');
    const options = within(field('params.workdir')).getAllByRole('option', { hidden: true });
    expect(options.map((o) => o.textContent)).toEqual(['params.regioneast', 'params.limit5']);
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(taskOf(s.doc(), 'd')?.params?.workdir).toBe('${{ params.region }}');
  });

  it('edits a map, and reports a duplicate name', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    const env = within(field('params.env'));
    await userEvent.click(env.getByRole('button', { name: 'add' }));
    await userEvent.type(env.getByLabelText('Name, row 1'), 'R');
    await userEvent.type(env.getByLabelText('Value of R'), 'east');
    expect(taskOf(s.doc(), 'a')?.params?.env).toEqual({ R: 'east' });
    await userEvent.click(env.getByRole('button', { name: 'add' }));
    await userEvent.type(env.getByLabelText('Name, row 2'), 'R');
    expect(field('params.env')).toHaveTextContent('R is there twice: the first one counts.');
    expect(taskOf(s.doc(), 'a')?.params?.env).toEqual({ R: 'east' });
  });

  it('of an unknown handler is edited as JSON', async () => {
    const s = show(<Inspector />, {
      doc: { ...DOC, jobs: [{ key: 'j', tasks: [{ key: 'a', handler: 'spark', params: { n: 1 } }] }] },
      select: { tasks: ['a'] },
    });
    const json = screen.getByLabelText('Parameters');
    await userEvent.clear(json);
    await userEvent.type(json, '{{"n": 2');
    expect(field('params')).toHaveTextContent('This is not JSON yet.');
    await userEvent.type(json, '}');
    expect(taskOf(s.doc(), 'a')?.params).toEqual({ n: 2 });
  });

  it('shows faults at their fields, also faults of the server, and opens the folded part that has one', () => {
    show(<Inspector />, {
      select: { tasks: ['d'] },
      faults: [
        { code: 'bad_expression', path: 'jobs[1].tasks[0].when', message: 'unexpected token' },
        { code: 'out_of_range', path: 'jobs[1].tasks[0].priority', message: 'too much' },
        { code: 'bad_handler_params', path: 'jobs[1].tasks[0].params.env.X', message: 'got number, want string' },
        { code: 'odd', path: 'jobs[1].tasks[0].surprise', message: 'never heard of it' },
      ],
    });
    expect(screen.getByLabelText('Only if')).toHaveAccessibleDescription(/unexpected token/);
    expect(screen.getByLabelText('Priority')).toHaveAccessibleDescription(/too much/);
    expect(field('params.env')).toHaveTextContent('got number, want string');
    expect(screen.getByText('never heard of it')).toBeInTheDocument();
  });

  it('sets a pool, with completion, and its slots', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    expect(document.querySelector('[data-field="pool.slots"]')).toBeNull();
    await userEvent.click(screen.getByText('More'));
    await userEvent.click(await screen.findByLabelText('Pool'));
    const options = await within(field('pool.name')).findAllByRole('option');
    expect(options.map((o) => o.textContent)).toEqual(['dw1 of 3 taken']);
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(taskOf(s.doc(), 'a')?.pool).toEqual({ name: 'dw' });
    expect(field('pool.name')).toHaveTextContent('1 of 3 taken');
    await userEvent.type(within(field('pool.slots')).getByLabelText('Slots'), '2');
    expect(taskOf(s.doc(), 'a')?.pool).toEqual({ name: 'dw', slots: 2 });
    await userEvent.clear(screen.getByLabelText('Pool'));
    expect(taskOf(s.doc(), 'a')).not.toHaveProperty('pool');
  });

  it('focuses the field that the address names', async () => {
    show(<Inspector />, { select: { tasks: ['d'] }, search: { task: 'd', field: 'params.env.X' } });
    await waitFor(() => {
      expect(field('params.env')).toContainElement(document.activeElement as HTMLElement);
    });
  });

  it('shows a preview on request', async () => {
    show(<Inspector />, { select: { tasks: ['a'] } });
    await userEvent.click(screen.getByText('What it would run now'));
    expect(await screen.findByText('echo rendered')).toBeInTheDocument();
    expect(screen.getByText('REGION')).toBeInTheDocument();
  });
});

describe('other selections', () => {
  it('several tasks: shows their common fields, and changes all in one step', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a', 'b'] } });
    const timeout = await screen.findByLabelText('Timeout');
    expect(timeout).toHaveAttribute('placeholder', 'mixed');
    await userEvent.type(timeout, '1h');
    expect(['a', 'b'].map((key) => taskOf(s.doc(), key)?.timeout)).toEqual(['1h', '1h']);
    undo(s);
    expect(s.doc()).toEqual(DOC);
    await userEvent.click(screen.getByRole('button', { name: 'Delete 2 tasks' }));
    expect(s.doc().jobs[0]?.tasks).toEqual([]);
  });

  it('a job: renamed, moved, deleted', async () => {
    const s = show(<Inspector />, { select: { tasks: [], job: 'load' } });
    const key = screen.getByLabelText('Key');
    await userEvent.clear(key);
    await userEvent.type(key, 'import{Enter}');
    expect(s.doc().jobs.map((job) => job.key)).toEqual(['extract', 'import', 'report']);
    await userEvent.click(screen.getByRole('button', { name: 'Move down' }));
    expect(s.doc().jobs.map((job) => job.key)).toEqual(['extract', 'report', 'import']);
    await userEvent.click(screen.getByRole('button', { name: 'Delete job' }));
    expect(s.doc().jobs.map((job) => job.key)).toEqual(['extract', 'report']);
  });

  it('a dependency: shows the path that makes it redundant, and removes it', async () => {
    const doc = {
      ...DOC,
      jobs: DOC.jobs.map((job) =>
        job.key === 'report' ? { ...job, tasks: [{ key: 'k', handler: 'shell', needs: ['a', 'd'] }] } : job,
      ),
    };
    doc.jobs[1] = { key: 'load', tasks: [{ key: 'd', handler: 'shell', needs: ['a'] }] };
    const s = show(<Inspector />, { doc, select: { tasks: [], edge: { from: 'a', to: 'k' } } });
    expect(screen.getByText('It changes nothing: a → d → k already says so.')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Remove the dependency' }));
    expect(taskOf(s.doc(), 'k')?.needs).toEqual(['d']);
  });

  it('no selection: shows the schedule, its next ticks, and links to its faults', async () => {
    const s = show(<Inspector />, {
      doc: { ...DOC, triggers: [{ cron: '20 3 * * *' }] },
      faults: [{ code: 'x', path: 'jobs[2].tasks[0].timeout', message: 'too long' }],
    });
    expect(screen.getByText('3 jobs · 4 tasks')).toBeInTheDocument();
    expect(await screen.findByText('03:20')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: /too long/ }));
    expect(s.store.getState().selection.tasks).toEqual(['k']);
    await waitFor(() => {
      expect(screen.getByLabelText('Timeout')).toHaveFocus();
    });
  });

  it('no selection: says in words when triggers are due that have no times of their own', async () => {
    fakeServer(({ path }) => ({ body: path.endsWith('/forecasts') ? { moments: [], faults: [] } : { items: [] } }));
    show(<Inspector />, {
      doc: {
        ...DOC,
        triggers: [{ every: '10m', from: 'end' }, { webhook: 'files' }, { after: [{ schedule: 'orders' }] }],
      },
    });
    expect(await screen.findByText('10 min after the last batch has ended')).toBeInTheDocument();
    expect(screen.getByText('when webhook files is called')).toBeInTheDocument();
    expect(screen.getByText(/orders/)).toBeInTheDocument();
    expect(screen.queryByText('Never.')).not.toBeInTheDocument();
  });

  it('Escape leaves the field first, then clears the selection', async () => {
    const s = show(<Inspector />, { select: { tasks: ['a'] } });
    await userEvent.click(screen.getByLabelText('Title'));
    await userEvent.keyboard('{Escape}');
    expect(s.store.getState().selection.tasks).toEqual(['a']);
    await userEvent.keyboard('{Escape}');
    expect(s.store.getState().selection.tasks).toEqual([]);
  });

  it.each([
    [{ tasks: ['d'] }],
    [{ tasks: ['a', 'b'] }],
    [{ tasks: [], job: 'load' }],
    [{ tasks: [], edge: { from: 'a', to: 'd' } }],
    [{ tasks: [] }],
  ])('passes axe with %j', async (select) => {
    const { container } = show(<Inspector />, { select });
    await screen.findAllByRole('heading');
    const { violations } = await axe.run(container, { rules: { 'color-contrast': { enabled: false } } });
    expect(violations.map((v) => [v.id, v.nodes.map((n) => n.html)])).toEqual([]);
  });
});
