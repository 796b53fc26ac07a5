import { describe, expect, it } from 'vitest';
import { newDocumentStore } from '@/document';
import { newSceneStore } from '@/scene';
import { newCanvasStore, newPointerStore } from './canvasStore';
import { newEditActions } from './editActions';
import { commandFor, type KeyboardTarget, runKey } from './keyboardCommands';

const press = (key: string, more: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) =>
  commandFor({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

it.each([
  ['a', {}, 'add'],
  ['A', {}, 'add'],
  ['n', {}, 'addJob'],
  ['c', {}, 'connect'],
  ['F2', {}, 'rename'],
  ['m', {}, 'menu'],
  ['ContextMenu', {}, 'menu'],
  ['F10', { shiftKey: true }, 'menu'],
  ['F10', {}, undefined],
  ['Delete', {}, 'remove'],
  ['Backspace', {}, 'remove'],
  [' ', {}, 'toggle'],
  ['a', { ctrlKey: true }, 'selectAll'],
  ['a', { metaKey: true }, 'selectAll'],
  ['d', { ctrlKey: true }, 'duplicate'],
  ['c', { ctrlKey: true }, undefined],
  ['z', { ctrlKey: true }, undefined],
  ['ArrowUp', { altKey: true, shiftKey: true }, 'laneUp'],
  ['ArrowDown', { altKey: true, shiftKey: true }, 'laneDown'],
  ['ArrowDown', { altKey: true }, undefined],
  ['ArrowDown', {}, undefined],
  ['Tab', {}, 'addAtPointer'],
  ['Tab', { shiftKey: true }, undefined],
  ['x', {}, undefined],
  ['Enter', {}, 'select'],
  ['Enter', { ctrlKey: true }, undefined],
  ['Escape', {}, 'clear'],
  ['?', { ctrlKey: true, shiftKey: true }, undefined],
  ['a', { ctrlKey: true, shiftKey: true }, undefined],
  ['ArrowUp', { shiftKey: true }, undefined],
] as const)('%s %o: %s', (key, more, want) => {
  expect(press(key, more)).toBe(want);
});

/** Two jobs, `one` with the tasks a and b, and `two` with c; `active` is the active card or lane. */
function opened(active?: string) {
  const task = (key: string) => ({ key, handler: 'shell' });
  const store = newDocumentStore({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'x',
    jobs: [
      { key: 'one', tasks: [task('a'), task('b')] },
      { key: 'two', tasks: [task('c')] },
    ],
  });
  const target: KeyboardTarget = {
    store,
    canvas: newCanvasStore(),
    sceneStore: newSceneStore(),
    pointer: newPointerStore(),
    edit: newEditActions(store),
    positionOf: (mark = '') => ({ x: mark.length, y: 0 }),
    announcements: { connecting: (key) => `from ${key}`, connectEnded: () => 'ended', answer: () => 'refused' },
  };
  target.sceneStore.setState({ active, focused: active !== undefined });
  const press = (key: string, more: Partial<Record<'ctrlKey' | 'altKey' | 'shiftKey', boolean>> = {}) =>
    runKey({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more }, target);
  const shape = () => store.getState().doc.jobs.map(({ key, tasks = [] }) => [key, ...tasks.map((each) => each.key)]);
  return { ...target, press, shape };
}

describe('runKey', () => {
  it('does not handle keys of the scene and the page', () => {
    const { press, canvas } = opened('a');
    const before = canvas.getState();
    expect(press('x')).toBe(false);
    expect(press('Tab', { shiftKey: true })).toBe(false);
    expect(press('z', { ctrlKey: true })).toBe(false);
    expect(canvas.getState()).toBe(before);
  });
  it.each([
    ['an active task', 'a', { tasks: [] }, 'one'],
    ['an active task, although another one is selected', 'a', { tasks: ['c'] }, 'one'],
    ['an active lane, although a task is selected', ':one', { tasks: ['c'] }, 'one'],
    ['the last selected task if the active one is selected too', 'a', { tasks: ['a', 'c'] }, 'two'],
    ['the selected job if the active task was removed', 'gone', { tasks: [], job: 'one' }, 'one'],
    ['the schedule, whose last job it is, if nothing is active or selected', undefined, { tasks: [] }, 'two'],
  ])('opens quick-add for the job of %s', (_, active, selection, job) => {
    const { press, canvas, store, positionOf } = opened(active);
    store.getState().select(selection);
    expect(press('a')).toBe(true);
    expect(canvas.getState().quickAdd).toEqual({ client: positionOf(active), into: { job } });
  });
  it('handles Tab only if a task can be added at the mouse', () => {
    const { press, canvas, pointer } = opened('a');
    expect(press('Tab')).toBe(false);
    canvas.setState({ quickAddAt: (client) => ({ client, into: { job: 'one' } }) });
    pointer.setState({ at: { x: 7, y: 7 } });
    expect(press('Tab')).toBe(true);
    expect(canvas.getState().quickAdd).toMatchObject({ client: { x: 7 } });
    expect(press('ArrowDown')).toBe(false);
    expect(pointer.getState().at).toBeUndefined();
    expect(press('Tab')).toBe(false);
  });
  it('connects two tasks, or announces the refusal', () => {
    const { press, canvas, sceneStore, store } = opened('a');
    expect(press('c')).toBe(true);
    expect(canvas.getState()).toMatchObject({ connectingFrom: 'a', announcement: 'from a' });
    sceneStore.setState({ active: 'b' });
    expect(press('Enter')).toBe(true);
    expect(canvas.getState()).toMatchObject({ connectingFrom: undefined, announcement: 'refused' });
    expect(canvas.getState().tip).toMatchObject({ refusal: { code: 'same_job' }, client: { x: 1 } });
    expect(sceneStore.getState().active).toBe('a');
    press('c');
    expect(press('Escape')).toBe(true);
    expect(canvas.getState()).toMatchObject({ connectingFrom: undefined, announcement: 'ended' });
    press('c');
    sceneStore.setState({ active: 'c' });
    press('c');
    expect(store.getState().doc.jobs[1]?.tasks?.[0]?.needs).toEqual(['a']);
  });
  it('ends a dependency by C with Caps Lock too, but not by Ctrl+C, which copies', () => {
    const { press, canvas, sceneStore, store } = opened('a');
    press('C');
    sceneStore.setState({ active: 'c' });
    expect(press('c', { ctrlKey: true })).toBe(false);
    expect(canvas.getState().connectingFrom).toBe('a');
    press('C');
    expect(store.getState().doc.jobs[1]?.tasks?.[0]?.needs).toEqual(['a']);
  });
  it('renames and removes the active task, or the job of the active lane', () => {
    const task = opened('a');
    task.press('F2');
    expect(task.canvas.getState().renaming).toBe('a');
    task.press('Delete');
    expect(task.shape()).toEqual([
      ['one', 'b'],
      ['two', 'c'],
    ]);
    const lane = opened(':one');
    lane.press('F2');
    expect(lane.canvas.getState().renaming).toBe(':one');
    lane.press('Backspace');
    expect(lane.shape()).toEqual([['two', 'c']]);
  });
  it('opens the menu of a task, a lane, or the ground', () => {
    const subjectFor = (active: string | undefined) => {
      const { press, canvas } = opened(active);
      press('F10', { shiftKey: true });
      return canvas.getState().contextMenu?.subject;
    };
    expect(subjectFor('a')).toEqual({ task: 'a' });
    expect(subjectFor(':two')).toEqual({ job: 'two' });
    expect(subjectFor(undefined)).toEqual({ ground: 2 });
  });
  it('moves tasks and jobs by lanes', () => {
    const task = opened('a');
    task.press('ArrowDown', { altKey: true, shiftKey: true });
    expect(task.shape()).toEqual([
      ['one', 'b'],
      ['two', 'c', 'a'],
    ]);
    const lane = opened(':two');
    lane.press('ArrowUp', { altKey: true, shiftKey: true });
    expect(lane.shape()).toEqual([
      ['two', 'c'],
      ['one', 'a', 'b'],
    ]);
  });
  it('selects and clears, and does not handle Escape if nothing is selected', () => {
    const { press, store } = opened('a');
    expect(press('Escape')).toBe(false);
    press('Enter');
    expect(store.getState().selection.tasks).toEqual(['a']);
    press('a', { ctrlKey: true });
    expect(store.getState().selection.tasks).toEqual(['a', 'b']);
    press('a', { ctrlKey: true });
    expect(store.getState().selection.tasks).toEqual(['a', 'b', 'c']);
    expect(press(' ')).toBe(true);
    expect(store.getState().selection.tasks).toEqual(['b', 'c']);
    expect(press('Escape')).toBe(true);
    expect(store.getState().selection.tasks).toEqual([]);
  });
  it('adds a job below the active lane, and makes its lane active', () => {
    const { press, shape, sceneStore } = opened(':one');
    press('n');
    expect(shape()).toEqual([['one', 'a', 'b'], ['job'], ['two', 'c']]);
    expect(sceneStore.getState()).toMatchObject({ active: ':job', focused: true });
  });
  it('duplicates', () => {
    const { press, shape } = opened('c');
    press('d', { ctrlKey: true });
    expect(shape()[1]).toEqual(['two', 'c', 'c2']);
  });
});
