import { describe, expect, it } from 'vitest';
import { permalink } from './TaskLog';
import { relationsOf } from './relations';

const task = (key: string, needs?: string[]) => ({ key, handler: 'shell', needs });
const definition = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 's',
  jobs: [
    { key: 'one', tasks: [task('a'), task('b')] },
    { key: 'two', tasks: [task('c', ['a'])] },
    { key: 'three', tasks: [task('d', ['c']), task('e')] },
  ],
};

describe('relationsOf', () => {
  it('follows needs downwards', () => {
    expect(relationsOf(definition, 'a')).toMatchObject({
      needs: [],
      dependants: ['c', 'e'],
      downstream: ['c', 'd', 'e'],
    });
    expect(relationsOf(definition, 'd')).toMatchObject({
      needs: ['c'],
      implicit: false,
      dependants: [],
      downstream: [],
    });
  });
  it('without needs of its own it waits for all earlier jobs', () => {
    expect(relationsOf(definition, 'e')).toMatchObject({ needs: ['a', 'b', 'c'], implicit: true });
    expect(relationsOf(definition, 'b').downstream).toEqual(['e']);
  });
});

describe('permalink', () => {
  it('keeps what the address says besides', () => {
    expect(permalink({ pathname: '/batches/7', search: '?view=table&tab=needs&at=3' }, 'b', 2, 120)).toBe(
      '/batches/7?view=table&at=120&task=b&attempt=2',
    );
  });
  it('says that a key that looks like a number is a text', () => {
    expect(new URLSearchParams(permalink({ pathname: '/', search: '' }, '1e3', 1, 0).slice(2)).get('task')).toBe(
      '"1e3"',
    );
  });
});
