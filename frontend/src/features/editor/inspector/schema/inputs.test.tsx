import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Doc, taskOf } from '@/document';
import { type Call, fakeServer } from '@/test/server';
import { Inspector } from '../Inspector';
import { DOC, show } from '../testing';

const WITH_SQL: Doc = {
  ...DOC,
  jobs: [{ key: 'one', tasks: [{ key: 'q', handler: 'sql', params: { connection: '', args: [''] } }] }],
};
let calls: Call[];

beforeEach(() => {
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: true,
    media,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
  }));
  calls = fakeServer(({ path }) => {
    if (path.endsWith('/connections'))
      return { body: { items: ['dw', 'shop'].map((name) => ({ name, type: 'postgres' })), types: [] } };
    if (path.endsWith('/secrets')) return { body: { items: [{ name: 'DW_KEY' }] } };
    if (path.endsWith('/executors')) return { body: { items: [] } };
    return { body: { params: {}, env: {}, faults: [] } };
  });
});

const asked = (path: string) => calls.filter((call) => call.path === path).length;

describe('a field for a connection', () => {
  it('offers those of the server, and takes any other text', async () => {
    const s = show(<Inspector />, { doc: WITH_SQL, select: { tasks: ['q'] } });
    const connection = screen.getByLabelText('Connection');
    await waitFor(() => {
      expect(asked('/connections')).toBe(1);
    });
    await userEvent.type(connection, 's');
    expect(await screen.findByRole('option', { name: /shop/ })).toHaveTextContent('postgres');
    await userEvent.click(screen.getByRole('option', { name: /shop/ }));
    expect(taskOf(s.doc(), 'q')?.params).toMatchObject({ connection: 'shop' });
    await userEvent.clear(connection);
    await userEvent.type(connection, 'sqlite:a.db{Enter}');
    expect(taskOf(s.doc(), 'q')?.params).toMatchObject({ connection: 'sqlite:a.db' });
    expect(connection).toHaveAttribute('aria-expanded', 'false');
    await userEvent.clear(connection);
    await userEvent.type(connection, '$' + '{{{{ par');
    await userEvent.click(await screen.findByRole('option', { name: /params.region/ }));
    expect(taskOf(s.doc(), 'q')?.params).toMatchObject({ connection: '${{ params.region }}' });
  });
});

describe('a field for secrets', () => {
  it('offers their names in expressions', async () => {
    const s = show(<Inspector />, { doc: WITH_SQL, select: { tasks: ['q'] } });
    await waitFor(() => {
      expect(asked('/secrets')).toBe(1);
    });
    await userEvent.type(screen.getByLabelText(/^Bind values.*1/), '$' + '{{{{ sec');
    await userEvent.click(await screen.findByRole('option', { name: /secrets.DW_KEY/ }));
    expect(taskOf(s.doc(), 'q')?.params).toMatchObject({ args: ['${{ secrets.DW_KEY }}'] });
  });

  it('loads nothing while no such field is shown', async () => {
    show(<Inspector />, { select: { tasks: ['a'] } });
    await screen.findByLabelText('Folder');
    await Promise.resolve();
    expect(asked('/secrets') + asked('/connections')).toBe(0);
  });
});
