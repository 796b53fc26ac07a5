import { afterEach, describe, expect, it } from 'vitest';
import { hasOnlyCtrl, isOverPage, isPageKey, setSingleKeys, singleKeysOn, takesText } from './keys';

afterEach(() => {
  document.body.replaceChildren();
  localStorage.clear();
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

describe('hasOnlyCtrl', () => {
  const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  it.each([
    [{ ctrlKey: true }, true],
    [{ metaKey: true }, false], // this is no Mac
    [{ ctrlKey: true, shiftKey: true }, false],
    [{ ctrlKey: true, altKey: true }, false],
    [{}, false],
  ])('%j: %s', (over, want) => {
    expect(hasOnlyCtrl({ ...none, ...over })).toBe(want);
  });
});

describe('isPageKey', () => {
  /** Presses a key at the first element of a page. */
  const press = (html: string, over: KeyboardEventInit = {}) => {
    document.body.innerHTML = html;
    const event = new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true, ...over });
    document.body.firstElementChild?.dispatchEvent(event);
    return isPageKey(event);
  };
  it.each([
    ['<button></button>', {}, true],
    ['<button></button>', { shiftKey: true }, true],
    ['<button></button>', { ctrlKey: true }, false],
    ['<button></button>', { altKey: true }, false],
    ['<button></button>', { isComposing: true }, false],
    ['<input>', {}, false],
    ['<select></select>', {}, false],
    ['<div role="menu"></div>', {}, false],
    ['<button></button><div role="dialog" aria-modal="true"></div>', {}, false],
  ])('%s with %j: %s', (html, over, want) => {
    expect(press(html, over)).toBe(want);
  });
  it('is false while single keys are turned off', () => {
    setSingleKeys(false);
    expect([singleKeysOn(), press('<button></button>')]).toEqual([false, false]);
    setSingleKeys(true);
    expect([singleKeysOn(), press('<button></button>')]).toEqual([true, true]);
  });
});
