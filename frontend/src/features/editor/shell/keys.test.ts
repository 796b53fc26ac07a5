import { afterEach, describe, expect, it } from 'vitest';
import { actionOf, takesText } from './keys';

const press = (key: string, over: Partial<KeyboardEvent> = {}) => actionOf({ key, ctrlKey: true, metaKey: false, shiftKey: false, altKey: false, ...over });

describe('a key', () => {
  it.each<[string, Partial<KeyboardEvent>, ReturnType<typeof actionOf>]>([
    ['z', {}, 'undo'], ['Z', { shiftKey: true }, 'redo'], ['y', {}, 'redo'], ['s', {}, 'save'], ['Enter', {}, 'publish'],
    ['z', { ctrlKey: false, metaKey: true }, 'undo'], ['z', { ctrlKey: false }, undefined], ['z', { altKey: true }, undefined],
    ['a', {}, undefined], ['Enter', { shiftKey: true }, undefined], ['S', { shiftKey: true }, undefined],
  ])('%s with %j is %s', (key, over, want) => { expect(press(key, over)).toBe(want); });
});

describe('what takes text', () => {
  afterEach(() => { document.body.replaceChildren(); });
  it.each([
    ['<input>', true], ['<input type="number">', true], ['<input type="checkbox">', false], ['<input readonly>', false], ['<textarea></textarea>', true],
    ['<button></button>', false], ['<div></div>', false],
  ])('%s: %s', (html, want) => {
    document.body.innerHTML = html;
    expect(takesText(document.body.firstElementChild)).toBe(want);
  });
  it('is anything in an editor of text', () => {
    document.body.innerHTML = '<div class="cm-editor"><span></span></div>';
    expect(takesText(document.querySelector('span'))).toBe(true);
    expect(takesText(null)).toBe(false);
  });
});
