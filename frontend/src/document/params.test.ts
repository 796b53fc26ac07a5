import { describe, expect, it } from 'vitest';
import { type Doc, newDocumentStore, renameParam, taskOf } from '.';

const doc: Doc = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 's',
  params: { region: 'east', limit: 5 },
  jobs: [
    {
      key: 'one',
      tasks: [
        {
          key: 'a',
          handler: 'shell',
          when: 'params.region == "params.region"',
          params: {
            command: 'echo $region ${{ params.region }}',
            env: { R: '${{ params["region"] + params.limit }}' },
          },
        },
        { key: 'b', handler: 'shell', params: { command: 'params.region' } },
      ],
    },
  ],
};

describe('renameParam', () => {
  it('keeps its place, and follows into expressions, not into texts', () => {
    const store = newDocumentStore(doc);
    store.getState().apply(renameParam(doc, 'region', 'area'));
    const after = store.getState().doc;
    expect(Object.entries(after.params ?? {})).toEqual([
      ['area', 'east'],
      ['limit', 5],
    ]);
    expect(taskOf(after, 'a')).toMatchObject({
      when: 'params.area == "params.region"',
      params: { command: 'echo $region ${{ params.area }}', env: { R: '${{ params["area"] + params.limit }}' } },
    });
    expect(taskOf(after, 'b')).toBe(taskOf(store.getState().doc, 'b'));
    expect(taskOf(after, 'b')?.params).toEqual({ command: 'params.region' });
    store.getState().undo();
    expect(store.getState().doc).toEqual(doc);
  });
  it.each([
    ['region', 'region'],
    ['region', ''],
    ['region', 'limit'],
    ['none', 'x'],
  ])('does nothing for %s → %s', (from, to) => {
    expect(renameParam(doc, from, to)).toBeUndefined();
  });
});
