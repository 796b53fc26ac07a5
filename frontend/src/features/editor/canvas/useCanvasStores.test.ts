import { describe, expect, it } from 'vitest';
import {
  addTask,
  applyOps,
  type Command,
  connect,
  type Doc,
  editTasks,
  moveJob,
  newDocumentStore,
  removeTasks,
  setJobDisabled,
} from '@/document';
import { newGraphCache } from './useCanvasStores';

const doc: Doc = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: [
    { key: 'one', tasks: [{ key: 'a', handler: 'shell' }] },
    {
      key: 'two',
      tasks: [
        { key: 'b', handler: 'shell' },
        { key: 'c', handler: 'sql' },
      ],
    },
  ],
};
const after = (command: Command | undefined) => applyOps(doc, command?.ops ?? []).doc;
const task = (graph: ReturnType<ReturnType<typeof newGraphCache>>, key: string) =>
  graph.jobs.flatMap((job) => job.tasks).find((each) => each.key === key);

describe('newGraphCache', () => {
  it('returns the same graph if nothing drawn has changed', () => {
    const graphOf = newGraphCache();
    const before = graphOf(doc);
    expect(graphOf(after(editTasks(doc, ['a'], { timeout: '5m', params: { command: 'true' } })))).toBe(before);
    expect(graphOf({ ...doc, title: 'X' })).toBe(before);
  });
  it('returns a new graph that shares unchanged tasks', () => {
    const graphOf = newGraphCache();
    const before = graphOf(doc);
    const next = graphOf(after(connect(doc, 'a', 'b')));
    expect(next).not.toBe(before);
    expect(task(next, 'b')?.needs).toEqual(['a']);
    expect(task(next, 'a')).toBe(task(before, 'a'));
    expect(task(next, 'c')).toBe(task(before, 'c'));
  });
  it('notices new tasks, titles and the order of jobs', () => {
    const graphOf = newGraphCache();
    graphOf(doc);
    expect(task(graphOf(after(addTask(doc, 'two', { handler: 'shell', key: 'd' }))), 'd')).toBeDefined();
    expect(task(graphOf(after(editTasks(doc, ['a'], { title: 'A' }))), 'a')?.title).toBe('A');
    expect(graphOf(after(setJobDisabled(doc, 'one', true)))).not.toBe(graphOf(doc));
    expect(graphOf(after(moveJob(doc, 'two', 0))).jobs.map((job) => job.key)).toEqual(['two', 'one']);
  });

  it('is the same one as before after an undo, so that the picture is the same too', () => {
    const store = newDocumentStore(doc);
    const graphOf = newGraphCache();
    const before = graphOf(store.getState().doc);
    store.getState().apply(removeTasks(store.getState().doc, ['a']));
    const between = graphOf(store.getState().doc);
    expect(between).not.toBe(before);
    store.getState().undo();
    expect(graphOf(store.getState().doc)).toBe(before);
    store.getState().redo();
    expect(graphOf(store.getState().doc)).toBe(between);
  });
});
