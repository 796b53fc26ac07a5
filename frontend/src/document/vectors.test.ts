import { describe, expect, it } from 'vitest';
import { edgeKey, redundantNeeds } from '@/graph';
import { check, type Doc, noteOf, ordered, refusalOf, tasksOf } from '.';
import { withNeeds } from './commands';

interface Vector {
  name: string;
  definition: Doc;
  faults: { code: string; path: string }[];
  redundant: string[];
}

// The server's test vectors: both find the same faults, and refuse the same dependencies.
const files = import.meta.glob<Vector[]>('../../../server/graph/testdata/vectors/*.json', {
  eager: true,
  import: 'default',
});
const vectors = Object.values(files).flat();
const named = vectors.map((vector) => [vector.name, vector] as const);

describe('the vectors of the server', () => {
  it('are there', () => {
    expect(vectors.length).toBeGreaterThan(40);
  });
  it.each(named)('faults: %s', (_, { definition, faults }) => {
    // What conditions name is not the graph's to judge.
    const found = check(definition)
      .filter((fault) => !fault.warning && fault.field !== 'when')
      .map(({ code, path }) => `${path} ${code}`);
    expect(found.sort()).toEqual(faults.map(({ code, path }) => `${path} ${code}`).sort());
  });

  // A need that is in a document without faults may be drawn, and is noted as redundant just if it is.
  it.each(named.filter(([, { faults }]) => faults.length === 0))('drawn again: %s', (_, { definition }) => {
    const redundant = redundantNeeds(definition);
    for (const task of tasksOf(definition)) {
      for (const need of task.needs ?? []) {
        const others = (task.needs ?? []).filter((other) => other !== need);
        const without = ordered({
          ...definition,
          jobs: definition.jobs.map((job) => ({
            ...job,
            tasks: job.tasks?.map((other) => (other === task ? withNeeds(task, others) : other)),
          })),
        });
        expect(refusalOf(without, need, task.key)).toBeUndefined();
        expect(noteOf(without, need, task.key)?.code).toBe(
          redundant.has(edgeKey(need, task.key)) ? 'redundant' : undefined,
        );
        expect(refusalOf(definition, need, task.key)?.code).toBe('twice');
      }
    }
  });

  // A dependency that is a fault in a document is refused while it is drawn.
  const refused: Record<string, string> = {
    same_job_need: 'same_job',
    later_need: 'upwards',
    self_need: 'self',
    unknown_need: 'unknown',
    duplicate_need: 'twice',
  };
  it.each(named.filter(([, { faults }]) => faults.some(({ code }) => code in refused)))(
    'refused: %s',
    (_, { definition, faults }) => {
      for (const { code, path } of faults) {
        const [j = 0, t = 0, n = 0] = [...path.matchAll(/\d+/g)].map(Number);
        const task = definition.jobs[j]?.tasks?.[t];
        const need = task?.needs?.[n];
        if (!task || need === undefined || !(code in refused)) continue;
        const before = withNeeds(task, (task.needs ?? []).slice(0, n));
        const doc = {
          ...definition,
          jobs: definition.jobs.map((job) => ({
            ...job,
            tasks: job.tasks?.map((other) => (other === task ? before : other)),
          })),
        };
        expect(refusalOf(doc, need, task.key)?.code, path).toBe(refused[code]);
      }
    },
  );
});
