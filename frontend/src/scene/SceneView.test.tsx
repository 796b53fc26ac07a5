import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import axe from 'axe-core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { toGraph } from '@/graph';
import { type Batch, RunStore, type TaskRun } from '@/live';
import { theme } from '@/ui/theme';
import { SceneView, type SceneViewProps } from './SceneView';
import { written } from '@/graph/testing';

const definition = written(['a', 'b'], ['c: a', 'd'], ['e: c a']);
const graph = toGraph(definition);

function storeOf(states: Partial<Record<string, Partial<TaskRun>>> = {}, state = 'running'): RunStore {
  const store = new RunStore();
  const tasks = definition.jobs
    .flatMap((job) => job.tasks ?? [])
    .map(({ key }, number): TaskRun => ({
      number,
      key,
      job: '',
      state: 'waiting',
      reason: '',
      attempts: 0,
      executor: '',
      error: '',
      round: 1,
      ...states[key],
    }));
  store.reset({ id: 1, state, tasks } as unknown as Batch);
  return store;
}

async function show(props: Partial<SceneViewProps> = {}) {
  const onSelect = vi.fn();
  const view = (more: Partial<SceneViewProps>) => (
    <MantineProvider theme={theme}>
      <SceneView graph={graph} store={store} onSelect={onSelect} {...props} {...more} />
    </MantineProvider>
  );
  const store = props.store ?? storeOf();
  await import('./GraphCanvas');
  const { rerender, container } = render(view({}));
  await act(async () => {
    await Promise.resolve();
  });
  return {
    onSelect,
    container,
    store,
    again: (more: Partial<SceneViewProps>) => {
      rerender(view(more));
    },
  };
}

const card = (name: string | RegExp) => screen.getByRole('button', { name });
const scene = () => screen.getByRole('application');

beforeEach(() => {
  // In jsdom, elements have no size and cannot scroll.
  Element.prototype.scrollIntoView = () => undefined;
  for (const width of ['clientWidth', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, width, 'get').mockReturnValue(1280);
  for (const height of ['clientHeight', 'offsetHeight'] as const)
    vi.spyOn(HTMLElement.prototype, height, 'get').mockReturnValue(720);
});

describe('SceneView', () => {
  it('moves once to the task of each new link', async () => {
    const long = toGraph(written(...Array.from({ length: 60 }, (_, i) => [`first${String(i)}`, `last${String(i)}`])));
    const { again } = await show({ graph: long, reveal: 'first0', selected: 'first0', coveredRight: 408 });
    // Only the vertical position: a cover may move the view horizontally.
    const savedView = () =>
      /,(.*)px\)/.exec(document.querySelector<HTMLElement>('.react-flow__viewport')?.style.transform ?? '')?.[1];
    const rest = async () => {
      for (let last = '', same = 0; same < 20;) {
        await act(
          () =>
            new Promise((frame) => {
              requestAnimationFrame(frame);
            }),
        );
        same = savedView() === last ? same + 1 : 0;
        last = savedView() ?? '';
      }
      return savedView();
    };
    act(() => {
      scene().focus();
    });
    fireEvent.keyDown(scene(), { key: 'End' });
    await waitFor(() => {
      expect(card(/^last59 ,/)).toBeInTheDocument();
    });
    const there = await rest();
    again({ reveal: 'first0', selected: undefined, coveredRight: 0 });
    expect(await rest()).toBe(there);
    again({ reveal: 'first0', selected: 'last59', coveredRight: 408 });
    expect(await rest()).toBe(there);
    again({ reveal: 'first1', selected: 'last59', coveredRight: 408 });
    expect(await rest()).not.toBe(there);
  });

  it('restores the last view, or else opens on the task that needs attention', async () => {
    const long = toGraph(written(...Array.from({ length: 60 }, (_, i) => [`first${String(i)}`, `last${String(i)}`])));
    const savedView = { current: undefined };
    const view = () => document.querySelector<HTMLElement>('.react-flow__viewport')?.style.transform;
    await show({ graph: long, savedView });
    cleanup();
    expect(savedView.current).toBeUndefined();

    await show({ graph: long, savedView });
    const opened = view();
    fireEvent.click(screen.getByRole('button', { name: 'Zoom in' }));
    await waitFor(() => {
      expect(view()).not.toBe(opened);
    });
    let last = '';
    await waitFor(
      () => {
        const now = view() ?? '';
        const same = now === last;
        last = now;
        expect(same).toBe(true);
      },
      { interval: 300, timeout: 60_000 },
    );
    cleanup();
    expect(savedView.current).toBeDefined();
    await show({ graph: long, savedView });
    expect(view()).toBe(last);
  });

  it('shows each task with its state and needs', async () => {
    await show({
      store: storeOf({
        a: { state: 'succeeded', startedAt: '2026-11-21T03:20:00Z', finishedAt: '2026-11-21T03:21:05Z' },
      }),
    });
    expect(card('a , succeeded · 01:05 , job j0, needs no task')).toBeVisible();
    expect(card('c , waiting , job j1, needs 1 task')).toBeVisible();
    expect(card('d , waiting , job j1, waits for all earlier jobs')).toBeVisible();
    expect(card('e , waiting needs c , job j2, needs 2 tasks')).toBeVisible();
  });

  it('renders only the card whose run changed', async () => {
    const { store } = await show();
    const before = card(/^b ,/).outerHTML;
    const run = store.getRun(0);
    act(() => {
      store.apply({ op: 'delta', id: 1, runs: [{ ...(run as TaskRun), state: 'failed', attempts: 3 }] });
    });
    expect(card(/^a , ?failed/)).toHaveTextContent('×3');
    expect(card(/^b ,/).outerHTML).toBe(before);
  });

  it('names the executor of a running task: in the tooltip, and on the card if there is room', async () => {
    const running = { state: 'running', startedAt: new Date().toISOString() } as const;
    const long = 'an-executor-with-a-very-long-name';
    await show({ store: storeOf({ a: { ...running, executor: 'e1' }, b: { ...running, executor: long } }) });
    expect(card(/^a , running 00:0\d · e1/)).toHaveAttribute('title', expect.stringContaining('on e1'));
    expect(card(/^b , running · 00:0\d ,/)).toHaveAttribute('title', expect.stringContaining(`on ${long}`));
  });

  it('counts down to the next attempt', async () => {
    const soon = new Date(Date.now() + 5 * 3_600_000).toISOString();
    await show({ store: storeOf({ a: { state: 'ready', attempts: 2, notBefore: soon } }) });
    expect(card(/^a ,/)).toHaveTextContent(/again in [45]:\d\d:\d\d/);
  });

  it('selects the card under the pointer, and deselects beside the cards', async () => {
    const { onSelect, container } = await show();
    fireEvent.click(card(/^c ,/));
    expect(onSelect).toHaveBeenLastCalledWith('c');
    const pane = container.querySelector('.react-flow__pane');
    if (pane) fireEvent.click(pane);
    expect(onSelect).toHaveBeenLastCalledWith(undefined);
  });

  it('is one tab stop; arrows move to other cards, Enter opens one', async () => {
    const onOpen = vi.fn();
    const { onSelect } = await show({ onOpen });
    act(() => {
      scene().focus();
    });
    const press = (key: string, more = {}) => fireEvent.keyDown(scene(), { key, ...more });
    const active = () => document.getElementById(scene().getAttribute('aria-activedescendant') ?? '')?.textContent;
    expect(active()).toMatch(/^a,/);
    press('ArrowRight');
    expect(active()).toMatch(/^b,/);
    press('End');
    expect(active()).toMatch(/^e,/);
    press('ArrowUp', { altKey: true });
    expect(active()).toMatch(/^c,/);
    press('Enter');
    expect(onSelect).toHaveBeenLastCalledWith('c');
    expect(onOpen).toHaveBeenLastCalledWith('c');
    expect(
      screen
        .getAllByRole('button')
        .filter((button) => button.closest('[role=application]'))
        .every((button) => button.tabIndex === -1),
    ).toBe(true);
  });

  it('exposes the active card to screen readers while it is mounted', async () => {
    const lanes = (n: number) =>
      toGraph(written(...Array.from({ length: n }, (_, i) => [`first${String(i)}`, `last${String(i)}`])));
    const { again } = await show({ graph: lanes(60) });
    act(() => {
      scene().focus();
    });
    const named = () => scene().getAttribute('aria-activedescendant');
    expect(named()).toMatch(/-first0$/);
    expect(document.querySelector('[data-task="last59"]')).toBeNull();
    fireEvent.keyDown(scene(), { key: 'End' });
    expect(named() === null || document.getElementById(named() ?? '') !== null).toBe(true);
    await waitFor(
      () => {
        expect(named()).toMatch(/-last59$/);
      },
      { timeout: 20_000 },
    );
    expect(document.getElementById(named() ?? '')).toHaveTextContent('last59');
    again({ graph: lanes(2) });
    await waitFor(
      () => {
        expect(named()).toBeNull();
      },
      { timeout: 20_000 },
    );
  }, 30_000);

  it('deselects with Escape, and marks the selected card', async () => {
    const { onSelect } = await show({ selected: 'b' });
    expect(card(/^b ,/)).toHaveAttribute('aria-pressed', 'true');
    fireEvent.keyDown(scene(), { key: 'Escape' });
    expect(onSelect).toHaveBeenLastCalledWith(undefined);
  });

  it('shows the actions at the selected card, without handling their keys', async () => {
    const { onSelect } = await show({
      selected: 'b',
      actions: (key) => <button type="button">{`Resume ${key}`}</button>,
    });
    fireEvent.keyDown(card('Resume b'), { key: 'Enter' });
    fireEvent.click(card('Resume b'));
    expect(onSelect).not.toHaveBeenCalled();
  });

  it('lights the trail of the card under the pointer', async () => {
    const { container } = await show();
    fireEvent.mouseEnter(card(/^c ,/).parentElement ?? document.body);
    const lit = () => [...container.querySelectorAll('[data-lit][id]')].map((one) => one.textContent?.[0]).sort();
    expect(lit()).toEqual([]);
    await waitFor(() => {
      expect(lit()).toEqual(['a', 'c', 'e']);
    });
    // From one trail to the next there is no pause.
    fireEvent.mouseEnter(card(/^b ,/).parentElement ?? document.body);
    expect(lit()).toEqual([]);
  });

  it('lights nothing for a pointer that crosses a card, or for a card without dependencies', async () => {
    vi.useFakeTimers();
    const { container } = await show();
    const over = (name: RegExp) => fireEvent.mouseEnter(card(name).parentElement ?? document.body);
    over(/^a ,/);
    vi.advanceTimersByTime(100);
    over(/^b ,/);
    vi.advanceTimersByTime(1000);
    expect(scene()).not.toHaveAttribute('data-lit');
    over(/^a ,/);
    vi.advanceTimersByTime(119);
    expect(scene()).not.toHaveAttribute('data-lit');
    act(() => {
      vi.advanceTimersByTime(1);
    });
    expect(scene()).toHaveAttribute('data-lit');
    expect(container.querySelectorAll('[data-lit][id]')).toHaveLength(3);
    vi.useRealTimers();
  });

  it('says how long tasks take against the usual, with a sign if that is more than almost ever', async () => {
    const at = (s: number) => `2026-11-21T03:20:${String(s).padStart(2, '0')}Z`;
    const ran = (state: TaskRun['state'], seconds: number): Partial<TaskRun> => ({
      state,
      startedAt: at(0),
      finishedAt: at(seconds),
    });
    const usual = { begin: 0, took: 38_000, most: 45_000 };
    await show({
      store: storeOf({ a: ran('succeeded', 41), b: ran('failed', 50), c: ran('succeeded', 9), d: ran('canceled', 9) }),
      usual: new Map([
        ['a', usual],
        ['b', usual],
        ['d', usual],
      ]),
    });
    expect(card(/^a ,/)).toHaveTextContent('succeeded 00:41 · usually 00:38');
    expect(card(/^a ,/).querySelector('[data-slow]')).toBeNull();
    expect(card(/^a ,/).title).toContain('usually 00:38');
    expect(card(/^b ,/)).toHaveTextContent('failed longer than usual 00:50 · usually 00:38');
    expect(card(/^b ,/).querySelector('[data-slow] svg')).toBeVisible();
    expect(card(/^c ,/)).toHaveTextContent('succeeded · 00:09');
    expect(card(/^d ,/)).toHaveTextContent('canceled · 00:09');
  });

  it('shows the critical path of a batch that has ended', async () => {
    const at = (s: number) => `2026-11-21T03:20:${String(s).padStart(2, '0')}Z`;
    const ran = (from: number, to: number): Partial<TaskRun> => ({
      state: 'succeeded',
      startedAt: at(from),
      finishedAt: at(to),
    });
    const { container } = await show({
      store: storeOf({ a: ran(0, 5), b: ran(0, 9), c: ran(5, 8), d: ran(9, 10), e: ran(8, 20) }, 'succeeded'),
    });
    const toggle = card('Critical path');
    await userEvent.click(toggle);
    expect(toggle).toHaveAttribute('aria-pressed', 'true');
    expect([...container.querySelectorAll('[data-lit][id]')].map((lit) => lit.textContent?.[0]).sort()).toEqual([
      'a',
      'c',
      'e',
    ]);
  });

  it('has no critical path while the batch runs', async () => {
    await show();
    expect(card('Critical path')).toHaveAttribute('aria-disabled', 'true');
    await userEvent.click(card('Critical path'));
    expect(card('Critical path')).toHaveAttribute('aria-pressed', 'false');
  });

  it('finds a task after /', async () => {
    await show();
    await userEvent.keyboard('/');
    await userEvent.type(await screen.findByPlaceholderText('Find a task'), 'e{Enter}');
    expect(document.activeElement).toBe(scene());
    expect(scene().getAttribute('aria-activedescendant')).toMatch(/-e$/);
  }, 30_000);

  it.each([
    ['Escape', '{Escape}'],
    ['a text that nothing matches', 'xyz'],
  ])(
    'lights the trail of a hit until %s',
    async (_, end) => {
      await show();
      await userEvent.keyboard('/');
      await userEvent.type(await screen.findByPlaceholderText('Find a task'), 'e');
      await waitFor(() => {
        expect(scene()).toHaveAttribute('data-lit');
      });
      await userEvent.keyboard(end);
      await waitFor(() => {
        expect(scene()).not.toHaveAttribute('data-lit');
      });
    },
    30_000,
  );

  it('shows that there are no tasks', async () => {
    await show({ graph: toGraph(written([], [])) });
    expect(screen.getByText('This schedule has no tasks yet.')).toBeVisible();
  });

  it('shows names as text, not as HTML', async () => {
    const hostile = '<img src=x onerror=alert(1)>';
    const named = {
      ...definition,
      jobs: [{ key: 'j', title: hostile, tasks: [{ key: 'a', handler: 'shell', title: hostile }] }],
    };
    const { container } = await show({ graph: toGraph(named) });
    expect(container.querySelector('img')).toBeNull();
    expect(card(new RegExp('<img src=x'))).toBeVisible();
  });

  it('passes axe', async () => {
    const { container } = await show({ selected: 'b' });
    act(() => {
      scene().focus();
    });
    fireEvent.keyDown(scene(), { key: 'ArrowRight' });
    const { violations } = await axe.run(container, {
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 200))])).toEqual([]);
  }, 30_000);
});
