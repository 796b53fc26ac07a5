import { describe, expect, it } from 'vitest';
import { check, type Doc, newDocumentStore, tasksOf } from '@/document';
import { SHELL } from '../inspector/testing';
import { cellsOf, tsvOf } from './cells';
import { cellOf, columnsFor, columnsOf, hasHead } from './columns';
import { type Existing, planSpreadsheet, spreadsheetCommand } from './plan';

const DOC: Doc = {
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: [
    { key: 'load', tasks: [{ key: 'a', handler: 'shell', params: { command: 'echo "a"\n\tb', n: 5, s: '5' } }] },
    {
      key: 'mart',
      title: 'The mart',
      tasks: [
        {
          key: 'b',
          title: '=B',
          handler: 'sql',
          needs: ['a'],
          retry: { max: 2, delay: '5s' },
          labels: { disk: 'fast' },
        },
        { key: 'c', handler: 'shell', disabled: true, onFailure: [{ handler: 'http' }], params: { list: ['x'] } },
      ],
    },
  ],
};

const planOf = (
  text: string,
  { existing = 'update', into }: { existing?: Existing; into?: string } = {},
  doc = DOC,
) => {
  const { rows } = cellsOf(text);
  const head = hasHead(rows);
  const columns = columnsOf(rows, head, [SHELL]);
  return planSpreadsheet(doc, { rows: rows.slice(head ? 1 : 0), columns, into, existing, handlers: [SHELL] });
};
const lanes = (doc: Doc) => doc.jobs.map((job) => [job.key, ...(job.tasks ?? []).map((task) => task.key)].join(' '));
const copied = (doc: Doc) => {
  const columns = columnsFor(tasksOf(doc));
  return tsvOf([
    columns,
    ...doc.jobs.flatMap((job) =>
      (job.tasks ?? []).map((task) => columns.map((column) => cellOf(task, job.key, column))),
    ),
  ]);
};

describe('columns', () => {
  it.each([
    ['Name\tCommand\tDepends on\tTimeout', ['key', 'params.command', 'needs', 'timeout']],
    ['名称\t标题\t依赖\t分组', ['key', 'title', 'needs', 'group']],
    ['key\tparams.env\tlabels.disk\tretry.max\tcolour', ['key', 'params.env', 'labels.disk', 'retry.max', '']],
  ])('by the head %j', (text, want) => {
    const { rows } = cellsOf(`${text}\nx`);
    expect(hasHead(rows)).toBe(true);
    expect(columnsOf(rows, true, [])).toEqual(want);
  });
  it('by their cells', () => {
    const { rows } = cellsOf('one\tshell\techo 1\t10m\ntwo\tshell\techo 2\t1h');
    expect(hasHead(rows)).toBe(false);
    expect(columnsOf(rows, false, [SHELL])).toEqual(['key', 'handler', 'params.command', 'timeout']);
  });
});

describe('rows', () => {
  it('become tasks of a job, in one step of undo', () => {
    const store = newDocumentStore(DOC);
    const before = JSON.stringify(store.getState().doc);
    const plan = planOf('name\tcommand\tretries\none\techo 1\t3\ntwo\techo 2\t', { into: 'load' });
    store.getState().apply(spreadsheetCommand(plan));
    expect(lanes(store.getState().doc)).toEqual(['load a one two', 'mart b c']);
    expect(tasksOf(store.getState().doc)[1]).toEqual({
      key: 'one',
      handler: 'shell',
      params: { command: 'echo 1' },
      retry: { max: 3 },
    });
    expect(store.getState().selection.tasks).toEqual(['one', 'two']);
    store.getState().undo();
    expect(JSON.stringify(store.getState().doc)).toBe(before);
    expect(store.getState().past).toEqual([]);
  });
  it('go below what they need, into new jobs if there is none', () => {
    const text = 'name\tneeds\nz\ty\ny\tx, a\nx\t\nw\tb';
    expect(lanes(planOf(text, { into: 'load' }).doc)).toEqual(['load a x', 'mart b c y', 'job z w']);
    expect(check(planOf(text, { into: 'load' }).doc, [])).toEqual([]);
  });
  it('go into the jobs that they name, by key or title', () => {
    const plan = planOf('name\tjob\nx\tThe mart\ny\tnew\nz\tnew');
    expect(lanes(plan.doc)).toEqual(['load a', 'mart b c x', 'new y z']);
    expect(plan.newJobs).toEqual(['new']);
  });
  it('that need each other are shown as faults, and end', () => {
    const plan = planOf('name\tneeds\nx\ty\ny\tx', { into: 'mart' });
    expect(plan.added).toBe(2);
    expect(check(plan.doc, []).length).toBeGreaterThan(0);
  });
  it('change the tasks that exist, in the fields that have a column', () => {
    const plan = planOf('name\tcommand\na\techo new\nn\tx', { into: 'load' });
    expect([plan.existing, plan.added, plan.updated]).toEqual([['a'], 1, 1]);
    expect(lanes(plan.doc)).toEqual(['load a n', 'mart b c']);
    expect(tasksOf(plan.doc)[0]?.params).toEqual({ command: 'echo new', n: 5, s: '5' });
  });
  it('get new names where tasks exist, and need each other by these', () => {
    const plan = planOf('name\tcommand\tneeds\na\techo\t\nn\tx\ta', { existing: 'rename', into: 'load' });
    expect(lanes(plan.doc)).toEqual(['load a a2', 'mart b c n']);
    expect(tasksOf(plan.doc).find(({ key }) => key === 'n')?.needs).toEqual(['a2']);
  });
  it('are left out where tasks exist', () => {
    const plan = planOf('name\tcommand\na\techo new\nn\tx', { existing: 'skip', into: 'load' });
    expect([plan.added, plan.updated, plan.keys]).toEqual([1, 0, [undefined, 'n']]);
    expect(tasksOf(plan.doc)[0]).toEqual(tasksOf(DOC)[0]);
  });
  it('are left out with their reason', () => {
    const text = 'name\thandler\tpriority\tdisabled\n\tshell\na b\tshell\nx\tshell\thigh\tmaybe\nX\tshell';
    const { faults, keys } = planOf(text);
    expect(faults).toEqual([
      { row: 0, code: 'noKey', params: {}, whole: true },
      { row: 1, code: 'badKey', params: { key: 'a b' }, whole: true },
      { row: 2, code: 'number', params: { column: 'priority', text: 'high' }, whole: false },
      { row: 2, code: 'flag', params: { column: 'disabled', text: 'maybe' }, whole: false },
      { row: 3, code: 'twice', params: { key: 'X', other: 2 }, whole: true },
    ]);
    expect(keys).toEqual([undefined, undefined, 'x', undefined]);
  });
  it('take a pool and its slots', () => {
    const { doc, faults } = planOf('name\tcommand\tpool\tslots\nn\tx\tdw\t2\nm\ty\tdw\t', { into: 'load' });
    expect(faults).toEqual([]);
    expect(tasksOf(doc).flatMap(({ pool }) => pool ?? [])).toEqual([{ name: 'dw', slots: 2 }, { name: 'dw' }]);
  });
  it('come back unchanged from a copy', () => {
    const store = newDocumentStore(DOC);
    const plan = planOf(copied(store.getState().doc));
    expect(plan.faults).toEqual([]);
    expect([plan.added, plan.updated]).toEqual([0, 3]);
    expect(plan.doc).toEqual(store.getState().doc);
  });
  it('make the same tasks in another schedule, but for hooks', () => {
    const plan = planOf(copied(DOC), {}, { ...DOC, jobs: [] });
    expect(lanes(plan.doc)).toEqual(['load a', 'mart b c']);
    const [, , third] = tasksOf(DOC);
    expect(tasksOf(plan.doc)).toEqual([...tasksOf(DOC).slice(0, 2), { ...third, onFailure: undefined }]);
  });
});
