import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, looksLikeRows, MAX_ROWS, tsvOf } from './cells';

describe('the cells of a text', () => {
  it.each([
    [
      'a\tb\nc\td',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,"d, e"\r\n',
      [
        ['a', 'b'],
        ['c', 'd, e'],
      ],
    ],
    [
      'a;b,c\n1;2',
      [
        ['a', 'b,c'],
        ['1', '2'],
      ],
    ],
    ['a\t"line one\nline ""two"""\tb', [['a', 'line one\nline "two"', 'b']]],
    ['\uFEFFa\t\tb', [['a', '', 'b']]],
    ['a\n\n \t \nb', [['a'], ['b']]],
    ['a\t"open', [['a', 'open']]],
    ['a\t"b"c\td', [['a', 'bc', 'd']]],
    ["'=1+1\t'x", [['=1+1', "'x"]]],
  ])('%j', (text, rows) => {
    expect(cellsOf(text)).toEqual({ rows, more: false });
  });
  it('end at the limit, with a row for the head', () => {
    const { rows, more } = cellsOf('x\ty\n'.repeat(MAX_ROWS + 5));
    expect([rows.length, more]).toEqual([MAX_ROWS + 1, true]);
  });
  it('come back from a copy', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', '=', "'", ',', '-') });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1 }), (rows) => {
        const filled = rows.filter((row) => row.some((one) => one.trim() !== ''));
        expect(cellsOf(tsvOf(rows)).rows).toEqual(filled);
      }),
    );
  });
});

describe('a text', () => {
  it.each([
    ['a\tb', true],
    ['a,b\nc,d', true],
    ['one line, with a comma', false],
    ['some prose, here\nand more prose', false],
    ['{"hivego": 1}', false],
    ['', false],
  ])('%j looks like rows: %j', (text, want) => {
    expect(looksLikeRows(text)).toBe(want);
  });
});
