import { describe, expect, it } from 'vitest';
import type { DocFault } from '@/document';
import { countKinds, groupFaults, leftOfWalk, nextOfWalk } from './faultGroups';

const empty = (task: string): DocFault => ({
  code: 'missing_field',
  path: `jobs[0].tasks[0].params.command`,
  field: 'params.command',
  task,
});
const texts = (fault: DocFault, message = 'The command is missing.') => ({ fault, at: 'Command', message });

describe('the faults in the dialog', () => {
  it('are grouped where tasks have the same one, and wrong ones come first', () => {
    const wrong: DocFault = { code: 'bad_duration', path: 'jobs[0].timeout', field: 'timeout', job: 'load' };
    const warning: DocFault = { ...empty('d'), code: 'unknown_handler', warning: true };
    const groups = groupFaults([
      texts(empty('a')),
      texts(warning, 'No executor'),
      texts(empty('b')),
      texts(wrong, 'No duration'),
      texts({ ...wrong, path: 'jobs[1].timeout' }, 'No duration'),
    ]);
    expect(groups.map(({ kind, faults }) => [kind, ...faults.map((f) => f.task ?? f.path)])).toEqual([
      ['wrong', 'jobs[0].timeout'],
      ['wrong', 'jobs[1].timeout'],
      ['empty', 'a', 'b'],
      ['warning', 'd'],
    ]);
    expect(countKinds([empty('a'), warning, wrong])).toEqual({ wrong: 1, empty: 1, warning: 1 });
  });

  it('are walked through in both directions, without those that are gone', () => {
    const faults = ['a', 'b', 'c', 'd'].map(empty);
    const walk = { faults, start: 0 };
    const present = faults.filter(({ task }) => task !== 'b');
    expect(nextOfWalk(walk, 0, 1, present)).toBe(2);
    expect(nextOfWalk(walk, 0, -1, present)).toBe(3);
    expect(nextOfWalk(walk, 3, 1, present)).toBe(0);
    expect(leftOfWalk(walk, present)).toBe(3);
    expect(nextOfWalk(walk, 0, 1, [empty('a')])).toBeUndefined();
    expect(leftOfWalk(walk, [])).toBe(0);
  });
});
