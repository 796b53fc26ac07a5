import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import i18next from 'i18next';
import type { DocFault } from '@/document';
import { setLanguage } from '@/i18n';
import {
  differingParts,
  fieldText,
  fieldValue,
  fieldValues,
  itemText,
  oneLine,
  subjectText,
  type Translations,
  valueText,
} from './fieldTexts';
import { DOC, SHELL } from '../inspector/testing';

const now = (): Translations => ({
  editor: i18next.getFixedT(null, 'editor'),
  inspector: i18next.getFixedT(null, 'inspector'),
  cron: i18next.getFixedT(null, 'cron'),
  language: i18next.language,
});
beforeEach(() => setLanguage('en'));
afterEach(() => setLanguage('en'));

describe('subjectText', () => {
  it.each<[string, Partial<DocFault>, string, string]>([
    ['a task', { path: 'jobs[0].tasks[1].timeout', task: 'b' }, 'Task b', '任务 b'],
    ['a task that the server names by its place', { path: 'jobs[1].tasks[0].needs[0]' }, 'Task d', '任务 d'],
    ['a job', { path: 'jobs[2].timeout', job: 'report' }, 'Job report', '作业 report'],
    ['a trigger', { path: 'triggers[1].cron' }, 'Trigger 2', '触发条件 2'],
    ['the rest', { path: 'policy.timeout' }, 'The schedule', '调度本身'],
  ])('is %s', async (_, fault, en, zh) => {
    const at = () => subjectText(now(), DOC, { code: 'x', path: '', ...fault });
    expect(at()).toBe(en);
    await setLanguage('zh');
    expect(at()).toBe(zh);
  });
});

describe('fieldText', () => {
  it.each([
    ['timeout', 'Timeout'],
    ['policy.timeout', 'Timeout of a batch'],
    ['needs[2]', 'Waits for'],
    ['retry.max', 'Retries: how often'],
    ['triggers', 'Triggers'],
    ['onLost.max', 'If its executor is lost: At most, times'],
    ['labels.zone.of', 'Labels of the executor: zone.of'],
    ['params.workdir', 'Folder'],
    ['params.env.REGION', 'Environment: REGION'],
    ['params.own', 'Parameter own'],
    ['job', 'Job'],
    ['order', 'Order of the jobs'],
    ['defaults.group', 'Defaults for its tasks: Group'],
    ['defaults.retry.max', 'Defaults for its tasks: Retries: how often'],
    ['toString', 'toString'],
    ['later.field', 'later.field'],
  ])('%s: %s', (field, want) => {
    expect(fieldText(now(), field, SHELL)).toBe(want);
  });

  it('names a param of the schedule, or of a handler that no executor offers', () => {
    expect(fieldText(now(), 'params.workdir')).toBe('Parameter workdir');
  });
});

describe('fieldValue', () => {
  it.each<[string, unknown, string, string]>([
    ['timeout', '90m', '1 h 30 min', '1 小时 30 分钟'],
    ['timeout', 'soon', 'soon', 'soon'],
    ['defaults.timeout', '90m', '1 h 30 min', '1 小时 30 分钟'],
    ['policy.expire', '1d', '1 day', '1 天'],
    ['needs', ['a', 'b'], 'a, b', 'a, b'],
    ['rule', 'one_failed', 'one failed', '任一失败'],
    ['rule', 'toString', 'toString', 'toString'],
    ['policy.overlap', 'queue', 'It waits', '排队'],
    ['disabled', true, 'yes', '是'],
    ['title', '90m', '90m', '90m'],
    [
      'triggers',
      [{ cron: '20 3 * * *' }, { cron: '@every 10m' }],
      '03:20 every day\nevery 10 min',
      '每天 03:20\n每 10 分钟',
    ],
    [
      'triggers',
      [{ cron: 'no cron', dst: { gap: 'skip', repeat: 'both' } }],
      'no cron; An hour that is skipped: not on that day; An hour that comes twice: both times',
      'no cron；被跳过的时刻：当天不运行；出现两次的时刻：两次都运行',
    ],
    ['params.checks', [{ name: 'rows', least: 1 }], 'name: rows, least: 1', 'name: rows, least: 1'],
  ])('%s %j', async (field, value, en, zh) => {
    expect(fieldValue(now(), field, value)).toBe(en);
    await setLanguage('zh');
    expect(fieldValue(now(), field, value)).toBe(zh);
  });

  it.each<[string, string, unknown, unknown, [string?, string?]]>([
    [
      'of triggers those that differ',
      'triggers',
      [{ cron: '20 3 * * *' }, { cron: '@every 10m' }],
      [{ cron: '20 4 * * *' }, { cron: '@every 10m' }],
      ['03:20 every day', '04:20 every day'],
    ],
    [
      'a trigger that came',
      'triggers',
      [{ cron: '20 3 * * *' }],
      [{ cron: '20 3 * * *' }, { cron: '@every 10m' }],
      ['', 'every 10 min'],
    ],
    ['what is not there', 'timeout', undefined, '2h', [undefined, '2 h']],
    ['as it is written, where the words are the same', 'timeout', '60s', '1m', ['60s', '1m']],
    [
      'crons of one meaning',
      'triggers',
      [{ cron: '@daily' }],
      [{ cron: '0 0 * * *' }],
      ['cron: @daily', 'cron: 0 0 * * *'],
    ],
  ])('shows %s', (_, field, before, after, want) => {
    expect(fieldValues(now(), field, [before, after])).toEqual(want);
  });
});

describe('itemText', () => {
  it('has a line for each field, as in the form', async () => {
    const task = {
      key: 'load',
      handler: 'shell',
      needs: ['a', 'b'],
      timeout: '90m',
      retry: { max: 2 },
      params: { workdir: 'in', env: {} },
      '#': { key: '# mine' },
    };
    expect(itemText(now(), task, SHELL)).toBe(
      'Key: load\nHandler: shell\nWaits for: a, b\nTimeout: 1 h 30 min\nRetries: how often: 2\nFolder: in',
    );
    await setLanguage('zh');
    expect(itemText(now(), { key: 'report', tasks: [{ key: 'x' }, { key: 'y' }] })).toMatch(/report\n任务：x, y$/);
  });
});

describe('valueText', () => {
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
  ])('in one line', (value, want) => {
    expect(oneLine(value)).toBe(want);
  });
});

describe('differingParts', () => {
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

  it('compares three values, and leaves a missing one undefined', () => {
    expect(
      differingParts([many.join('\n'), many.with(3, 'mine').join('\n'), many.with(4, 'theirs').join('\n')]),
    ).toEqual(['line 3\nline 4', 'mine\nline 4', 'line 3\ntheirs']);
    expect(differingParts([undefined, 'a', 'b'])).toEqual([undefined, 'a', 'b']);
    expect(differingParts(['a\nb', undefined, undefined])).toEqual(['a\nb', undefined, undefined]);
  });
});
