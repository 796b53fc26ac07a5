import { describe, expect, it } from 'vitest';
import { type Doc, diff } from '@/document';
import { pairOf } from './Compare';
import { drawingOf, marksOf, union } from './GraphDiff';

const doc = (jobs: Record<string, string>): Doc => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 's',
  jobs: Object.entries(jobs).map(([key, tasks]) => ({
    key,
    tasks: [...tasks].map((task) => ({ key: task, handler: 'shell', params: { command: `run ${task}` } })),
  })),
});
const keys = ({ jobs }: Doc) =>
  Object.fromEntries(jobs.map((job) => [job.key, (job.tasks ?? []).map((task) => task.key).join('')]));

describe('the compared sides', () => {
  const now = { base: 3, changed: true, numbers: [4, 3, 2, 1] };
  it.each([
    ['the draft with its base', {}, now, { from: 3, to: 'draft' }],
    ['without changes the newest with the one before', {}, { ...now, changed: false }, { from: 3, to: 4 }],
    ['a revision with the one before', { to: 2 }, now, { from: 1, to: 2 }],
    ['the first with nothing', { to: 1 }, now, { from: undefined, to: 1 }],
    ['an older one with the draft', { from: 1 }, { ...now, changed: false }, { from: 1, to: 'draft' }],
    ['any two', { from: 4, to: 1 }, now, { from: 4, to: 1 }],
    ['what is there, where the address names what is not', { from: 9, to: 8 }, now, { from: 3, to: 'draft' }],
    ['nothing with the draft of a new schedule', {}, { changed: true, numbers: [] }, { from: undefined, to: 'draft' }],
  ])('%s', (_, search, state, want) => {
    expect(pairOf(search, state)).toEqual(want);
  });
});

describe('the drawing of both documents', () => {
  const of = (a: Doc, b: Doc) => keys(union(a, b, diff(a, b)));
  it('has removed tasks at their former positions', () => {
    expect(of(doc({ x: 'abc', y: 'd' }), doc({ x: 'ac', y: 'd' }))).toEqual({ x: 'abc', y: 'd' });
    expect(of(doc({ x: 'abc' }), doc({ x: 'bc' }))).toEqual({ x: 'abc' });
    expect(of(doc({ x: 'ab', y: 'cd', z: 'ef' }), doc({ x: 'ab', z: 'ef' }))).toEqual({ x: 'ab', y: 'cd', z: 'ef' });
    expect(of(doc({ x: 'a' }), doc({}))).toEqual({ x: 'a' });
  });
  it('has a moved task once, at its new position', () => {
    expect(of(doc({ x: 'ab', y: 'c' }), doc({ x: 'a', y: 'cb' }))).toEqual({ x: 'a', y: 'cb' });
  });
  it('changes neither document', () => {
    const [a, b] = [doc({ x: 'abc' }), doc({ x: 'ac' })];
    const before = JSON.stringify([a, b]);
    union(a, b, diff(a, b));
    expect(JSON.stringify([a, b])).toBe(before);
  });
});

describe('removed dependencies', () => {
  /** Jobs from top to bottom; `c<ab` is a task c that needs a and b. */
  const wired = (...jobs: string[]): Doc => ({
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 's',
    jobs: jobs.map((tasks, n) => ({
      key: `job${String(n)}`,
      tasks: tasks.split(' ').map((text) => {
        const [key = '', needs] = text.split('<');
        return {
          key,
          handler: 'shell',
          params: { command: `run ${key.toLowerCase()}` },
          ...(needs ? { needs: [...needs] } : {}),
        };
      }),
    })),
  });
  const of = (a: Doc, b: Doc) => drawingOf(a, b, diff(a, b));
  it('are drawn, and listed for the task that had them', () => {
    const { graph, removedEdges, removedNeedsOf } = of(wired('a b', 'c<ab'), wired('a b', 'c<a'));
    expect([...removedEdges]).toEqual(['b>c']);
    expect(graph.jobs[1]?.tasks[0]?.needs).toEqual(['a', 'b']);
    expect([...removedNeedsOf]).toEqual([['c', ['b']]]);
  });
  it('include the dependencies of removed tasks', () => {
    const { removedEdges, removedNeedsOf } = of(wired('a', 'b<a', 'c<ab'), wired('a', 'x', 'c<a'));
    expect([...removedEdges].sort()).toEqual(['a>b', 'b>c']);
    expect([...removedNeedsOf]).toEqual([['c', ['b']]]);
  });
  it('follow renamed tasks', () => {
    const renamed = wired('z b', 'c<z');
    expect([
      ...of(wired('a b', 'c<ab'), {
        ...renamed,
        jobs: renamed.jobs.map((job) => ({
          ...job,
          tasks: job.tasks?.map((task) => (task.key === 'z' ? { ...task, params: { command: 'run a' } } : task)),
        })),
      }).removedEdges,
    ]).toEqual(['b>c']);
  });
  it('make no dependency redundant, and are drawn even if they were redundant', () => {
    const { graph, removedEdges } = of(wired('a', 'b<a', 'c<ab'), wired('a', 'b', 'c<a'));
    expect([...removedEdges].sort()).toEqual(['a>b', 'b>c']);
    expect([...graph.redundant]).toEqual([]);
    const tidied = of(wired('a', 'b<a', 'c<ab'), wired('a', 'b<a', 'c<b'));
    expect([...tidied.removedEdges]).toEqual(['a>c']);
    expect(tidied.graph.redundant.has('a>c')).toBe(false);
  });
  it('are empty if nothing was removed, and never run upwards', () => {
    expect(of(wired('a', 'b<a'), wired('a', 'b<a c')).removedEdges.size).toBe(0);
    const [a, b] = [wired('a', 'b<a'), wired('b', 'a')];
    expect(
      of(a, { ...b, jobs: b.jobs.map((job, n) => ({ ...job, key: `job${String(1 - n)}` })) }).removedEdges.size,
    ).toBe(0);
  });
});

describe('the marks', () => {
  it('show the change of each task', () => {
    const [a, b] = [doc({ x: 'abc', y: 'd' }), doc({ x: 'a', y: 'dbz' })];
    const changed: Doc = {
      ...b,
      jobs: b.jobs.map((job) => ({
        ...job,
        tasks: job.tasks?.map((task) =>
          task.key === 'd' ? { ...task, timeout: '1m' } : task.key === 'z' ? { ...task, handler: 'sql' } : task,
        ),
      })),
    };
    expect(Object.fromEntries(marksOf(diff(a, changed)))).toEqual({
      b: 'moved',
      c: 'removed',
      d: 'changed',
      z: 'added',
    });
  });
});
