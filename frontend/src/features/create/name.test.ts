import { describe, expect, it } from 'vitest';
import { copyOf, emptyDocument, nameFault, nameFrom } from './name';

describe('the name of a schedule', () => {
  it.each([
    ['', 'empty'],
    ['nightly', undefined],
    ['a', undefined],
    ['0-1', undefined],
    ['Nightly', 'case'],
    ['a b', 'chars'],
    ['数', 'chars'],
    ['-a', 'start'],
    ['a-', undefined],
    ['x'.repeat(63), undefined],
    ['x'.repeat(64), 'long'],
    ['a_b', 'chars'],
  ])('%s: %s', (name, want) => {
    expect(nameFault(name)).toBe(want);
  });

  it.each([
    ['My report.yaml', 'my-report'],
    ['warehouse', 'warehouse'],
    ['  Über  uns ', 'ber-uns'],
    ['数仓', ''],
    ['a.b.YML', 'a-b'],
    ['x'.repeat(80), 'x'.repeat(63)],
  ])('is made from %s: %s', (text, want) => {
    expect(nameFrom(text)).toBe(want);
    expect(want === '' ? undefined : nameFault(nameFrom(text))).toBeUndefined();
  });
});

describe('the first document', () => {
  it('contains only the required fields', () => {
    expect(emptyDocument('a', '', 'UTC')).toEqual({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'a', jobs: [] });
    expect(Object.keys(emptyDocument('a', 'T', 'Asia/Shanghai'))).toEqual([
      'apiVersion',
      'kind',
      'name',
      'title',
      'timezone',
      'jobs',
    ]);
  });
  it('is a copy of another document, with its comments, under another name', () => {
    const source = {
      '#': 'a comment',
      apiVersion: 'hivego/v1',
      kind: 'Schedule',
      name: 'a',
      title: 'T',
      flow: 'strict' as const,
      jobs: [{ key: 'j' }],
    };
    expect(copyOf(source, 'b', '')).toEqual({ ...source, name: 'b' });
    expect(copyOf(source, 'b', 'B').title).toBe('B');
  });
});
