import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyOps,
  copyJobs,
  copyTasks,
  type Doc,
  editTasks,
  hasUniqueKeys,
  lostNeeds,
  paste,
  pasteBelowNeeds,
  readClip,
  tasksOf,
} from '.';
import { anyLots, commandOf, doc, frozen, story, shown } from './testing';

const pasted = (to: Doc, text: string | undefined, into?: string): Doc =>
  applyOps(to, paste(to, readClip(text ?? '')!, into)?.ops ?? []).doc;

describe('the clipboard', () => {
  it('keeps jobs and needs among the pasted tasks, under free keys', () => {
    expect(shown(pasted(story(), copyTasks(story(), ['D', 'E', 'I']), 'j1'))).toEqual([
      ['A', 'B', 'C'],
      ['D: A B C', 'D2: A B C'],
      ['E: D', 'F: D', 'G: D', 'H: D', 'E2: D2'],
      ['I: E', 'J: G H', 'I2: E2'],
      ['K: J'],
    ]);
  });
  it('adds missing jobs', () => {
    const to = pasted(doc(['x']), copyTasks(story(), ['D', 'I']), 'j0');
    expect(shown(to)).toEqual([['x', 'D'], [], ['I']]);
    expect(to.jobs.map((job) => job.key)).toEqual(['j0', 'j2', 'j3']);
  });
  it('keeps other needs only if they name tasks of earlier jobs', () => {
    expect(shown(pasted(doc(['A'], ['B']), copyTasks(story(), ['D']), 'j1'))).toEqual([['A'], ['B', 'D: A']]);
    expect(shown(pasted(doc(['x'], ['A']), copyTasks(story(), ['D']), 'j1'))).toEqual([['x'], ['A', 'D']]);
  });
  it('pastes at the end, and into an empty schedule', () => {
    expect(shown(pasted(doc(['a'], ['b']), copyTasks(doc(['c']), ['c'])))).toEqual([['a'], ['b', 'c']]);
    expect(shown(pasted(doc(), copyTasks(doc(['c']), ['c'])))).toEqual([['c']]);
  });
  it('renames tasks in expressions', () => {
    const from = applyOps(
      doc(['a'], ['b: a']),
      editTasks(doc(['a'], ['b: a']), ['b'], {
        when: 'outputs.a.x == "outputs.a"',
        params: { c: ['${{ outputs.a.y }} outputs.a'] },
      })!.ops,
    ).doc;
    expect(tasksOf(pasted(from, copyTasks(from, ['a', 'b']), 'j0')).find(({ key }) => key === 'b2')).toEqual({
      key: 'b2',
      handler: 'shell',
      needs: ['a2'],
      when: 'outputs.a2.x == "outputs.a"',
      params: { c: ['${{ outputs.a2.y }} outputs.a'] },
    });
  });
  it('pastes whole jobs', () => {
    const to = pasted(story(), copyJobs(story(), ['j1', 'j2']), 'j2');
    expect(to.jobs.map((job) => job.key)).toEqual(['j0', 'j1', 'j2', 'j5', 'j6', 'j3', 'j4']);
    expect(shown(to).slice(3, 5)).toEqual([['D2: A B C'], ['E2: D2', 'F2: D2', 'G2: D2', 'H2: D2']]);
  });
  it('copies nothing without a selection', () => {
    expect(copyTasks(story(), ['none'])).toBeUndefined();
    expect(copyJobs(story(), [])).toBeUndefined();
  });

  const mark = (rest: object) => JSON.stringify({ hivego: 'hivego/clip/v1', kind: 'tasks', ...rest });
  it.each([
    ['no JSON', 'hivego/clip/v1 {'],
    ['something else', '{"a": 1}'],
    ['null', 'null'],
    ['no jobs', mark({})],
    ['jobs of a wrong type', mark({ jobs: 'x' })],
    ['another kind', mark({ kind: 'x', jobs: [] })],
    ['no tasks', mark({ jobs: [{ key: 'a', tasks: [{}, 1, null, { key: 3 }] }] })],
    ['too long', `${mark({ jobs: [] })}${' '.repeat(5 << 20)}`],
  ])('rejects a text: %s', (_, text) => {
    expect(readClip(text)).toBeUndefined();
  });

  it('leaves out unknown and invalid fields', () => {
    const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`) as unknown;
    const clip = readClip(
      mark({
        jobs: [
          {
            key: 'a',
            strange: 1,
            tasks: [
              { key: 'x', handler: 5, needs: ['y', 3], title: 't', evil: 1, params: { deep }, retry: 'often' },
              { key: 'X', handler: 'sql' },
              { key: 'y', handler: 'sql', params: JSON.parse('{"__proto__": {"a": 1}, "b": 2}') as object },
            ],
          },
        ],
      }),
    );
    expect(clip?.jobs).toEqual([
      {
        key: 'a',
        tasks: [
          { key: 'x', handler: '', title: 't' },
          { key: 'y', handler: 'sql', params: { b: 2 } },
        ],
      },
    ]);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('reads its own text, and keeps the keys of every document unique', () => {
    fc.assert(
      fc.property(anyLots(8), fc.nat(), (seeds, n) => {
        const from = seeds.reduce<Doc>(
          (now, seed) => applyOps(now, commandOf(now, seed)?.ops ?? []).doc,
          frozen(story()),
        );
        const keys = tasksOf(from)
          .filter((_, i) => (n >> (i % 20)) % 2 === 0)
          .map((task) => task.key);
        const clip = readClip(copyTasks(from, keys) ?? '');
        expect(clip?.jobs.flatMap((job) => job.tasks ?? []) ?? []).toEqual(
          tasksOf(from).filter((task) => keys.includes(task.key)),
        );
        for (const to of [from, story(), doc()]) {
          const after = clip ? applyOps(to, paste(to, clip, to.jobs[n % 5]?.key)?.ops ?? []).doc : to;
          expect(hasUniqueKeys(after)).toBe(true);
          expect(tasksOf(after).length - tasksOf(to).length).toBe(keys.length);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('needs that a paste leaves out', () => {
  const lost = (to: Doc, text: string | undefined, into?: string) =>
    lostNeeds(to, readClip(text ?? '')!, into).map(
      ({ task, need, exists }) => `${need}>${task}${exists ? '' : ' gone'}`,
    );
  const below = (to: Doc, text: string | undefined, into?: string): Doc =>
    applyOps(to, pasteBelowNeeds(to, readClip(text ?? '')!, into)?.ops ?? []).doc;

  it('name tasks that are not above, or that the schedule does not have', () => {
    const text = copyTasks(story(), ['D', 'E']);
    expect(lost(doc(['x'], ['A']), text, 'j1')).toEqual(['A>D', 'B>D gone', 'C>D gone']);
    expect(lost(story(), text, 'j1')).toEqual([]);
  });
  it('stay if the tasks go further down, into new jobs if there are none', () => {
    expect(shown(below(doc(['x'], ['A']), copyTasks(story(), ['D', 'E']), 'j0'))).toEqual([
      ['x'],
      ['A'],
      ['D: A'],
      ['E: D'],
    ]);
    expect(shown(below(doc(['A'], ['y']), copyTasks(story(), ['D']), 'j0'))).toEqual([['A'], ['y', 'D: A']]);
  });
  it('of whole jobs stay below the last of them', () => {
    const text = copyJobs(story(), ['j1']);
    expect(lost(story(), text)).toEqual([]);
    expect(shown(below(doc(['x'], ['A'], ['y']), text, 'j0'))).toEqual([['x'], ['A'], ['D: A'], ['y']]);
  });
});
