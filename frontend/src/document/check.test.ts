import { describe, expect, it } from 'vitest';
import i18next from 'i18next';
import {
  check,
  type Doc,
  type DocFault,
  editTasks,
  faultText,
  joinFaults,
  moveJob,
  newDocumentStore,
  parseDuration,
  removeTasks,
} from '.';
import { setLanguage } from '@/i18n';
import en from '@/i18n/locales/en/document.json';
import zh from '@/i18n/locales/zh/document.json';
import reasonsSource from '../../../server/schedule/reasons.go?raw';
import { doc, frozen, story } from './testing';

const codes = (faults: readonly DocFault[]) => faults.map(({ code, path }) => `${code} ${path}`);
const withTask = (fields: Partial<NonNullable<Doc['jobs'][number]['tasks']>[number]>): Doc => {
  const one = doc(['a'], ['b']);
  return { ...one, jobs: [one.jobs[0]!, { key: 'j1', tasks: [{ key: 'b', handler: 'shell', ...fields }] }] };
};

describe('check', () => {
  it('finds nothing wrong with a good schedule', () => {
    expect(check(frozen(story()))).toEqual([
      { code: 'bad_name', path: 'params.#', field: 'params.#', textKey: 'bad_param', params: { value: '#' } },
    ]);
  });

  it.each<[Parameters<typeof withTask>[0], string]>([
    [{ timeout: 'soon' }, 'bad_duration jobs[1].tasks[0].timeout'],
    [{ retry: { delay: '-1s' } }, 'bad_duration jobs[1].tasks[0].retry.delay'],
    [{ killGrace: '0' }, 'out_of_range jobs[1].tasks[0].killGrace'],
    [{ priority: 0 }, 'out_of_range jobs[1].tasks[0].priority'],
    [{ priority: 2.5 }, 'wrong_type jobs[1].tasks[0].priority'],
    [{ pool: { name: 'a b' } }, 'bad_name jobs[1].tasks[0].pool.name'],
    [{ pool: { name: '', slots: 2 } }, 'missing_field jobs[1].tasks[0].pool.name'],
    [{ pool: { name: 'dw', slots: 0 } }, 'out_of_range jobs[1].tasks[0].pool.slots'],
    [{ shard: { count: 0 } }, 'out_of_range jobs[1].tasks[0].shard.count'],
    [{ shard: { over: ' ' } }, 'bad_value jobs[1].tasks[0].shard.over'],
    [{ shard: {} }, 'bad_value jobs[1].tasks[0].shard'],
    [{ retry: { backoff: 0 } }, 'out_of_range jobs[1].tasks[0].retry.backoff'],
    [{ retry: { jitter: 1.5 } }, 'out_of_range jobs[1].tasks[0].retry.jitter'],
    [{ retry: { on: '75, 300' } }, 'bad_value jobs[1].tasks[0].retry.on'],
    [{ retry: { on: 'lost' } }, 'bad_value jobs[1].tasks[0].retry.on'],
    [{ retry: { when: 'params.region == "x"' } }, 'unknown_param jobs[1].tasks[0].retry.when'],
    [{ retry: { when: 'outputs.gone.x' } }, 'unknown_task jobs[1].tasks[0].retry.when'],
    [{ retry: { when: 'outputs["b"].x' } }, 'later_need jobs[1].tasks[0].retry.when'],
    [{ handler: '' }, 'missing_field jobs[1].tasks[0].handler'],
    [{ when: 'params.region == "x"' }, 'unknown_param jobs[1].tasks[0].when'],
    [{ when: 'outputs.gone.x' }, 'unknown_task jobs[1].tasks[0].when'],
    [{ when: 'outputs["b"].x' }, 'later_need jobs[1].tasks[0].when'],
  ])('%j: %s', (fields, want) => {
    expect(codes(check(withTask(fields)))).toEqual([want]);
  });

  it.each(['outputs.a.x', '"params.none" == ""', 'x.params.none', 'outputs?.a?.x', '`outputs.none`'])(
    'takes %s',
    (when) => {
      expect(check(withTask({ when }))).toEqual([]);
    },
  );

  it('suggests a similar key', () => {
    const [fault] = check(doc(['extract'], ['b: extarct']));
    expect(fault).toMatchObject({
      code: 'unknown_need',
      remedyKey: 'unknown_need_near',
      params: { near: 'extract' },
      task: 'b',
      field: 'needs[0]',
    });
  });

  it('checks handlers only if the offered ones are known', () => {
    const offered = [
      {
        name: 'shell',
        schema: { properties: { command: {}, env: {} }, required: ['command'], additionalProperties: false },
      },
    ];
    const strange = withTask({ handler: 'shel' });
    expect(check(strange)).toEqual([]);
    expect(check(strange, offered).find(({ task }) => task === 'b')).toMatchObject({
      code: 'unknown_handler',
      warning: true,
      params: { near: 'shell' },
    });
    const wrong = withTask({ params: { comand: 'x' } });
    expect(codes(check(wrong, offered))).toEqual([
      'missing_field jobs[0].tasks[0].params.command',
      'missing_field jobs[1].tasks[0].params.command',
      'unknown_field jobs[1].tasks[0].params.comand',
    ]);
  });

  it('checks edited tasks again', () => {
    const store = newDocumentStore(doc(['a'], ['b: a']));
    const before = check(store.getState().doc);
    store.getState().apply(editTasks(store.getState().doc, ['b'], { timeout: 'x' }));
    expect(codes(check(store.getState().doc))).toEqual(['bad_duration jobs[1].tasks[0].timeout']);
    store.getState().undo();
    expect(check(store.getState().doc)).toEqual(before);
  });

  it('reports at most a thousand faults, and that there are more', () => {
    const faults = check({
      ...doc([]),
      jobs: Array.from({ length: 1200 }, (_, i) => ({ key: `bad key ${String(i)}` })),
    });
    expect(faults).toHaveLength(1001);
    expect(faults.at(-1)?.code).toBe('too_many_faults');
  });

  it('has a text and a remedy for every fault', () => {
    expect(Object.keys(en.remedy).sort()).toEqual(Object.keys(en.fault).sort());
    const t = i18next.getFixedT(i18next.language, 'document');
    for (const fault of check(doc(['a b: a'], ['c: zz c']))) {
      const { message, remedy } = faultText(t, fault);
      expect(message).not.toMatch(/fault\.|\{\{/);
      expect(remedy).not.toMatch(/remedy\.|\{\{/);
    }
    expect(
      faultText(t, { code: 'bad_cron', path: 'triggers[0].cron', message: 'no cron', remedy: 'write one' }),
    ).toEqual({ message: 'no cron', remedy: 'write one' });
  });
});

describe('faults of crons and zones from the server', () => {
  const reasons = [...reasonsSource.matchAll(/Reason = "(\w+)"(?: +\/\/ (.*))?/g)].map(
    ([, name = '', params = '']) => ({ name, params: params.split(', ').filter(Boolean) }),
  );
  const text = (over: Partial<DocFault>) =>
    faultText(i18next.getFixedT(null, 'document'), {
      code: 'bad_cron',
      path: 'triggers[0].cron',
      message: 'the server says so',
      remedy: 'do this',
      ...over,
    });
  it('are read from the source', () => {
    expect(reasons.length).toBeGreaterThan(25);
  });
  it.each([
    ['en', en],
    ['zh', zh],
  ] as const)('have texts in %s that use only their params', (_, words) => {
    for (const { name, params } of reasons) {
      const all = `${words.fault[name as 'bad_key']} ${words.remedy[name as 'bad_key']}`;
      expect(all, name).not.toContain('undefined');
      for (const [, hole = ''] of all.matchAll(/\{\{(\w+)\}\}/g)) expect(params, name).toContain(hole);
    }
    expect(Object.keys(words.cronField)).toHaveLength(6);
  });
  it('have a text in the user’s language', async () => {
    const fault = { reason: 'cron_range', params: { value: '25', least: '0', most: '23', field: 'hour' } };
    expect(text(fault)).toEqual({ message: '“25” is out of range as hour.', remedy: 'Write 0 to 23.' });
    await setLanguage('zh');
    expect(text(fault)).toEqual({ message: '小时“25”超出范围。', remedy: '请写 0 到 23。' });
    await setLanguage('en');
  });
  it.each<[string, Partial<DocFault>]>([
    ['a reason of a later server', { reason: 'cron_later', params: { value: 'x' } }],
    ['what is not shown whole', { reason: 'cron_range', params: { value: '25' } }],
    ['no reason', {}],
  ])('have the server’s sentences for %s', (_, over) => {
    expect(text(over)).toEqual({ message: 'the server says so', remedy: 'do this' });
  });
  it('keep their reason when they are joined with other faults', () => {
    const one = doc(['a']);
    const [fault] = joinFaults(
      [],
      [{ code: 'bad_cron', path: 'triggers[0].cron', message: 'm', reason: 'cron_year', params: { value: '1' } }],
      one,
    );
    expect(fault).toMatchObject({ reason: 'cron_year', params: { value: '1' }, field: 'triggers[0].cron' });
  });
});

describe('joinFaults', () => {
  const judged = doc(['a'], ['b: x'], ['c']);
  const server = (code: string, path: string) => ({ code, path, message: 'words', remedy: 'do' });

  it('returns a fault that both found once, with the text of this language', () => {
    const all = joinFaults(
      check(judged),
      [server('unknown_need', 'jobs[1].tasks[0].needs[0]'), server('bad_cron', 'triggers[0].cron')],
      judged,
    );
    expect(codes(all)).toEqual(['unknown_need jobs[1].tasks[0].needs[0]', 'bad_cron triggers[0].cron']);
    expect(all[0]?.textKey).toBe('unknown_need');
    expect(all[1]).toMatchObject({ field: 'triggers[0].cron', message: 'words' });
  });
  it('updates the paths of moved tasks and jobs', () => {
    const store = newDocumentStore(judged);
    store.getState().apply(moveJob(judged, 'j2', 0));
    store.getState().apply(removeTasks(store.getState().doc, ['a']));
    const { doc: now } = store.getState();
    const all = joinFaults(
      [],
      [
        server('bad_expression', 'jobs[2].tasks[0].when'),
        server('x', 'jobs[1].timeout'),
        server('y', 'jobs[0].tasks[0].when'),
      ],
      judged,
      now,
    );
    expect(all.map(({ path, task, job, field }) => [path, task ?? job, field])).toEqual([
      ['jobs[0].tasks[0].when', 'c', 'when'],
      ['jobs[2].timeout', 'j1', 'timeout'],
    ]);
  });
});

describe('parseDuration', () => {
  it.each([
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['1d12h', 129_600_000],
    ['0', 0],
    ['0d', undefined],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['5.s', 5_000],
    ['100ms', 100],
    ['1us', 0.001],
    ['', undefined],
    ['s', undefined],
    ['10', undefined],
    ['-1s', undefined],
    ['+1s', 1_000],
    ['1 h', undefined],
    ['36501d', undefined],
    ['3000000h', undefined],
    ['1h2', undefined],
    ['d', undefined],
    ['1d1d', undefined],
    ['10m\n', undefined],
  ])('%j', (text, want) => {
    expect(parseDuration(text)).toBe(want);
  });
});
