import { describe, expect, it } from 'vitest';
import { newDocumentStore } from '@/document';
import { newEditActions } from './editActions';

function opened() {
  const store = newDocumentStore({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'x',
    jobs: [
      {
        key: 'one',
        tasks: [
          { key: 'a', handler: 'shell' },
          { key: 'b', handler: 'shell' },
        ],
      },
      { key: 'two', tasks: [{ key: 'c', handler: 'shell', needs: ['a'] }] },
    ],
  });
  const shape = () =>
    store
      .getState()
      .doc.jobs.map(
        (job) =>
          `${job.key}: ${(job.tasks ?? []).map((task) => [task.key, ...(task.needs ?? [])].join('<')).join(' ')}`,
      );
  return { store, shape, edit: newEditActions(store) };
}

describe('edit actions', () => {
  it('connects, or returns the refusal; its offer is one step', () => {
    const { edit, shape, store } = opened();
    expect(edit.connect('a', 'b')).toMatchObject({ refusal: { code: 'same_job' } });
    expect(edit.connect('c', 'c')).toMatchObject({ refusal: { code: 'self' } });
    expect(store.getState().past).toHaveLength(0);
    expect(edit.connect('b', 'c')).toBeUndefined();
    expect(shape()).toEqual(['one: a b', 'two: c<a<b']);
    store.getState().undo();
    expect(edit.connect('a', 'b', true)).toBeUndefined();
    expect(shape()).toEqual(['one: a', 'two: c<a b<a']);
    store.getState().undo();
    expect(shape()).toEqual(['one: a b', 'two: c<a']);
  });
  it('adds a task before another, after a task, or with a new job, each as one step', () => {
    const { edit, shape, store } = opened();
    edit.add('sql', { into: { job: 'one', before: 'b' } }, 'x');
    expect(shape()[0]).toBe('one: a x b');
    edit.add('sql', { into: { job: 'two' }, from: 'b' }, 'y');
    expect(shape()[1]).toBe('two: c<a y<b');
    edit.add('sql', { into: { index: 1 }, from: 'a' }, 'z');
    expect(shape()).toEqual(['one: a x b', 'job: z<a', 'two: c<a y<b']);
    expect(store.getState().past).toHaveLength(3);
    for (let i = 0; i < 3; i++) store.getState().undo();
    expect(shape()).toEqual(['one: a b', 'two: c<a']);
  });
  it('moves tasks to lanes, and removes needs that become impossible', () => {
    const { edit, shape } = opened();
    edit.move(['b'], 'two', 'c');
    expect(shape()).toEqual(['one: a', 'two: b c<a']);
    edit.moveBy(['c'], -1);
    expect(shape()).toEqual(['one: a c', 'two: b']);
    edit.moveBy(['b'], 1);
    expect(shape()).toEqual(['one: a c', 'two: ', 'job: b']);
  });
  it('puts moved tasks before the next task that stays', () => {
    const { edit, shape } = opened();
    edit.add('shell', { into: { job: 'one' } }, 'd');
    edit.move(['b', 'd'], 'one', 'b');
    expect(shape()[0]).toBe('one: a b d');
    edit.move(['d'], 'one', 'a');
    expect(shape()[0]).toBe('one: d a b');
  });
  it('removes the selection: tasks, a job, a dependency', () => {
    const { edit, shape } = opened();
    edit.select({ tasks: [], edge: { from: 'a', to: 'c' } });
    edit.remove();
    expect(shape()).toEqual(['one: a b', 'two: c']);
    edit.selectTasks(['a', 'b']);
    edit.remove();
    expect(shape()).toEqual(['one: ', 'two: c']);
    edit.select({ tasks: [], job: 'two' });
    edit.remove();
    expect(shape()).toEqual(['one: ']);
  });
  it('selects nothing if the drawer would cover the canvas', () => {
    const { store } = opened();
    const edit = newEditActions(store, () => true);
    expect(edit.addJob(2)?.job).toBe('job');
    expect(store.getState().selection).toEqual({ tasks: [] });
  });
});
