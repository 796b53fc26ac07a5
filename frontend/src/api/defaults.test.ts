import { describe, expect, it } from 'vitest';
import { type Defaults, effectiveTask, effectiveTasks } from './defaults';
import type { DefinitionTask as Task } from './definition';

const FULL: Defaults = {
  group: 'etl',
  retry: { max: 2, delay: '30s' },
  timeout: '10m',
  killGrace: '20s',
  priority: 7,
  onLost: { do: 'hold', max: 1 },
};

describe('effectiveTask', () => {
  const cases: [string, Partial<Task>, Partial<Task>][] = [
    ['takes what it leaves out', {}, FULL],
    ['keeps what it writes', { group: 'default', timeout: '0s' }, { ...FULL, group: 'default', timeout: '0s' }],
    ['takes no part of a field that it writes', { retry: { max: 5 } }, { ...FULL, retry: { max: 5 } }],
    ['takes no retry if it writes none', { retry: { max: 0 } }, { ...FULL, retry: { max: 0 } }],
    ['takes no part of what follows a loss', { onLost: { max: 9 } }, { ...FULL, onLost: { max: 9 } }],
  ];
  it.each(cases)('%s', (_, own, want) => {
    const task: Task = { key: 'a', handler: 'shell', ...own };
    expect(effectiveTask({ key: 'j', defaults: FULL }, task)).toEqual({ key: 'a', handler: 'shell', ...want });
  });
  it('is disabled in a disabled job', () => {
    const task: Task = { key: 'a', handler: 'shell' };
    const jobs = [
      { key: 'j', disabled: true, tasks: [task] },
      { key: 'k', tasks: [{ ...task, key: 'b' }] },
    ];
    expect(effectiveTasks({ apiVersion: '', kind: '', name: 'x', jobs }).map((one) => one.disabled)).toEqual([
      true,
      undefined,
    ]);
    expect(task).not.toHaveProperty('disabled');
  });
  it('is the task itself if its job gives nothing', () => {
    const task: Task = { key: 'a', handler: 'shell' };
    expect(effectiveTask({ key: 'j' }, task)).toBe(task);
  });
});
