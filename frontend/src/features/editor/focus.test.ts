import { afterEach, describe, expect, it } from 'vitest';
import { isOverPage, takesText } from './keys';

afterEach(() => {
  document.body.replaceChildren();
});

describe('what takes text', () => {
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
  it('is anything in an editor of text', () => {
    document.body.innerHTML = '<div class="cm-editor"><span></span></div>';
    expect(takesText(document.querySelector('span'))).toBe(true);
    expect(takesText(null)).toBe(false);
  });
});

describe('what is over the page', () => {
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
  it('is not the page itself', () => {
    expect(isOverPage(document.body)).toBe(false);
    expect(isOverPage(null)).toBe(false);
  });
});
