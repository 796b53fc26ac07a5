import { describe, expect, it } from 'vitest';
import { byUse, executorCount, searchHandlers } from './handlers';

const handler = (name: string, title?: string) => ({ name, title, groups: { default: 2, etl: 1 } });
const all = [handler('http', 'HTTP'), handler('score_model'), handler('shell', 'Shell'), handler('sql', 'SQL')];
const names = (text: string, usual?: string[]) => {
  const { handlers, key } = searchHandlers(text, all, usual);
  return [handlers.map(({ name }) => name), key];
};

describe('searchHandlers', () => {
  it('returns all handlers, usual ones first', () => {
    expect(names('')).toEqual([['http', 'score_model', 'shell', 'sql'], undefined]);
    expect(names('', ['sql', 'http'])).toEqual([['sql', 'http', 'score_model', 'shell'], undefined]);
  });
  it('finds handlers that begin with the text, then those that contain it', () => {
    expect(names('s')).toEqual([['score_model', 'shell', 'sql'], undefined]);
    expect(names('SQ')).toEqual([['sql'], undefined]);
    expect(names('model')).toEqual([['score_model'], undefined]);
  });
  it('reads a key and a handler', () => {
    expect(names('load sql')).toEqual([['sql'], 'load']);
    expect(names('load the core sql')).toEqual([['sql'], 'load_the_core']);
  });
  it('reads a text that names no handler as the key', () => {
    expect(names('A')[1]).toBe('A');
    expect(names('nightly run')).toEqual([['http', 'score_model', 'shell', 'sql'], 'nightly_run']);
    expect(names('__ü!')[1]).toBeUndefined();
  });
});

it('counts the executors that offer a handler', () => {
  expect(executorCount(handler('x'))).toBe(3);
});
it('sorts handlers by frequency', () => {
  expect(byUse(['a', 'b', 'b', 'c', 'b', 'c'])).toEqual(['b', 'c', 'a']);
});
