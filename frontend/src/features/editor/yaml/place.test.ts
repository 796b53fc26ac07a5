import { describe, expect, it } from 'vitest';
import { pathText } from './offers';
import { placeAt } from './place';

/** The place at the `^` of a text. */
function at(text: string) {
  const offset = text.indexOf('^');
  const place = placeAt(text.replace('^', ''), offset);
  return place && `${place.kind} ${pathText(place.path)} ${place.word}`.trim();
}
const objects = (text: string) =>
  placeAt(text.replace('^', ''), text.indexOf('^'))?.objects.map((fields) => Object.fromEntries(fields));

const DOC = `apiVersion: hivego/v1
jobs:
  - key: load
    title: Load
    tasks:
      - key: a
        handler: shell
        params:
          command: |
            echo one
            handler: x
        ^
      - key: b
        needs: [a]
  - key: report
    tasks:
      - {key: c, handler: sql, needs: [a]}
`;

describe('the place at the caret', () => {
  it.each([
    ['^', 'key'],
    ['apiVersion: x\nna^', 'key  na'],
    ['flow: ^', 'value flow'],
    ['flow: st^', 'value flow st'],
    ['policy:\n  ov^', 'key policy ov'],
    ['policy:\n  catchUp:\n    mode: ^', 'value policy.catchUp.mode'],
    ['jobs:\n  - ^', 'key jobs[]'],
    ['jobs:\n- ke^', 'key jobs[] ke'],
    ['jobs:\n- key: a\n  tasks:\n  - key: b\n    ti^', 'key jobs[].tasks[] ti'],
    [DOC, 'key jobs[].tasks[]'],
    ['jobs:\n  - tasks:\n      - needs:\n          - a\n          - b^', 'key jobs[].tasks[].needs[] b'],
    ['jobs:\n  - tasks:\n      - needs: [a, b^', 'value jobs[].tasks[].needs[] b'],
    ['jobs:\n  - tasks:\n      - {key: c, ^}', 'key jobs[].tasks[]'],
    ['jobs:\n  - tasks:\n      - {key: c, handler: s^}', 'value jobs[].tasks[].handler s'],
    ['jobs:\n  - tasks:\n      - {key: c, params: {com^', 'key jobs[].tasks[].params com'],
    ['jobs:\n  - tasks:\n      - {key: c, params: {command: x}, ^', 'key jobs[].tasks[]'],
    ['jobs: [{key: a, tasks: [{ha^', 'key jobs[].tasks[] ha'],
    ['# a comment\n\npolicy:\n\n  # another\n  ^', 'key policy'],
  ])('in %j is %j', (text, want) => {
    expect(at(text)).toBe(want);
  });
  it.each([
    ['a text of several lines', DOC.replace('\n        ^', '').replace('echo one', 'echo ^one')],
    ['a comment', 'flow: needs # st^'],
    ['a folded text', 'description: >-\n  some te^'],
    ['the rest of a text', 'description: some\n  te^'],
    ['a closed list', 'tags: [a] ^'],
    ['quotes in braces', 'policy: {timeout: "1^'],
    ['a colon without a space', 'flow:^'],
    ['a word with spaces', '  some words^'],
  ])('is unknown in %s', (_, text) => {
    expect(at(text)).toBeUndefined();
  });
  it('has the simple fields of each object around it', () => {
    expect(objects(DOC)).toEqual([
      { apiVersion: 'hivego/v1', jobs: '' },
      { key: 'load', title: 'Load', tasks: '' },
      { key: 'a', handler: 'shell', params: '' },
    ]);
    expect(objects('jobs:\n  - tasks:\n      - {params: {^}, handler: "sql", key: c}')).toEqual([
      { jobs: '' },
      { tasks: expect.any(String) as string },
      { handler: 'sql', key: 'c' },
      {},
    ]);
    expect(objects('jobs:\n  - tasks:\n      - params:\n          ^\n        handler: sql # x\n')?.[2]).toEqual({
      params: '',
      handler: 'sql',
    });
  });
  it('has the other items of a list', () => {
    const items = (text: string) => placeAt(text.replace('^', ''), text.indexOf('^'))?.items;
    expect(items('needs: [a, "b", ^')).toEqual(['a', 'b']);
    expect(items('needs:\n  - a\n  - ^\n  - c')).toEqual(['a', 'c']);
  });
});
