import { describe, expect, it } from 'vitest';
import { actionOf } from './keys';

const press = (key: string, over: Partial<KeyboardEvent> = {}) =>
  actionOf({ key, ctrlKey: true, metaKey: false, shiftKey: false, altKey: false, ...over });

describe('a key', () => {
  it.each<[string, Partial<KeyboardEvent>, ReturnType<typeof actionOf>]>([
    ['z', {}, 'undo'],
    ['Z', { shiftKey: true }, 'redo'],
    ['y', {}, 'redo'],
    ['s', {}, 'save'],
    ['Enter', {}, 'publish'],
    ['z', { ctrlKey: false, metaKey: true }, 'undo'],
    ['z', { ctrlKey: false }, undefined],
    ['z', { altKey: true }, undefined],
    ['a', {}, undefined],
    ['Enter', { shiftKey: true }, undefined],
    ['S', { shiftKey: true }, undefined],
  ])('%s with %j is %s', (key, over, want) => {
    expect(press(key, over)).toBe(want);
  });
});
