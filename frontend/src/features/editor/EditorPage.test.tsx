import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Definition } from '@/api/definition';
import { WINDOW } from '@/live';
import { setLanguage } from '@/i18n';
import { type Answers, problem, renderPage } from '@/test/page';
import { ScheduleEditor } from './EditorPage';

// The views have tests of their own.
vi.mock('./shell/Views', () => ({ Views: () => null }));

const doc = (over: Partial<Definition> = {}): Definition => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'nightly',
  jobs: [{ key: 'load', tasks: [{ key: 'a', handler: 'shell', params: { command: 'echo a' } }] }],
  ...over,
});
const schedule = (revision: number, definition = doc()) => ({
  name: 'nightly',
  enabled: true,
  revision,
  createdAt: '',
  updatedAt: '',
  document: '',
  hash: '',
  definition,
  triggers: [],
});
const head = (number: number, createdBy = 'ada') => ({
  number,
  hash: '',
  createdAt: '2026-11-21T12:00:00.000Z',
  createdBy,
});
const missing = () => problem(404, 'not_found', 'not there');
const none = () => new Response(null, { status: 204 });

function Page() {
  return <ScheduleEditor name="nightly" />;
}

function show(over: Answers = {}, at = '/shell/schedules/nightly') {
  return renderPage(Page, {
    at,
    path: '/shell/schedules/$name',
    answers: {
      'GET /api/v1/me': () => ({ name: 'ada', admin: true, csrf: '' }),
      'GET /api/v1/executors': () => ({ items: [] }),
      'GET /api/v1/schedules/nightly': () => schedule(7),
      'GET /api/v1/schedules/nightly/revisions': () => ({ items: [head(7)] }),
      'GET /api/v1/drafts/nightly': none,
      'GET /api/v1/drafts': () => ({ items: [] }),
      'POST /api/v1/validate': () => ({ valid: true, faults: [] }),
      ...over,
    },
  });
}
const withDraft = (definition: Definition, base = 7) => ({
  'GET /api/v1/drafts/nightly': () => ({
    name: 'nightly',
    base,
    version: 3,
    updatedAt: '2026-11-21T12:00:00.000Z',
    definition,
  }),
});

describe('the page of a schedule', () => {
  beforeEach(async () => {
    localStorage.clear();
    await setLanguage('en');
  });

  it('shows the published revision, and why there is nothing to publish', async () => {
    show();
    expect(await screen.findByText('published · v7')).toBeInTheDocument();
    const publish = screen.getByRole('button', { name: 'Publish v8' });
    expect(publish).toHaveAttribute('aria-disabled', 'true');
    await userEvent.click(publish);
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'There is nothing to undo' })).toHaveAttribute('aria-disabled', 'true');
  });

  it('shows who else has the schedule open, and what they do', async () => {
    const { frame, disconnect } = show({ 'GET /api/v1/me': () => ({ name: 'ada', admin: true, csrf: '' }) });
    await screen.findByText('published · v7');
    const person = (name: string, changes = 0, windows = [7]) => ({ name, changes, windows, tasks: [] });
    frame('presence', { op: 'snapshot', people: [person('ada', 0, [WINDOW])] });
    expect(screen.queryByRole('button', { name: /has it open/ })).not.toBeInTheDocument();
    frame('presence', { people: [person('bob', 3), person('ada', 0, [WINDOW, WINDOW + 1]), person('cyd')] });
    const button = screen.getByRole('button', {
      name: /^bob is editing, 3 changes\.\s*you, in another window\.\s*cyd has it open\.$/,
    });
    expect(button).toHaveTextContent(/^BO/);
    await userEvent.click(button);
    expect(await screen.findByRole('dialog', { name: 'Who else has it open' })).toHaveTextContent(
      /CY.*cyd has it open/,
    );
    const crowd = Array.from({ length: 20 }, (_, n) => person(`p${String(n)}`));
    frame('presence', { people: crowd, morePeople: 3 });
    expect(screen.getByRole('button', { name: /18 more people/ })).toHaveTextContent('+18');
    disconnect();
    expect(screen.queryByRole('button', { name: /has it open/ })).not.toBeInTheDocument();
  });

  it('opens the draft, counts its changes, and publishes it with a note', async () => {
    const changed = doc({ title: 'Every night' });
    const { calls } = show({
      ...withDraft(changed),
      'PUT /api/v1/schedules/nightly': () => ({ name: 'nightly', revision: 8, hash: '', changed: true, faults: [] }),
      'DELETE /api/v1/drafts/nightly': none,
    });
    expect(await screen.findByText('draft · 1 change since v7')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Publish v8' }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog).toHaveTextContent('Title');
    await userEvent.type(within(dialog).getByLabelText('What you changed, and why'), 'a title');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Publish v8' }));
    expect(await screen.findByText('published · v8')).toBeInTheDocument();
    const put = calls.find((call) => call.method === 'PUT' && call.url.pathname === '/api/v1/schedules/nightly');
    expect(Object.fromEntries(put?.url.searchParams ?? [])).toEqual({ base: '7', note: 'a title' });
    expect(put?.body).toMatchObject({ title: 'Every night' });
  });

  it('does not publish a faulty document, and links to its faults', async () => {
    show(
      withDraft(
        doc({
          jobs: [{ key: 'load', tasks: [{ key: 'a', handler: 'shell', needs: ['gone'], params: { command: 'x' } }] }],
        }),
      ),
    );
    await userEvent.click(await screen.findByRole('button', { name: /^Publish v8/ }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByRole('button', { name: 'Publish v8' })).toBeDisabled();
    expect(dialog).toHaveTextContent('There is no task “gone”.');
    expect(within(dialog).getByRole('button', { name: 'Task a' })).toBeInTheDocument();
  });

  it('merges a revision that somebody else published meanwhile, and shows the conflicts', async () => {
    const mine = doc({ title: 'Mine' });
    const theirs = doc({ title: 'Theirs', description: 'by bob' });
    let newest = 7;
    const sent: unknown[] = [];
    show({
      ...withDraft(mine),
      'PUT /api/v1/drafts/nightly': () => ({
        name: 'nightly',
        base: 8,
        version: 4,
        updatedAt: '2026-11-21T12:01:00.000Z',
      }),
      'DELETE /api/v1/drafts/nightly': none,
      'GET /api/v1/schedules/nightly/revisions': () => ({
        items: newest === 8 ? [head(8, 'bob'), head(7)] : [head(7)],
      }),
      'GET /api/v1/schedules/nightly/revisions/8': () => ({ ...head(8, 'bob'), document: '', definition: theirs }),
      'PUT /api/v1/schedules/nightly': ({ url, body }) => {
        if (url.searchParams.get('base') === '7') {
          newest = 8;
          return new Response(
            JSON.stringify({
              type: '',
              title: '',
              status: 409,
              code: 'conflict',
              detail: '',
              reason: 'revision_moved',
            }),
            { status: 409, headers: { 'Content-Type': 'application/problem+json' } },
          );
        }
        sent.push(body);
        return { name: 'nightly', revision: 9, hash: '', changed: true, faults: [] };
      },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Publish v8' }));
    const dialog = await screen.findByRole('dialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Publish v8' }));
    expect(await within(dialog).findByText('bob published v8 meanwhile.')).toBeInTheDocument();
    expect(within(dialog).getByRole('group', { name: 'The schedule · Title' })).toHaveTextContent('Theirs');
    const publish = within(dialog).getByRole('button', { name: 'Publish v9' });
    expect(publish).toBeDisabled();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Keep yours for The schedule · Title' }));
    await waitFor(() => {
      expect(publish).toBeEnabled();
    });
    await userEvent.click(publish);
    expect(await screen.findByText('published · v9')).toBeInTheDocument();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ title: 'Mine', description: 'by bob' });
  });

  it('does not request revisions of an unpublished schedule', async () => {
    const { calls } = show({ ...withDraft(doc(), 0), 'GET /api/v1/schedules/nightly': missing });
    expect(await screen.findByText('new, not published')).toBeInTheDocument();
    await waitFor(() => {
      expect(calls.some((call) => call.url.pathname === '/api/v1/validate')).toBe(true);
    });
    expect(calls.filter((call) => call.url.pathname.endsWith('/revisions'))).toEqual([]);
  });

  it('does not request the schedule again when it is created', async () => {
    let made: unknown;
    const { calls } = show({
      'GET /api/v1/schedules/nightly': missing,
      'GET /api/v1/schedules': () => ({ items: [] }),
      'GET /api/v1/drafts/nightly': () => made ?? none(),
      'PUT /api/v1/drafts/nightly': ({ body }) =>
        (made = { name: 'nightly', base: 0, version: 1, updatedAt: '2026-11-21T12:00:00.000Z', ...(body as object) }),
    });
    const asked = (path: string) => calls.filter((call) => call.method === 'GET' && call.url.pathname === path).length;
    await userEvent.click(await screen.findByRole('button', { name: 'Make it' }));
    const [schedule, draft] = [asked('/api/v1/schedules/nightly'), asked('/api/v1/drafts/nightly')];
    await userEvent.click(await within(await screen.findByRole('dialog')).findByRole('button', { name: 'Make it' }));
    await waitFor(() => {
      expect(asked('/api/v1/drafts/nightly')).toBe(draft + 1);
    });
    expect(made).toMatchObject({ base: 0 });
    expect(asked('/api/v1/schedules/nightly')).toBe(schedule);
  });

  it('offers to create a missing schedule', async () => {
    show({ 'GET /api/v1/schedules/nightly': missing });
    expect(await screen.findByRole('heading', { name: 'There is no schedule nightly' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Make it' })).toBeInTheDocument();
  });
});
