import { describe, expect, it } from 'vitest';
import { findMatches, patternOf, type TextQuery, withReplaced } from './matches';

const query = (text: string, more: Partial<TextQuery> = {}): TextQuery => ({
  text,
  matchCase: false,
  wholeWord: false,
  regex: false,
  ...more,
});
/** A text after all matches were replaced. */
const replaced = (text: string, by: TextQuery, replacement: string) =>
  withReplaced(text, findMatches([text], by, replacement, 100).matches[0] ?? []);

describe('a search', () => {
  it.each([
    ['a.b A.B axb', query('a.b'), 'X X axb'],
    ['a.b A.B', query('a.b', { matchCase: true }), 'X A.B'],
    ['load loader reload load', query('load', { wholeWord: true }), 'X loader reload X'],
    ['表单 表', query('表', { wholeWord: true }), '表单 X'],
    ['a_b a', query('a', { wholeWord: true }), 'a_b X'],
    ['$& (a+)+', query('(a+)+'), '$& X'],
    ['one\ntwo', query('^t', { regex: true }), 'one\nXwo'],
    ['ab ac', query('a|ab', { regex: true, wholeWord: true }), 'X ac'],
  ])('in %j for %j', (text, by, after) => {
    expect(replaced(text, by, 'X')).toBe(after);
  });
  it('fills in the groups of a regular expression, and writes any other replacement as it is', () => {
    const by = query('(\\d+)-(?<year>\\d{4})', { regex: true });
    expect(replaced('11-2025', by, '$<year>/$1 $$ $& $3 $<none>')).toBe('2025/11 $ 11-2025 $3 $<none>');
    expect(replaced('a', query('a'), '$&$1')).toBe('$&$1');
  });
  it('leaves out empty matches and an empty query', () => {
    expect(replaced('bab', query('a*', { regex: true }), 'X')).toBe('bXb');
    expect(findMatches(['a'], query(''), 'X', 9)).toEqual({ matches: [], more: false });
  });
  it('ends at the limit, and says so', () => {
    const { matches, more } = findMatches(['aa', 'aa', 'a'], query('a'), 'X', 3);
    expect(matches.map((list) => list.length)).toEqual([2, 1, 0]);
    expect(more).toBe(true);
    expect(findMatches(['aa', 'a'], query('a'), 'X', 3).more).toBe(false);
  });
  it.each(['(', ')', '[', 'a{2', '*', '\\', 'a)(b'])('refuses %j as a regular expression', (text) => {
    for (const wholeWord of [true, false])
      expect(() => patternOf(query(text, { regex: true, wholeWord }))).toThrow(SyntaxError);
  });
});
