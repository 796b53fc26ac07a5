import { describe, expect, it } from 'vitest';
import { oneLine, differingParts, valueText } from './fieldTexts';

describe('the words of a value', () => {
  it.each([
    [undefined, ''],
    [null, ''],
    ['', ''],
    ['a', 'a'],
    [3, '3'],
    [false, 'false'],
    [['a', 'b'], 'a, b'],
    [{ max: 2, '#': 'a comment' }, 'max: 2'],
    [[{ a: 1, b: [2, 3] }, { a: 4 }], 'a: 1, b: 2, 3; a: 4'],
  ])('%j: %s', (value, want) => {
    expect(valueText(value)).toBe(want);
  });

  it.each([
    ['short', 'short'],
    ['a\nb', 'a …'],
    ['x'.repeat(90), `${'x'.repeat(79)}…`],
    ['x'.repeat(80), 'x'.repeat(80)],
    [' a ', 'a'],
  ])('in brief', (value, want) => {
    expect(oneLine(value)).toBe(want);
  });
});

describe('what differs', () => {
  const many = Array.from({ length: 40 }, (_, i) => `line ${String(i)}`);
  it.each<[string, unknown, unknown, string, string]>([
    ['short values as they are', '3h', '1h', '3h', '1h'],
    ['lists', ['a', 'b'], ['a'], 'a, b', 'a'],
    ['of many lines those that are not the same', many.join('\n'), many.with(20, 'else').join('\n'), 'line 20', 'else'],
    ['a line that is new', 'a\nb', 'a\nx\nb', '', 'x'],
    [
      'of a long line what comes after its common beginning',
      `${'x'.repeat(100)}abc`,
      `${'x'.repeat(100)}abd`,
      `…${'x'.repeat(10)}abc`,
      `…${'x'.repeat(10)}abd`,
    ],
    [
      'a long line from the beginning of a word',
      `${'select '.repeat(20)}sum(rainfall_mm)`,
      `${'select '.repeat(20)}sum(rainfall)`,
      '…sum(rainfall_mm)',
      '…sum(rainfall)',
    ],
    ['no more than a few lines', many.join('\n'), 'other', 'line 0\nline 1\nline 2\nline 3…', 'other'],
    ['no more than a few words', 'a'.repeat(400), 'b', `${'a'.repeat(159)}…`, 'b'],
  ])('is %s', (_, before, after, a, b) => {
    expect(differingParts([before, after])).toEqual([a, b]);
  });

  it('is looked for among three, and what is not there stays so', () => {
    expect(differingParts([many.join('\n'), many.with(3, 'mine').join('\n'), many.with(4, 'theirs').join('\n')])).toEqual([
      'line 3\nline 4',
      'mine\nline 4',
      'line 3\ntheirs',
    ]);
    expect(differingParts([undefined, 'a', 'b'])).toEqual([undefined, 'a', 'b']);
    expect(differingParts(['a\nb', undefined, undefined])).toEqual(['a\nb', undefined, undefined]);
  });
});
