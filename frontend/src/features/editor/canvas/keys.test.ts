import { expect, it } from 'vitest';
import { actionFor } from './keys';

const press = (key: string, more: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) =>
  actionFor({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

it.each([
  ['a', {}, 'add'],
  ['A', {}, 'add'],
  ['n', {}, 'job'],
  ['c', {}, 'connect'],
  ['F2', {}, 'rename'],
  ['m', {}, 'ring'],
  ['ContextMenu', {}, 'ring'],
  ['F10', { shiftKey: true }, 'ring'],
  ['F10', {}, undefined],
  ['Delete', {}, 'remove'],
  ['Backspace', {}, 'remove'],
  [' ', {}, 'toggle'],
  ['?', { shiftKey: true }, 'help'],
  ['a', { ctrlKey: true }, 'all'],
  ['a', { metaKey: true }, 'all'],
  ['d', { ctrlKey: true }, 'duplicate'],
  ['c', { ctrlKey: true }, undefined],
  ['z', { ctrlKey: true }, undefined],
  ['ArrowUp', { altKey: true, shiftKey: true }, 'laneUp'],
  ['ArrowDown', { altKey: true, shiftKey: true }, 'laneDown'],
  ['ArrowDown', { altKey: true }, undefined],
  ['ArrowDown', {}, undefined],
  ['Tab', {}, 'quick'],
  ['Tab', { shiftKey: true }, undefined],
  ['x', {}, undefined],
] as const)('%s %o: %s', (key, more, want) => {
  expect(press(key, more)).toBe(want);
});
