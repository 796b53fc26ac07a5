import { describe, expect, it } from 'vitest';
import { type JobRollUp, type JobRun, rollUp } from './jobRollUp';

interface Vector {
  name: string;
  allowed?: string[];
  runs: (JobRun & { job: string })[];
  want: (JobRollUp & { key: string })[];
}

const files = import.meta.glob<Vector[]>('../../../server/graph/testdata/rollup.json', {
  import: 'default',
  eager: true,
});
const vectors = Object.values(files).flat();

describe('the roll-up of a job', () => {
  it.each(vectors)('is that of the server: $name', ({ allowed = [], runs, want }) => {
    for (const { key, state, done, total, startedAt, finishedAt } of want)
      expect(
        rollUp(
          runs.filter((run) => run.job === key),
          new Set(allowed),
        ),
      ).toEqual({ state, done, total, startedAt, finishedAt });
  });
  it('is missing without runs', () => {
    expect(rollUp([], new Set())).toBeUndefined();
  });
});
