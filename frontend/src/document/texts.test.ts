import { describe, expect, it } from 'vitest';
import { check, type Doc, newDocumentStore, tasksOf } from '.';
import { findMatches, type TextQuery } from './matches';
import { doc, shown } from './testing';
import { keyFaults, replaceTexts, textsOf } from './texts';

const DOC: Doc = {
  ...doc(['load_a', 'load_b'], ['mart: load_a load_b']),
  title: 'Nightly load',
  tags: ['load'],
  params: { region: 'load', '#': 'load' },
};
DOC.jobs[1]!.tasks![0] = {
  ...DOC.jobs[1]!.tasks![0]!,
  '#': 'load',
  when: 'outputs.load_a.rows != "load"',
  params: { command: 'load ${{ outputs.load_b.rows }}', args: ['x', { deep: 'load' }], n: 3 },
  onFailure: [{ handler: 'http', params: { url: 'https://load' } }],
};

const plain: TextQuery = { text: '', matchCase: true, wholeWord: false, regex: false };
const found = (of: Doc, query: Partial<TextQuery>, replacement: string, kinds?: string[]) => {
  const texts = textsOf(of).filter(({ kind }) => kinds?.includes(kind) ?? true);
  const { matches } = findMatches(
    texts.map(({ text }) => text),
    { ...plain, ...query },
    replacement,
    100,
  );
  return texts.flatMap((at, i) => (matches[i]?.length ? [{ at, matches: matches[i] }] : []));
};

describe('the texts of a document', () => {
  it('are all that the author wrote, without needs, comments and the name of the schedule', () => {
    expect(textsOf(DOC).map(({ task, job, field, kind }) => [task ?? job ?? '', field, kind].join(' '))).toEqual([
      ' title titles',
      ' tags[0] others',
      ' params.region params',
      'j0 key names',
      'load_a key names',
      'load_a handler others',
      'load_b key names',
      'load_b handler others',
      'j1 key names',
      'mart key names',
      'mart handler others',
      'mart when params',
      'mart params.command params',
      'mart params.args[0] params',
      'mart params.args[1].deep params',
      'mart onFailure[0].handler others',
      'mart onFailure[0].params.url params',
    ]);
  });
});

describe('a replacement', () => {
  it('is one step, which undo takes back byte for byte', () => {
    const store = newDocumentStore(DOC);
    const before = JSON.stringify(store.getState().doc);
    store.getState().apply(replaceTexts(DOC, found(DOC, { text: 'load' }, 'fetch'), { tasks: ['load_a', 'mart'] }));
    const { doc: after, past, selection } = store.getState();
    expect(past.map(({ label }) => label)).toEqual([{ kind: 'replaceTexts', params: { count: 11 } }]);
    expect(selection.tasks).toEqual(['fetch_a', 'mart']);
    expect(shown(after)).toEqual([['fetch_a', 'fetch_b'], ['mart: fetch_a fetch_b']]);
    expect(tasksOf(after)[2]).toMatchObject({
      '#': 'load',
      when: 'outputs.fetch_a.rows != "fetch"',
      params: { command: 'fetch ${{ outputs.fetch_b.rows }}', args: ['x', { deep: 'fetch' }], n: 3 },
      onFailure: [{ params: { url: 'https://fetch' } }],
    });
    expect(after).toMatchObject({ title: 'Nightly fetch', tags: ['fetch'], params: { region: 'fetch', '#': 'load' } });
    store.getState().undo();
    expect(JSON.stringify(store.getState().doc)).toBe(before);
  });
  it('of names changes needs and expressions, and no other text', () => {
    const store = newDocumentStore(DOC);
    store.getState().apply(replaceTexts(DOC, found(DOC, { text: 'load' }, 'fetch', ['names'])));
    const { doc: after } = store.getState();
    expect(after.title).toBe('Nightly load');
    expect(tasksOf(after)[2]).toMatchObject({
      needs: ['fetch_a', 'fetch_b'],
      when: 'outputs.fetch_a.rows != "load"',
      params: { command: 'load ${{ outputs.fetch_b.rows }}' },
    });
    expect(check(after, []).filter(({ code }) => code === 'unknown_need')).toEqual([]);
  });
  it('exchanges two names', () => {
    const of = doc(['a', 'b'], ['c: a', 'd: b']);
    const both = [...found(of, { text: '^a$', regex: true }, 'b'), ...found(of, { text: '^b$', regex: true }, 'a')];
    const store = newDocumentStore(of);
    store.getState().apply(replaceTexts(of, both));
    expect(shown(store.getState().doc)).toEqual([
      ['b', 'a'],
      ['c: b', 'd: a'],
    ]);
  });
  it.each([
    ['names that would be equal', doc(['a1', 'a2']), '\\d', '', { a1: 'taken', a2: 'taken' }],
    ['a name that differs only in case', doc(['ab', 'AC']), 'b', 'C', { ab: 'taken' }],
    ['no name', doc(['ab', 'b']), 'b', '.', { ab: 'bad', b: 'bad' }],
    [
      'a name that is free only if another one changes',
      doc(['a', 'b', 'c']),
      '^[ab]$',
      'c',
      { a: 'taken', b: 'taken' },
    ],
  ])('refuses %s', (_, of, text, replacement, want) => {
    const replacements = found(of, { text, regex: true }, replacement, ['names']).filter(({ at }) => at.task);
    const faults = [...keyFaults(of, replacements)].map(([at, fault]) => [at.task, fault]);
    expect(Object.fromEntries(faults)).toEqual(want);
    expect(replaceTexts(of, replacements)).toBeUndefined();
  });
  it('keeps a name that is refused, and changes the others', () => {
    const of = doc(['a', 'b', 'x'], ['c: a b']);
    const replacements = [...found(of, { text: '^b$', regex: true }, 'a'), ...found(of, { text: 'x' }, 'y')];
    const store = newDocumentStore(of);
    store.getState().apply(replaceTexts(of, replacements));
    expect(shown(store.getState().doc)).toEqual([['a', 'b', 'y'], ['c: a b']]);
  });
  it('renames jobs', () => {
    const of = doc(['a'], ['b: a']);
    const store = newDocumentStore(of);
    store.getState().select({ tasks: [], job: 'j1' });
    store.getState().apply(replaceTexts(of, found(of, { text: 'j' }, 'job-', ['names']), store.getState().selection));
    expect(store.getState().doc.jobs.map(({ key }) => key)).toEqual(['job-0', 'job-1']);
    expect(store.getState().selection.job).toBe('job-1');
  });
});
