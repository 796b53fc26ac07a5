import { afterEach, describe, expect, it } from 'vitest';
import { actionOf, isOverPage, takesText } from './keys';

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

afterEach(() => {
  document.body.replaceChildren();
});

describe('takesText', () => {
  it.each([
    ['<input>', true],
    ['<input type="number">', true],
    ['<input type="checkbox">', false],
    ['<input readonly>', false],
    ['<textarea></textarea>', true],
    ['<button></button>', false],
    ['<div></div>', false],
  ])('%s: %s', (html, want) => {
    document.body.innerHTML = html;
    expect(takesText(document.body.firstElementChild)).toBe(want);
  });
  it('is true in a code editor', () => {
    document.body.innerHTML = '<div class="cm-editor"><span></span></div>';
    expect(takesText(document.querySelector('span'))).toBe(true);
    expect(takesText(null)).toBe(false);
  });
});

describe('isOverPage', () => {
  it.each([
    ['<div role="dialog"><button></button></div>', true],
    ['<div role="alertdialog"><button></button></div>', true],
    ['<div role="menu"><button></button></div>', true],
    ['<div role="listbox"><button></button></div>', true],
    ['<header><button aria-haspopup="menu"></button></header>', false],
  ])('a button in %s: %s', (html, want) => {
    document.body.innerHTML = html;
    expect(isOverPage(document.querySelector('button'))).toBe(want);
  });
  it('is false for the page itself', () => {
    expect(isOverPage(document.body)).toBe(false);
    expect(isOverPage(null)).toBe(false);
  });
});
