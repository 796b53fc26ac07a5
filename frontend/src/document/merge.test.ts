import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyOps, type Doc, repairKeys, merge, newDocumentStore, resolve, hasUniqueKeys, tasksOf } from '.';
import {
  addJob,
  addTask,
  editHead,
  editJob,
  editParams,
  editTasks,
  removeJob,
  removeTasks,
  renameJob,
  renameTask,
} from './commands';
import { isEqual } from './equal';
import { moveJob, moveTasks } from './lanes';
import type { Command } from './store';
import { anyLots, commandOf, frozen, story, shown } from './testing';
import { connect, disconnect } from './dependencies';

type Change = (doc: Doc) => Command | undefined;
const after = (from: Doc, ...changes: Change[]): Doc =>
  changes.reduce((now, change) => applyOps(now, change(now)?.ops ?? []).doc, from);
const edited = (from: Doc, seeds: readonly number[][]): Doc =>
  after(
    from,
    ...seeds.map(
      (seed): Change =>
        (now) =>
          commandOf(now, seed),
    ),
  );
const settled = (of: Doc, command: Command | undefined) => {
  const store = newDocumentStore(of);
  store.getState().apply(command);
  return store.getState().doc;
};

/** A form of a document that does not depend on the order of tasks and needs. */
const canonical = (of: Doc): unknown => ({
  ...of,
  jobs: of.jobs.map((job) => ({
    ...job,
    tasks: Object.fromEntries(
      (job.tasks ?? []).map((task) => [task.key, { ...task, needs: [...(task.needs ?? [])].sort() }]),
    ),
  })),
});

describe('merge', () => {
  const base = frozen(story());

  it('adopts the changes of one side, and keeps the keys unique', () => {
    fc.assert(
      fc.property(anyLots(12), anyLots(12), (a, b) => {
        const [mine, theirs] = [frozen(edited(base, a)), frozen(edited(base, b))];
        expect(merge(base, mine, base).doc).toBe(mine);
        expect(isEqual(merge(base, base, theirs).doc, theirs)).toBe(true);
        expect(merge(base, mine, mine)).toEqual({ doc: mine, conflicts: [] });
        const both = merge(base, mine, theirs);
        expect(hasUniqueKeys(both.doc)).toBe(true);
        // What was merged holds all of theirs that mine can have: to merge it again brings nothing.
        if (both.conflicts.length === 0) expect(isEqual(merge(theirs, both.doc, theirs).doc, both.doc)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps both jobs if a task was moved to different ones', () => {
    const start: Doc = {
      ...base,
      jobs: [
        { key: 'a', tasks: [{ key: 't', handler: 'x' }] },
        { key: 'b', tasks: [] },
        { key: 'c', tasks: [] },
      ],
    };
    const to = (job: string, without?: string): Doc => ({
      ...start,
      jobs: start.jobs
        .filter(({ key }) => key !== without)
        .map(({ key }) => ({ key, tasks: key === job ? [{ key: 't', handler: 'x' }] : [] })),
    });
    for (const [mine, theirs] of [
      [to('b'), to('c', 'b')],
      [to('c', 'b'), to('b')],
    ] as const) {
      const both = merge(start, mine, theirs);
      expect(both.conflicts.map(({ path }) => path).sort()).toEqual(['jobs.b', 'tasks.t.job']);
      expect(both.doc.jobs.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    }
  });

  it('is the same in both directions, except for conflicts', () => {
    fc.assert(
      fc.property(anyLots(6), anyLots(6), (a, b) => {
        const [mine, theirs] = [edited(base, a), edited(base, b)];
        const [one, other] = [merge(base, mine, theirs), merge(base, theirs, mine)];
        const turned = other.conflicts.map(({ path }) => path);
        if (one.conflicts.some(({ field }) => field === 'key')) return; // named otherwise then, and so are their paths
        expect(one.conflicts.map(({ path }) => path).sort()).toEqual(turned.sort());
        if (one.conflicts.length === 0) expect(canonical(one.doc)).toEqual(canonical(other.doc));
      }),
      { numRuns: 150 },
    );
  });

  it('loses nothing: a value of either side is in the document, changed by the other, or in a conflict', () => {
    const values = (of: Doc) =>
      new Map(
        tasksOf(of).flatMap((task) =>
          [
            ['title', task.title],
            ['timeout', task.timeout],
            ...Object.entries(task.params ?? {}).map(([name, value]) => [`params.${name}`, value]),
          ].flatMap(([field, value]) =>
            value === undefined ? [] : [[`${task.key} ${String(field)}`, value] as const],
          ),
        ),
      );
    const edit = fc.array(
      fc.record({
        task: fc.constantFrom('A', 'D', 'E', 'K', 'new'),
        field: fc.constantFrom('title', 'timeout', 'command', 'x'),
        value: fc.constantFrom('1', '2', '3'),
      }),
      { maxLength: 8 },
    );
    const make = (edits: { task: string; field: string; value: string }[]): Doc =>
      after(
        base,
        ...edits.map(({ task, field, value }): Change => (now) => {
          if (!tasksOf(now).some(({ key }) => key === task))
            return addTask(now, 'j1', { key: task, handler: 'shell', title: value });
          return field === 'title' || field === 'timeout'
            ? editTasks(now, [task], { [field]: value })
            : editParams(now, [task], { [field]: value });
        }),
      );
    fc.assert(
      fc.property(edit, edit, (a, b) => {
        const [mine, theirs] = [make(a), make(b)];
        const { doc: both, conflicts } = merge(base, mine, theirs);
        const [was, here, there, now] = [base, mine, theirs, both].map(values);
        for (const side of [here, there]) {
          for (const [at, value] of side ?? []) {
            if (now?.get(at) === value || was?.get(at) === value) continue;
            expect(
              conflicts.some(
                ({ path, mine: x, theirs: y }) =>
                  path === `tasks.${at.replace(' ', '.')}` && (x === value || y === value),
              ),
              at,
            ).toBe(true);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  const cases: [string, Change[], Change[], (both: Doc, conflicts: string[]) => void][] = [
    [
      'other tasks',
      [(d) => editTasks(d, ['A'], { title: 'x' })],
      [(d) => editTasks(d, ['B'], { title: 'y' })],
      (both, conflicts) => {
        expect(
          tasksOf(both)
            .slice(0, 2)
            .map((task) => task.title),
        ).toEqual(['x', 'y']);
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'other params of one task',
      [(d) => editParams(d, ['A'], { a: 1 })],
      [(d) => editParams(d, ['A'], { b: 2 })],
      (both, conflicts) => {
        expect(tasksOf(both)[0]?.params).toEqual({ a: 1, b: 2 });
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'needs as sets',
      [(d) => disconnect(d, 'A', 'D')],
      [(d) => disconnect(d, 'B', 'D'), (d) => connect(d, 'F', 'I')],
      (both, conflicts) => {
        expect(shown(both)[1]).toEqual(['D: C']);
        expect(shown(both)[3]).toEqual(['I: E F', 'J: G H']);
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'a rename, and an edit of what it is about',
      [(d) => renameTask(d, 'D', 'load')],
      [
        (d) => editTasks(d, ['D'], { timeout: '1h' }),
        (d) => addTask(d, 'j2', { key: 'Z', handler: 'sql', needs: ['D'] }),
      ],
      (both, conflicts) => {
        expect(shown(both)[1]).toEqual(['load: A B C']);
        expect(shown(both)[2]?.at(-1)).toBe('Z: load');
        expect(tasksOf(both).find(({ key }) => key === 'load')?.timeout).toBe('1h');
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'two names for one task',
      [(d) => renameTask(d, 'D', 'load')],
      [(d) => renameTask(d, 'D', 'store')],
      (both, conflicts) => {
        expect(shown(both)[1]).toEqual(['load: A B C']);
        expect(conflicts).toEqual(['tasks.load.key']);
      },
    ],
    [
      'a job renamed, and a task more in it',
      [(d) => renameJob(d, 'j1', 'transform')],
      [(d) => addTask(d, 'j1', { key: 'Z', handler: 'sql' })],
      (both, conflicts) => {
        expect(both.jobs[1]?.key).toBe('transform');
        expect(shown(both)[1]).toEqual(['D: A B C', 'Z']);
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'removed here, changed there',
      [(d) => removeTasks(d, ['D'])],
      [(d) => editTasks(d, ['D'], { timeout: '1h' })],
      (both, conflicts) => {
        // With all that depends on it.
        expect(shown(both).slice(1, 3)).toEqual([['D: A B C'], ['E: D', 'F: D', 'G: D', 'H: D']]);
        expect(conflicts).toEqual(['tasks.D']);
      },
    ],
    [
      'removed here, needed by more there',
      [(d) => removeTasks(d, ['B'])],
      [(d) => addTask(d, 'j4', { key: 'Z', handler: 'sql', needs: ['B'] })],
      (both, conflicts) => {
        expect(shown(both)[0]).toContain('B');
        expect(conflicts).toEqual(['tasks.B']);
      },
    ],
    [
      'two that need each other removed on either side',
      [(d) => removeTasks(d, ['A'])],
      [(d) => removeTasks(d, ['D'])],
      (both, conflicts) => {
        expect(shown(both)).toEqual([['B', 'C'], [], ['E', 'F', 'G', 'H'], ['I: E', 'J: G H'], ['K: J']]);
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'a job removed that got a task',
      [(d) => removeJob(d, 'j4')],
      [(d) => addTask(d, 'j4', { key: 'Z', handler: 'sql' })],
      (both, conflicts) => {
        expect(shown(both)[4]).toEqual(['Z']);
        expect(conflicts).toEqual(['jobs.j4']);
      },
    ],
    [
      'one moved to two jobs',
      [(d) => moveTasks(d, ['H'], 'j4')],
      [(d) => moveTasks(d, ['H'], 'j3', 0)],
      (both, conflicts) => {
        expect(shown(both)[4]).toContain('H: D');
        expect(conflicts).toEqual(['tasks.H.job']);
      },
    ],
    [
      'jobs put in order here, one added there',
      [(d) => moveJob(d, 'j4', 0)],
      [(d) => addJob(d, 1, { key: 'check' })],
      (both, conflicts) => {
        expect(both.jobs.map((job) => job.key)).toEqual(['j4', 'j0', 'check', 'j1', 'j2', 'j3']);
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'jobs put in two orders',
      [(d) => moveJob(d, 'j4', 0)],
      [(d) => moveJob(d, 'j3', 0)],
      (both, conflicts) => {
        expect(both.jobs[0]?.key).toBe('j4');
        expect(conflicts).toEqual(['jobs']);
      },
    ],
    [
      'one key made by both',
      [(d) => addTask(d, 'j0', { key: 'Z', handler: 'shell', title: 'm' })],
      [(d) => addTask(d, 'j0', { key: 'Z', handler: 'sql', title: 'm' })],
      (both, conflicts) => {
        expect(tasksOf(both).filter(({ key }) => key === 'Z')).toEqual([{ key: 'Z', handler: 'shell', title: 'm' }]);
        expect(conflicts).toEqual(['tasks.Z.handler']);
      },
    ],
    [
      'keys that differ in case only',
      [(d) => addTask(d, 'j0', { key: 'zed', handler: 'shell' })],
      [(d) => addTask(d, 'j1', { key: 'ZED', handler: 'sql' })],
      (both) => {
        expect(shown(both).slice(0, 2)).toEqual([
          ['A', 'B', 'C', 'zed'],
          ['D: A B C', 'ZED2'],
        ]);
      },
    ],
    [
      'triggers and policy',
      [(d) => editHead(d, { triggers: [{ cron: '20 3 * * *' }, { cron: '@daily' }], policy: { timeout: '3h' } })],
      [(d) => editHead(d, { triggers: [{ cron: '@hourly' }] })],
      (both, conflicts) => {
        expect(both.triggers).toEqual([{ cron: '@daily' }, { cron: '@hourly' }]);
        expect(both.policy).toEqual({ timeout: '3h' });
        expect(conflicts).toEqual([]);
      },
    ],
    [
      'one field of the schedule and of a job',
      [(d) => editHead(d, { title: 'm' }), (d) => editJob(d, 'j0', { title: 'm' })],
      [(d) => editHead(d, { title: 't' }), (d) => editJob(d, 'j0', { title: 't' })],
      (both, conflicts) => {
        expect([both.title, both.jobs[0]?.title]).toEqual(['m', 'm']);
        expect(conflicts.sort()).toEqual(['jobs.j0.title', 'title']);
      },
    ],
    [
      'comments stay, and are no conflict',
      [(d) => editTasks(d, ['A'], { '#': ['mine'] })],
      [(d) => editTasks(d, ['A'], { '#': ['theirs'] })],
      (both, conflicts) => {
        expect(tasksOf(both)[0]?.['#']).toEqual(['mine']);
        expect(conflicts).toEqual([]);
      },
    ],
  ];
  it.each(cases)('%s', (_, a, b, expected) => {
    const [mine, theirs] = [frozen(after(base, ...a)), frozen(after(base, ...b))];
    const { doc: both, conflicts } = merge(base, mine, theirs);
    expected(
      both,
      conflicts.map(({ path }) => path),
    );
    for (const conflict of conflicts) {
      // Settled for theirs, it is as theirs; and for mine again, as mine.
      const forTheirs = settled(both, resolve(both, conflict, 'theirs'));
      expect(hasUniqueKeys(forTheirs)).toBe(true);
      const forMine = settled(both, resolve(both, conflict, 'mine'));
      if (conflict.field === undefined) {
        const removed = conflict.mine === undefined ? forMine : forTheirs;
        expect(removed).not.toBe(both);
        expect(conflict.mine === undefined ? forTheirs : forMine).toBe(both);
      } else {
        expect(forMine).toBe(both);
        expect(forTheirs).not.toBe(both);
      }
    }
  });
});

describe('repairKeys', () => {
  it('does not change a document whose keys are unique', () => {
    const good = story();
    expect(repairKeys(good)).toBe(good);
  });
  it.each([
    ['no jobs', {}, []],
    [
      'twins',
      {
        jobs: [
          { key: 'a', tasks: [{ key: 'x' }, { key: 'X' }] },
          { key: 'A', tasks: [{ key: 'x' }] },
        ],
      },
      [['x', 'X2'], ['x3']],
    ],
    ['no keys', { jobs: [{ tasks: [{}, {}] }] }, [['task', 'task2']]],
  ])('%s', (_, bad, want) => {
    const good = repairKeys(bad as unknown as Doc);
    expect(hasUniqueKeys(good)).toBe(true);
    expect(shown(good)).toEqual(want);
  });
});
