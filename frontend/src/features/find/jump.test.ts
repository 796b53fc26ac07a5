import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasRows, stepRow } from './jump';

afterEach(() => {
  document.body.replaceChildren();
});

const focused = () => document.activeElement?.textContent;

describe('stepRow', () => {
  beforeEach(() => {
    Element.prototype.scrollIntoView = () => undefined;
    document.body.innerHTML = `
      <nav><a href="#">elsewhere</a></nav>
      <main id="content"><table><tbody>
        <tr><td><button>mark</button></td><th scope="row"><a href="#">one</a></th><td><button>run</button></td></tr>
        <tr><td colspan="2"></td></tr>
        <tr><td><input type="checkbox"></td><td><button aria-pressed="false">two</button></td></tr>
        <tr><th scope="row"><a href="#">three</a></th></tr>
      </tbody></table></main>`;
  });
  it('goes from row to row, and stays at the ends', () => {
    const seen = ([1, 1, 1, 1, -1, -1, -1] as const).map((by) => {
      stepRow(by);
      return focused();
    });
    expect(seen).toEqual(['one', 'two', 'three', 'three', 'two', 'one', 'one']);
  });
  it('begins at the row that has the focus', () => {
    document.querySelector<HTMLElement>('td:last-child button')?.focus();
    stepRow(1);
    expect(focused()).toBe('two');
  });
  it('does nothing on a page without rows', () => {
    document.body.innerHTML = '<main id="content"></main>';
    expect([hasRows(), stepRow(1)]).toEqual([false, false]);
  });
});
