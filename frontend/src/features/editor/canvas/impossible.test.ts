import { expect, it } from 'vitest';
import { impossibleIn } from './impossible';

it('finds dependencies on tasks of the same job and of later ones', () => {
  expect(
    impossibleIn({
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
