import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Doc, newDocumentStore } from '@/document';
import { theme } from '@/ui/theme';
import { type Editor, EditorContext, FaultsContext, type OfferedHandler } from '../context';
import { Canvas } from './Canvas';

const doc = (...jobs: [string, ...string[]][]): Doc => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: jobs.map(([key, ...tasks]) => ({
    key,
    tasks: tasks.map((text) => {
      const [name = '', needs] = text.split('<');
      return { key: name, handler: 'shell', ...(needs ? { needs: needs.split(',') } : {}) };
    }),
  })),
});

async function open(start: Doc, handlers?: OfferedHandler[]) {
  const store = newDocumentStore(start);
  const editor: Editor = {
    name: 'x',
    store,
    search: {},
    goTo: vi.fn(),
    handlers: handlers ?? [
      { name: 'shell', title: 'Shell', groups: { default: 2 } },
      { name: 'sql', title: 'SQL', groups: { default: 1 } },
    ],
  };
  await import('@/scene/GraphCanvas');
  const faults = [
    {
      code: 'missing_param',
      path: 'jobs[0].tasks[0].params',
      task: 'a',
      message: 'the command is missing',
      remedy: 'give it one',
    },
  ];
  const { container } = render(
    <MantineProvider theme={theme} env="test">
      <EditorContext value={editor}>
        <FaultsContext value={faults}>
          <Canvas />
        </FaultsContext>
      </EditorContext>
    </MantineProvider>,
  );
  await act(async () => {
    await Promise.resolve();
  });
  const shape = () =>
    store
      .getState()
      .doc.jobs.map(
        (job) =>
          `${job.key}: ${(job.tasks ?? []).map((task) => [task.key, ...(task.needs ?? [])].join('<')).join(' ')}`,
      );
  return { store, container, shape };
}

const scene = () => screen.getByRole('application');
const press = (key: string, more = {}) => {
  fireEvent.keyDown(scene(), { key, ...more });
};
const active = () => document.getElementById(scene().getAttribute('aria-activedescendant') ?? '')?.dataset;

beforeEach(() => {
  for (const width of ['clientWidth', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, width, 'get').mockReturnValue(1280);
  for (const height of ['clientHeight', 'offsetHeight'] as const)
    vi.spyOn(HTMLElement.prototype, height, 'get').mockReturnValue(720);
});

describe('Canvas', () => {
  it('offers the first steps on an empty canvas, and runs one', async () => {
    const { shape } = await open(doc());
    expect(screen.getByText('An empty schedule')).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Shell' }));
    expect(shape()).toEqual(['job: shell']);
    expect(screen.queryByText('An empty schedule')).toBeNull();
    expect(scene()).toHaveFocus();
    expect(active()).toMatchObject({ task: 'shell' });
  });

  it('handles keys after the first job was added, and puts its grip beside its number', async () => {
    const { container, shape } = await open(doc());
    screen.getByRole('button', { name: 'First job' }).focus();
    await userEvent.keyboard('{Enter}');
    expect(shape()).toEqual(['job: ']);
    expect(screen.getByText('No tasks yet')).toBeVisible();
    expect(scene()).toHaveFocus();
    expect(container.querySelector('[data-grip="job"]')?.parentElement).toHaveAttribute('data-short');
    await userEvent.keyboard('a');
    await userEvent.type(screen.getByRole('combobox', { name: 'Add a task' }), 'load sql{Enter}');
    expect(shape()).toEqual(['job: load']);
    expect(container.querySelector('[data-grip="job"]')?.parentElement).not.toHaveAttribute('data-short');
  });

  it('adds jobs and tasks by keys alone', async () => {
    const { shape } = await open(doc(['one', 'a']));
    act(() => {
      scene().focus();
    });
    press('n');
    press('a');
    await userEvent.type(screen.getByRole('combobox', { name: 'Add a task' }), 'load sql{Enter}');
    expect(shape()).toEqual(['one: a', 'job: load']);
    expect(screen.getByText('Add load')).toHaveAttribute('role', 'status');
  });

  it('draws dependencies by keys, and announces refusals', async () => {
    const { shape } = await open(doc(['one', 'a', 'b'], ['two', 'c']));
    act(() => {
      scene().focus();
    });
    expect(active()).toMatchObject({ task: 'a' });
    press('c');
    press('ArrowRight');
    expect(screen.getByText('a and b are in the same job one: its tasks run in parallel.')).toBeVisible();
    press('Enter');
    expect(shape()).toEqual(['one: a b', 'two: c']);
    press('c');
    press('ArrowDown');
    press('Enter');
    expect(shape()).toEqual(['one: a b', 'two: c<a']);
  });

  it('moves a task to the next lane, and undoes it as one step', async () => {
    const { shape, store } = await open(doc(['one', 'a', 'b'], ['two', 'c<a']));
    act(() => {
      scene().focus();
    });
    press('ArrowDown', { altKey: true, shiftKey: true });
    expect(shape()).toEqual(['one: b', 'two: c a']);
    act(() => {
      store.getState().undo();
    });
    expect(shape()).toEqual(['one: a b', 'two: c<a']);
  });

  it('renames in place', async () => {
    const { shape } = await open(doc(['one', 'a'], ['two', 'c<a']));
    act(() => {
      scene().focus();
    });
    press('F2');
    const field = screen.getByRole('textbox', { name: 'Key of task a' });
    await userEvent.clear(field);
    await userEvent.type(field, 'c');
    expect(screen.getByText('This key is taken.')).toBeVisible();
    await userEvent.type(field, 'lean{Enter}');
    expect(shape()).toEqual(['one: clean', 'two: c<clean']);
  });

  it('does not rename after Escape', async () => {
    const { shape } = await open(doc(['one', 'a']));
    act(() => {
      scene().focus();
    });
    press('F2');
    await userEvent.type(screen.getByRole('textbox', { name: 'Key of task a' }), 'b{Escape}');
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(shape()).toEqual(['one: a']);
  });

  it('selects by the pointer after the window lost the focus while the space bar was down', async () => {
    const { container, store } = await open(doc(['one', 'a']));
    const click = () => {
      const card = container.querySelector('[data-task="a"]');
      if (!card) throw new Error('there is no card');
      fireEvent.pointerDown(card, { button: 0, pointerId: 1, pointerType: 'mouse' });
      fireEvent.pointerUp(window, { pointerId: 1 });
      return store.getState().selection.tasks;
    };
    fireEvent.keyDown(window, { code: 'Space' });
    expect(click()).toEqual([]);
    fireEvent.blur(window);
    expect(click()).toEqual(['a']);
  });

  it('opens the context menu by a key; a letter runs an item', async () => {
    const { shape } = await open(doc(['one', 'a', 'b']));
    act(() => {
      scene().focus();
    });
    press('m');
    const ring = screen.getByRole('menu', { name: 'What to do with a' });
    expect(screen.getAllByRole('menuitem')).toHaveLength(9);
    fireEvent.keyDown(ring, { key: 'x' });
    expect(shape()).toEqual(['one: b']);
    expect(screen.queryByRole('menu')).toBeNull();
  });

  it('closes the context menu by Escape', async () => {
    await open(doc(['one', 'a']));
    act(() => {
      scene().focus();
    });
    press('m');
    fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
    expect(screen.queryByRole('menu')).toBeNull();
    expect(document.activeElement).toBe(scene());
  });

  it('shows faults as text', async () => {
    const { container } = await open(doc(['one', 'a', 'b']));
    await waitFor(() => {
      expect(container.querySelector('[data-task="a"]')).toHaveAttribute('data-fault', 'wrong');
    });
    expect(container.querySelector('[data-task="a"]')).toHaveTextContent('the command is missing give it one');
    expect(container.querySelector('[data-task="b"]')).not.toHaveAttribute('data-fault');
  });

  it('selects all tasks of the lane, then all tasks, and deletes them', async () => {
    const { shape, store } = await open(doc(['one', 'a', 'b'], ['two', 'c']));
    act(() => {
      scene().focus();
    });
    press('a', { ctrlKey: true });
    expect(store.getState().selection.tasks).toEqual(['a', 'b']);
    press('a', { ctrlKey: true });
    expect(store.getState().selection.tasks).toEqual(['a', 'b', 'c']);
    press('Delete');
    expect(shape()).toEqual(['one: ', 'two: ']);
  });

  it('duplicates and copies while a button has the focus, not in a field or menu; deletes on the canvas', async () => {
    const { shape, store } = await open(doc(['one', 'a', 'b']));
    const far = document.body.appendChild(document.createElement('button'));
    const field = document.body.appendChild(document.createElement('input'));
    const menu = document.body.appendChild(document.createElement('div'));
    menu.setAttribute('role', 'menu');
    const item = menu.appendChild(document.createElement('button'));
    const copied = (at: HTMLElement) => {
      at.focus();
      const setData = vi.fn();
      fireEvent.copy(at, { clipboardData: { setData } });
      return setData.mock.calls.length > 0;
    };
    act(() => {
      store.getState().select({ tasks: ['a'] });
    });
    for (const at of [field, item]) {
      fireEvent.keyDown(at, { key: 'd', ctrlKey: true });
      expect(copied(at)).toBe(false);
    }
    fireEvent.keyDown(far, { key: 'Delete' });
    expect(shape()).toEqual(['one: a b']);
    expect(copied(far)).toBe(true);
    expect(fireEvent.keyDown(far, { key: 'd', ctrlKey: true })).toBe(false); // the browser would make a bookmark
    expect(shape()).toEqual(['one: a a2 b']);
    fireEvent.keyDown(screen.getByRole('button', { name: 'Show all' }), { key: 'Delete' });
    expect(shape()).toEqual(['one: a b']);
    for (const made of [far, field, menu]) made.remove();
  });

  it('shows all handlers in the folded palette, whatever was searched before', async () => {
    const handlers = ['dbt', 'http', 'mail', 'python', 'shell', 'spark', 'sql', 'wait'].map((name) => ({
      name,
      groups: {},
    }));
    const { container } = await open(doc(['one']), handlers);
    const shown = () => container.querySelectorAll('[data-handler]').length;
    await userEvent.click(screen.getByRole('button', { name: 'Palette', expanded: false }));
    await userEvent.type(screen.getByRole('searchbox', { name: 'Find a handler' }), 'spa');
    expect(shown()).toBe(1);
    await userEvent.click(screen.getByRole('button', { name: 'Palette', expanded: true }));
    expect(shown()).toBe(8);
    await userEvent.click(screen.getByRole('button', { name: 'Palette', expanded: false }));
    expect(screen.getByRole('searchbox', { name: 'Find a handler' })).toHaveValue('');
  });

  it('says that no executor offers a handler in the folded palette, too', async () => {
    await open(doc(['one']), []);
    expect(screen.getByRole('button', { name: 'Palette', expanded: false })).toBeVisible();
    expect(screen.getByTitle('No executor offers a handler now.')).toBeVisible();
  });

  it('passes axe', async () => {
    const { container } = await open(doc(['one', 'a', 'b'], ['two', 'c<a']));
    act(() => {
      scene().focus();
    });
    press('m');
    const { violations } = await axe.run(container, {
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])).toEqual([]);
  });
});
