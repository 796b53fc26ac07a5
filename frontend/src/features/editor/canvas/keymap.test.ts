import { expect, it } from 'vitest';
import { commandFor } from './keyboardCommands';

const press = (key: string, more: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) =>
  commandFor({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

it.each([
  ['a', {}, 'add'],
  ['A', {}, 'add'],
  ['n', {}, 'addJob'],
  ['c', {}, 'connect'],
  ['F2', {}, 'rename'],
  ['m', {}, 'menu'],
  ['ContextMenu', {}, 'menu'],
  ['F10', { shiftKey: true }, 'menu'],
  ['F10', {}, undefined],
  ['Delete', {}, 'remove'],
  ['Backspace', {}, 'remove'],
  [' ', {}, 'toggle'],
  ['?', { shiftKey: true }, 'help'],
  ['a', { ctrlKey: true }, 'selectAll'],
  ['a', { metaKey: true }, 'selectAll'],
  ['d', { ctrlKey: true }, 'duplicate'],
  ['c', { ctrlKey: true }, undefined],
  ['z', { ctrlKey: true }, undefined],
  ['ArrowUp', { altKey: true, shiftKey: true }, 'laneUp'],
  ['ArrowDown', { altKey: true, shiftKey: true }, 'laneDown'],
  ['ArrowDown', { altKey: true }, undefined],
  ['ArrowDown', {}, undefined],
  ['Tab', {}, 'addAtPointer'],
  ['Tab', { shiftKey: true }, undefined],
  ['x', {}, undefined],
  ['Enter', {}, 'select'],
  ['Enter', { ctrlKey: true }, undefined],
  ['Escape', {}, 'clear'],
  ['?', { ctrlKey: true, shiftKey: true }, undefined],
  ['a', { ctrlKey: true, shiftKey: true }, undefined],
  ['ArrowUp', { shiftKey: true }, undefined],
] as const)('%s %o: %s', (key, more, want) => {
  expect(press(key, more)).toBe(want);
});
