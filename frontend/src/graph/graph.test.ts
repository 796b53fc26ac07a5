import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Definition } from '@/api/definition';
import { byNumber, invalidEdges, toGraph } from './graph';
import { edgeKey, wouldBeRedundant } from './redundancy';
import { anyDefinition, written } from './testing';

interface Vector {
  name: string;
  definition: Definition;
  faults: unknown[];
  redundant: string[];
}

// The server's test vectors: both find the same needs redundant.
const files = import.meta.glob<Vector[]>('../../../server/graph/testdata/vectors/*.json', {
  eager: true,
  import: 'default',
});
const vectors = Object.values(files)
  .flat()
  .filter((vector) => vector.faults.length === 0);

describe('redundant needs', () => {
  it('has the vectors of the server', () => {
    expect(vectors.length).toBeGreaterThan(20);
  });
  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_, { definition, redundant }) => {
    const found = toGraph(definition).redundant;
    const paths = definition.jobs.flatMap((job, j) =>
      (job.tasks ?? []).flatMap((task, t) =>
        (task.needs ?? []).flatMap((need, n) =>
          found.has(edgeKey(need, task.key)) ? `jobs[${j}].tasks[${t}].needs[${n}]` : [],
        ),
      ),
    );
    expect(paths.sort()).toEqual([...redundant].sort());
  });

  it('are the same as a plain search finds, also over many blocks', () => {
    fc.assert(
      fc.property(anyDefinition({ jobs: 6, tasks: 5 }), fc.constantFrom(0, 511, 512, 1100), (definition, wide) => {
        // A wide job in front moves everything else into later blocks.
        const front = {
          key: 'front',
          tasks: Array.from({ length: wide }, (_, i) => ({
            key: `w${i}`,
            handler: 'shell',
            rule: 'all_done' as const,
          })),
        };
        const whole: Definition = { ...definition, jobs: [front, ...definition.jobs] };
        const found = toGraph(whole).redundant;
        expect([...found].sort()).toEqual(plainly(whole).sort());
        // While a need is drawn, only that need is checked: the answer must be the same as for the whole graph.
        for (const job of whole.jobs)
          for (const { key, needs } of job.tasks ?? [])
            for (const need of needs ?? [])
              expect(wouldBeRedundant(whole, need, key)).toBe(found.has(edgeKey(need, key)));
      }),
      { numRuns: 60 },
    );
  });
});

/** Redundant needs by walking up from each other need of a task. */
function plainly(definition: Definition): string[] {
  const tasks = new Map(
    definition.jobs.flatMap((job, lane) =>
      (job.tasks ?? []).map((spec) => [spec.key, { spec, lane, off: spec.disabled || job.disabled }] as const),
    ),
  );
  const all = [...tasks.values()];
  const rule = (key: string) => tasks.get(key)?.spec.rule ?? 'all_success';
  const noneable = new Map<string, boolean>();
  for (const { spec } of all) {
    noneable.set(
      spec.key,
      rule(spec.key) === 'all_success'
        ? (spec.needs ?? []).some((need) => noneable.get(need))
        : rule(spec.key) !== 'all_done',
    );
  }
  const proves = (key: string): string[] => {
    const task = tasks.get(key);
    if (!task || rule(key) !== 'all_success' || task.spec.allowFailure || task.off || task.spec.when) return [];
    if (task.spec.needs?.length) return task.spec.needs;
    return all.filter(({ spec, lane }) => lane < task.lane && !noneable.get(spec.key)).map(({ spec }) => spec.key);
  };
  return all.flatMap(({ spec }) => {
    if (rule(spec.key) !== 'all_success') return [];
    const proven = new Set((spec.needs ?? []).flatMap(proves));
    for (const key of proven) proves(key).forEach((more) => proven.add(more));
    return (spec.needs ?? []).filter((need) => proven.has(need)).map((need) => edgeKey(need, spec.key));
  });
}

describe('toGraph', () => {
  it('marks tasks that wait for all earlier jobs', () => {
    const graph = toGraph(written([], ['a'], ['b', 'c: a']));
    expect(graph.jobs.map((job) => job.tasks.map((task) => task.waitsForAll))).toEqual([[], [false], [true, false]]);
  });
  it('leaves out needs that name no task of an earlier job', () => {
    const graph = toGraph(written(['a'], ['b: a gone b c', 'c: a a']));
    expect(byNumber(graph).tasks.map((task) => task.needs)).toEqual([[], ['a'], ['a']]);
  });
  it('accepts a job without a list of tasks', () => {
    const definition = {
      ...written(['a']),
      jobs: [{ key: 'none' }, { key: 'j', tasks: [{ key: 'a', handler: 'sql' }] }],
    };
    expect(toGraph(definition).jobs.map((job) => job.tasks.length)).toEqual([0, 1]);
  });
});

it('finds dependencies on tasks of the same job and of later ones', () => {
  expect(
    invalidEdges({
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'x',
      jobs: [
        {
          key: 'one',
          tasks: [
            { key: 'a', handler: 'shell', needs: ['b', 'c', 'a', 'nobody'] },
            { key: 'b', handler: 'shell' },
          ],
        },
        { key: 'two', tasks: [{ key: 'c', handler: 'shell', needs: ['a'] }] },
      ],
    }),
  ).toEqual([
    ['b', 'a'],
    ['c', 'a'],
  ]);
});
