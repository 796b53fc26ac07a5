import { expect, it } from 'vitest';
import type { Definition } from '@/api/definition';
import { renameIn } from './renameIn';

it('changes the name in triggers, and nothing else', () => {
  const definition: Definition = {
    apiVersion: 'hivego/v1',
    kind: 'Schedule',
    name: 'mart',
    '#': { triggers: 'orders first' },
    triggers: [
      { cron: '0 3 * * *', after: [{ schedule: 'orders', window: 'same_day' }, { schedule: 'other' }] },
      { after: [{ schedule: 'orders', policy: 'any' }] },
      { cron: '@daily' },
    ],
    jobs: [],
  };
  expect(renameIn(definition, 'orders', 'sales')).toEqual({
    ...definition,
    triggers: [
      { cron: '0 3 * * *', after: [{ schedule: 'sales', window: 'same_day' }, { schedule: 'other' }] },
      { after: [{ schedule: 'sales', policy: 'any' }] },
      { cron: '@daily' },
    ],
  });
  expect(renameIn({ ...definition, triggers: undefined }, 'orders', 'sales').triggers).toBeUndefined();
});
