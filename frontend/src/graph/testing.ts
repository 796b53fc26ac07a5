import fc from 'fast-check';
import type { Definition, DefinitionTask, Rule } from '@/api/definition';

/** For tests: a document of jobs of tasks, each written as `key` or `key: need need`. */
export function written(...jobs: string[][]): Definition {
  return {
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'x',
    jobs: jobs.map((tasks, j) => ({
      key: `j${j}`,
      tasks: tasks.map((text): DefinitionTask => {
        const [key = '', needs = ''] = text.split(': ');
        return { key, handler: 'shell', needs: needs.split(' ').filter(Boolean) };
      }),
    })),
  };
}

const RULES: readonly (Rule | undefined)[] = [
  undefined,
  undefined,
  undefined,
  'all_success',
  'all_done',
  'one_success',
  'one_failed',
  'all_failed',
];

/** For tests: random documents, with empty jobs, needs that skip jobs, and tasks without needs. */
export const anyDefinition = (most: { jobs: number; tasks: number }): fc.Arbitrary<Definition> =>
  fc
    .array(
      fc.record({
        off: fc.constantFrom(false, false, false, true),
        drawn: fc.array(
          fc.record({
            needs: fc.array(fc.nat(), { maxLength: 4 }),
            rule: fc.constantFrom(...RULES),
            weak: fc.constantFrom<keyof DefinitionTask | undefined>(
              undefined,
              undefined,
              undefined,
              undefined,
              'allowFailure',
              'disabled',
              'when',
            ),
          }),
          { maxLength: most.tasks },
        ),
      }),
      { minLength: 1, maxLength: most.jobs },
    )
    .map((jobs) => {
      const earlier: string[] = [];
      return {
        apiVersion: 'hivego/v1',
        kind: 'Schedule',
        name: 'x',
        jobs: jobs.map(({ drawn, off }, j) => {
          const tasks = drawn.map(({ needs, rule, weak }, i): DefinitionTask => ({
            key: `t${j}_${i}`,
            handler: 'shell',
            rule,
            needs: earlier.length === 0 ? [] : [...new Set(needs.map((n) => earlier[n % earlier.length] ?? ''))],
            ...(weak ? { [weak]: weak === 'when' ? 'true' : true } : {}),
          }));
          earlier.push(...tasks.map((task) => task.key));
          return { key: `j${j}`, tasks, ...(off ? { disabled: true } : {}) };
        }),
      };
    });
