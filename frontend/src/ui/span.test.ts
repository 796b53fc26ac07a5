import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { span, took } from './span';

describe('span', () => {
  it.each([
    [-5, '0 s', '0 秒'],
    [0.2, '1 ms', '1 毫秒'],
    [40, '40 ms', '40 毫秒'],
    [420, '420 ms', '420 毫秒'],
    [999.7, '1 s', '1 秒'],
    [48_000, '48 s', '48 秒'],
    [310_000, '5 m 10 s', '5 分 10 秒'],
    [3_600_000, '1 h', '1 小时'],
    [34_860_000, '9 h 41 m', '9 小时 41 分'],
    [90_000_000, '1 d 1 h', '1 天 1 小时'],
  ])('%d ms', async (ms, en, zh) => {
    await setLanguage('zh');
    await setLanguage('en');
    expect(span(ms, i18next.getFixedT('en', 'common'))).toBe(en);
    expect(span(ms, i18next.getFixedT('zh', 'common'))).toBe(zh);
  });
});

describe('how long something took', () => {
  it.each([
    [-1, '00:00', '00:00'],
    [0, '< 1 ms', '< 1 毫秒'],
    [0.4, '< 1 ms', '< 1 毫秒'],
    [412, '412 ms', '412 毫秒'],
    [999.6, '999 ms', '999 毫秒'],
    [1000, '00:01', '00:01'],
    [3_600_000, '1:00:00', '1:00:00'],
  ])('%d ms', async (ms, en, zh) => {
    await setLanguage('zh');
    await setLanguage('en');
    expect(took(ms, i18next.getFixedT('en', 'common'))).toBe(en);
    expect(took(ms, i18next.getFixedT('zh', 'common'))).toBe(zh);
    expect(took(ms, i18next.getFixedT('zh', 'common'), true)).toBe(ms < 1000 ? '00:00' : zh);
  });
});
