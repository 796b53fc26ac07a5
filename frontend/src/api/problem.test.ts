import i18next from 'i18next';
import { afterEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import en from '@/i18n/locales/en/problems.json';
import zh from '@/i18n/locales/zh/problems.json';
import { ApiError, OfflineError, type Problem } from './client';
import { errorText, faultAndRemedy, problemText, translateSentence } from './problem';
import contract from '../../../server/api/openapi.yaml?raw';
import checksByContract from '../../../server/api/strict/contract.go?raw';
import decoder from '../../../server/api/strict/decode.go?raw';
import strictJson from '../../../server/api/strict/strictjson.go?raw';

/** The part of the contract about the reason of a problem. */
const reason = /\n {8}reason:\n([\s\S]*?)\n {8}params:/.exec(contract)?.[1] ?? '';
const reasons = [...reason.matchAll(/^ {12}- (\w+)$/gm)].map(([, name = '']) => name);
const documentedParams = new Set([...reason.matchAll(/\w+/g)].map(([word]) => word));

const problem = (over: Partial<Problem>): ApiError =>
  new ApiError(409, {
    type: 'urn:hivego:problem:conflict',
    title: 'Conflict',
    status: 409,
    code: 'conflict',
    detail: 'the server says so',
    ...over,
  });
const textOf = (error: unknown) => problemText(error, i18next.getFixedT(null, 'problems'));

describe('the reasons of the contract', () => {
  it('are found', () => {
    expect(reasons.length).toBeGreaterThan(50);
  });
  it.each([
    ['en', en],
    ['zh', zh],
  ] as const)('each have a text in %s, and there are no other texts', (_, texts) => {
    expect(Object.keys(texts.reason).sort()).toEqual([...reasons].sort());
  });
  it.each([
    ['en', en],
    ['zh', zh],
  ] as const)('have only placeholders in %s that the contract documents', (_, texts) => {
    for (const [name, text] of Object.entries(texts.reason)) {
      for (const [, placeholder = ''] of text.matchAll(/\{\{(\w+)\}\}/g))
        expect(placeholder === 'detail' || documentedParams.has(placeholder), `${name}: ${placeholder}`).toBe(true);
    }
  });
});

describe('problemText', () => {
  afterEach(() => setLanguage('en'));

  it('translates the reason and the states in it', async () => {
    const error = problem({ reason: 'close_state', params: { state: 'succeeded' } });
    expect(textOf(error).detail).toBe('Only failed or canceled batches are closed; this one is succeeded.');
    await setLanguage('zh');
    expect(textOf(error).detail).toBe('只能关闭失败或已取消的批次，该批次的状态是“成功”。');
  });
  it('explains the fault of a body, or quotes the server', async () => {
    const error = (params: Record<string, string>) => problem({ code: 'invalid', reason: 'bad_body', params });
    expect(textOf(error({ fault: 'twice', name: 'late' })).detail).toBe(
      'The server could not read what was sent: late stands twice in the same object. Keep one of them.',
    );
    await setLanguage('zh');
    expect(textOf(error({ fault: 'nul' })).detail).toBe('服务器无法读取发送的内容：文本中含有 NUL 字符，请去掉。');
    expect(textOf(error({ fault: 'twice' })).detail).toContain('the server says so');
    expect(textOf(error({ fault: 'later' })).detail).toContain('the server says so');
  });
  it('has a text for every fault of a body', () => {
    const faults = [...`${decoder}${checksByContract}${strictJson}`.matchAll(/(?:badBody\(|fault:\s*)"(\w+)"/g)].map(
      ([, name = '']) => name,
    );
    expect(faults.length).toBeGreaterThan(8);
    expect(Object.keys(en.body).sort()).toEqual([...new Set([...faults, 'parameter'])].sort());
  });
  it.each<[string, Partial<Problem>]>([
    ['a reason of a later server', { reason: 'not_yet_invented' as never }],
    ['no reason', {}],
    ['a reason without all its params', { reason: 'out_of_range', params: { name: 'limit', least: '1' } }],
  ])('quotes the server for %s', (_, over) => {
    expect(textOf(problem(over))).toEqual({
      title: 'That is not possible now',
      detail: 'the server says so',
      faults: [],
    });
  });
  it('lists every fault with its position', () => {
    const faults = [
      { code: 'bad_param', path: 'params.late', message: '"x" is not a number' },
      {
        code: 'bad_cron',
        path: 'triggers[0].cron',
        line: 7,
        column: 3,
        message: 'no such minute',
        remedy: 'give 0 to 59',
      },
      {
        code: 'bad_cron',
        path: 'triggers[1].cron',
        message: 'no',
        remedy: 'no',
        reason: 'every_often',
        params: { value: '@every 1ms' },
      },
    ];
    expect(textOf(problem({ code: 'invalid', faults })).faults).toEqual([
      'params.late · The value does not fit the declared kind: text, number, or true and false.',
      '7:3 · no such minute · give 0 to 59',
      'triggers[1].cron · “@every 1ms” is too often. The shortest is @every 1s.',
    ]);
  });
  it.each<[string, string, Record<string, string>, string, string]>([
    [
      'bad_param',
      'value_number',
      { value: '"x"' },
      '"x" is not a number. Give a value of the declared kind.',
      '"x" 不是数字。请填写与声明类型相符的值。',
    ],
    [
      'unknown_param',
      'other_params',
      { value: 'regoin', known: 'region, size' },
      'The schedule declares no parameter regoin. It declares region, size.',
      '调度没有声明参数 regoin。它声明了 region, size。',
    ],
    [
      'bad_comment',
      'comment_object',
      { got: 'list' },
      'The field # holds the comments of this object, not a list. Restore the server’s value of #, or remove it.',
      '字段 # 存放此对象的注释，而不是列表。保留服务器写在 # 下的内容，或将其去掉。',
    ],
    [
      'bad_param',
      'not_yet_invented',
      {},
      'The value does not fit the declared kind: text, number, or true and false.',
      '该值与声明的类型不符（文本、数字或是/否）。',
    ],
  ])(
    'explains a fault of code %s by its reason %s, else by its code',
    async (code, reason, params, english, chinese) => {
      const fault = { code, path: 'params.late', message: 'the server says so', reason, params };
      const error = problem({ code: 'invalid', faults: [fault] });
      expect(textOf(error).faults).toEqual([`params.late · ${english}`]);
      await setLanguage('zh');
      expect(textOf(error).faults).toEqual([`params.late · ${chinese}`]);
    },
  );
  it('shows how long to wait, the number of an internal error, and that the server is offline', () => {
    const busy = new ApiError(429, problem({ code: 'too_many_requests', reason: 'too_many_requests' }).problem, 12);
    expect(textOf(busy).detail).toBe('Too many attempts one after another. Try again in 12 seconds.');
    expect(textOf(problem({ code: 'internal', instance: 'r-42' })).detail).toContain('r-42');
    expect(textOf(new OfflineError()).title).toBe('The server cannot be reached');
    expect(textOf(new TypeError('x is undefined'))).toEqual({
      title: 'The page has a defect',
      detail: 'x is undefined',
      faults: [],
    });
  });
});

describe('sentences of the server', () => {
  const t = () => i18next.getFixedT(null, 'task');
  afterEach(() => setLanguage('en'));

  it('are translated with the sentence that they quote', async () => {
    const why = {
      reason: 'not_reached',
      params: { executor: 'east', words: 'it does not answer in time', because: 'no_answer_in_time' },
    };
    await setLanguage('zh');
    expect(translateSentence('east was not reached: it does not answer in time', why, t())).toBe(
      '未能连接 east：它没有及时应答',
    );
  });

  it('are translated by their reason, whatever the server writes in English', async () => {
    await setLanguage('zh');
    const disk = { executor: 'east', words: 'no room', because: 'executor_disk', free: '3', kept: '64' };
    expect(translateSentence('any words', { reason: 'offer_busy_why', params: disk }, t())).toBe(
      'east 当时已满：其数据文件夹所在的磁盘已满：只剩 3 MiB，需保留 64 MiB',
    );
    const fault = { reason: 'when_unknown_name_at', params: { at: '5', name: 'paramz', words: 'unknown name paramz' } };
    expect(errorText({ error: 'any words', errorReason: fault }, t())).toMatch(
      /^表达式第 5 个字符处有错：没有名称 paramz。可用的名称是/,
    );
  });

  it('name the param of a task that cannot be filled in', async () => {
    await setLanguage('zh');
    const params = {
      field: 'params.command',
      words: 'any words',
      because: 'template_not_single',
      source: '${{ outputs.a.rows }}',
      value: 'null',
    };
    expect(errorText({ error: 'any words', errorReason: { reason: 'param_unfilled', params } }, t())).toBe(
      'params.command：${{ outputs.a.rows }} 的结果不是单个值。可能为空的写 ?? "…"，并取单个值。',
    );
  });

  it('keep texts from outside HiveGo unchanged', async () => {
    await setLanguage('zh');
    expect(
      errorText(
        {
          error: 'connect to dw: i/o timeout',
          errorReason: { reason: 'sql_connect', params: { place: 'dw', words: 'i/o timeout' } },
        },
        t(),
      ),
    ).toBe('连接 dw 失败：i/o timeout');
    expect(errorText({ error: 'exit code 3' }, t())).toBe('exit code 3');
    expect(translateSentence('from a newer server', { reason: 'is_not_here' }, t())).toBe('from a newer server');
    expect(translateSentence('it lacks a param', { reason: 'not_reached', params: {} }, t())).toBe('it lacks a param');
    expect(errorText({}, t())).toBe('');
  });

  it('of a fault name the value in the document', async () => {
    await setLanguage('zh');
    expect(faultAndRemedy(t(), { reason: 'want_list', params: { got: 'map' } })).toEqual([
      '这里须是列表，而不是映射。',
      '用方括号列出各项，或逐行以 - 开头。',
    ]);
    expect(faultAndRemedy(t(), { reason: 'want_whole', params: { got: 'text', value: '"high"' } })[0]).toBe(
      '这里须是整数，而不是文本 "high"。',
    );
    expect(faultAndRemedy(t(), { reason: 'template_plain', params: {} })[0]).toBe('这里不会填入 ${{ }}。');
  });
});
