import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyOps, diff, type Doc, ordered, tasksOf } from '.';
import {
  addTask,
  duplicateJob,
  editHead,
  editJob,
  editParams,
  editTasks,
  removeTasks,
  renameJob,
  renameTask,
} from './commands';
import { moveJob, moveTasks } from './lanes';
import type { Command } from './store';
import { anyLots, commandOf, doc, story } from './testing';

const after = (from: Doc, command: Command | undefined): Doc => applyOps(from, command?.ops ?? []).doc;
const base = story();

/**
 * A diff in short: `+task`, `-task`, `task field field`, with `<` for where it was moved and `=` for how it was
 * called.
 */
const short = (a: Doc, b: Doc): string[] => {
  const { head, jobs, tasks } = diff(a, b);
  const one = (what: string, { kind, key, fields, renamedFrom, movedFrom }: (typeof jobs)[number]) => {
    if (kind !== 'changed') return `${kind === 'added' ? '+' : '-'}${what}${key}`;
    return [
      `${what}${key}`,
      ...(renamedFrom ? [`=${renamedFrom}`] : []),
      ...(movedFrom ? [`<${movedFrom}`] : []),
      ...fields.map(({ field }) => field),
    ].join(' ');
  };
  return [
    ...head.map(({ field }) => field),
    ...jobs.map((job) => one('job ', job)),
    ...tasks.map((task) => one('', task)),
  ];
};

describe('diff', () => {
  const cases: [string, Command | undefined, string[]][] = [
    [
      'fields of a task',
      editTasks(base, ['A', 'B'], { title: 'x', retry: { max: 2 } }),
      ['A title retry.max', 'B title retry.max'],
    ],
    ['params of a task', editParams(base, ['A'], { command: 'a', more: [1] }), ['A params.command params.more']],
    ['a task more', addTask(base, 'j1', { key: 'Z', handler: 'sql' }), ['+Z']],
    ['a task less, and its needs with it', removeTasks(base, ['D']), ['-D']],
    ['a task renamed', renameTask(base, 'D', 'load'), ['load =D']],
    ['a task moved', moveTasks(base, ['H'], 'j3'), ['J needs', 'H <j2']],
    ['tasks put in order', moveTasks(base, ['C'], 'j0', 0), []],
    ['a job renamed', renameJob(base, 'j1', 'load'), ['job load =j1']],
    ['a job moved', moveJob(base, 'j4', 0), ['job j4 <5', 'K needs']],
    ['a job edited', editJob(base, 'j1', { timeout: '1h' }), ['job j1 timeout']],
    ['a job more', duplicateJob(base, 'j4'), ['+job j5', '+K2']],
    [
      'the schedule',
      editHead(base, { title: 'x', policy: { timeout: '2h', catchUp: { mode: 'all' } }, triggers: [] }),
      ['title', 'triggers', 'policy.catchUp.mode'],
    ],
    ['comments', editTasks(base, ['A'], { '#': 'x' }), []],
  ];
  it.each(cases)('%s', (_, command, expected) => {
    expect(command).toBeDefined();
    expect(short(base, after(base, command))).toEqual(expected);
    expect(diff(base, after(base, command)).count).toBe(expected.length);
  });

  it('has the former value', () => {
    const changed = after(base, editTasks(base, ['D'], { needs: ['C', 'A'] }));
    expect(diff(base, changed).tasks[0]?.fields).toEqual([
      { field: 'needs', before: ['A', 'B', 'C'], after: ['C', 'A'] },
    ]);
  });
  it('ignores the order of needs and fields', () => {
    const [a, b] = [doc(['a', 'b'], ['c: a b']), doc(['b', 'a'], ['c: b a'])];
    expect(short(a, { ...b, jobs: b.jobs.map(({ key, tasks }) => ({ tasks, key })) })).toEqual([]);
  });
  it('finds nothing between equal documents, and as many changes in both directions', () => {
    fc.assert(
      fc.property(anyLots(10), (seeds) => {
        const changed = seeds.reduce((now, seed) => after(now, commandOf(now, seed)), base);
        expect(diff(changed, ordered(structuredClone(changed))).count).toBe(0);
        const [there, back] = [diff(base, changed), diff(changed, base)];
        const added = (d: typeof there) =>
          d.tasks
            .filter((task) => task.kind === 'added')
            .map((task) => task.key)
            .sort();
        const removed = (d: typeof there) =>
          d.tasks
            .filter((task) => task.kind === 'removed')
            .map((task) => task.key)
            .sort();
        expect(added(there)).toEqual(removed(back));
        expect(added(there).length - removed(there).length).toBe(tasksOf(changed).length - tasksOf(base).length);
        expect(there.head.length).toBe(back.head.length);
      }),
      { numRuns: 80 },
    );
  });
});
