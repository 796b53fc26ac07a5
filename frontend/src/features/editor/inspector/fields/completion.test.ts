import { describe, expect, it } from 'vitest';
import type { Doc } from '@/document';
import { completionAt, insertName, namesFor, secretNames } from './completion';

const doc: Doc = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 's',
  params: { region: 'east', limit: 5, 'dry-run': true },
  jobs: [
    {
      key: 'one',
      tasks: [
        { key: 'load', handler: 'sql' },
        { key: 'my-task', handler: 'sql' },
      ],
    },
    {
      key: 'two',
      tasks: [
        { key: 'report', handler: 'http' },
        { key: 'beside', handler: 'http' },
      ],
    },
    { key: 'three', tasks: [{ key: 'after', handler: 'http' }] },
  ],
};
const names = namesFor(doc, 'report');
/** `|` is where the caret is. */
const at = (marked: string, bare = false) => completionAt(marked.replace('|', ''), marked.indexOf('|'), names, bare);
const texts = (marked: string, bare = false) => at(marked, bare)?.names.map((n) => n.text);

describe('names', () => {
  it('are params, tick, batch, and outputs of tasks of earlier jobs', () => {
    const all = names.map((n) => n.text);
    expect(all).toEqual(
      expect.arrayContaining([
        'params.region',
        'params["dry-run"]',
        'tick.date',
        'batch.kind',
        'outputs.load.',
        'outputs["my-task"].',
      ]),
    );
    expect(all.filter((n) => /report|beside|after/.test(n))).toEqual([]);
  });
});

describe('complete', () => {
  it.each<[string, string[] | undefined]>([
    ['no expression |', undefined],
    ['params.|', undefined],
    ['${{ params.r|', ['params.region']],
    ['${{ params.r| }} and more', ['params.region']],
    ['${{ reg|', ['params.region']],
    ['${{ PARAMS.L|', ['params.limit']],
    ['${{ dry|', ['params["dry-run"]']],
    ['${{ dat|', ['tick.date', 'date(tick, "-1d", "yyyyMMdd")']],
    ['${{ yyyy|', undefined],
    ['${{ out|', ['outputs.load.', 'outputs["my-task"].']],
    ['${{ params.region }} |', undefined],
    ['${{ params.region }} ${{ tick.da|', ['tick.date', 'tick.day']],
    ['${{ "params.|', undefined],
    ['${{ params.region |', undefined],
    ['${{ params.region == ba|', ['batch.kind', 'batch.round']],
    ['${{ params.region|', undefined],
    ['${{ nothing.like.this|', undefined],
  ])('%s', (marked, want) => {
    expect(texts(marked)).toEqual(want);
  });

  it.each<[string, boolean]>([
    ['|', true],
    ['${{|', true],
    ['${{ |', true],
    ['$|{{', false],
  ])('in a bare expression at %s: %s', (marked, all) => {
    expect(texts(marked, marked === '|')?.length ?? 0).toBe(all ? names.length : 0);
  });
  it.each<[string, string[] | undefined]>([
    ['params.r|', ['params.region']],
    ['!par|', ['params.region', 'params.limit', 'params["dry-run"]']],
    ['params.limit > 3 && tick.h|', ['tick.hour']],
    ['params.limit |', undefined],
    ["'par|", undefined],
  ])('for a condition: %s', (marked, want) => {
    expect(texts(marked, true)).toEqual(want);
  });
});

it('offers secrets in expressions only', () => {
  const secrets = secretNames([{ name: 'DW' }, { name: 'API_KEY' }]);
  const offered = (text: string) => completionAt(text, text.length, [...names, ...secrets], false)?.names;
  expect(offered('${{ sec')).toEqual(secrets);
  expect(offered('${{ api')).toEqual([{ text: 'secrets.API_KEY', about: 'secret' }]);
  expect(offered('sec')).toBeUndefined();
});

describe('completed', () => {
  it.each<[string, boolean, string, string]>([
    ['a ${{ par|', false, 'params.region', 'a ${{ params.region| }}'],
    ['a ${{ par| }} b', false, 'params.region', 'a ${{ params.region| }} b'],
    ['${{|', false, 'tick.date', '${{ tick.date| }}'],
    ['${{ pa|rams }}', false, 'params.limit', '${{ params.limit| }}'],
    ['${{ par| and ${{ tick.date }}', false, 'params.region', '${{ params.region| }} and ${{ tick.date }}'],
    ['par|', true, 'params.limit', 'params.limit|'],
    ['params.limit > 1 && tick.|', true, 'tick.hour', 'params.limit > 1 && tick.hour|'],
  ])('%s', (marked, bare, name, want) => {
    const found = at(marked, bare);
    const done = found && insertName(marked.replace('|', ''), found, name, bare);
    expect(done && `${done.text.slice(0, done.caret)}|${done.text.slice(done.caret)}`).toBe(want);
  });
});
