import { describe, expect, it } from 'vitest';
import i18next from 'i18next';
import { setLanguage } from '@/i18n';
import { clock, exact, here, isElsewhere, momentAtWallTime, relative, span, took, wallTimeAt, weekday } from './time';

describe('clock', () => {
  it.each([
    [-1, '00:00'],
    [0, '00:00'],
    [999.6, '00:00'],
    [1000, '00:01'],
    [59_999, '00:59'],
    [61_000, '01:01'],
    [3_600_000, '1:00:00'],
    [90_061_000, '25:01:01'],
  ])('%d ms is %s', (ms, text) => {
    expect(clock(ms)).toBe(text);
  });
});

describe('relative', () => {
  it('formats in both languages', () => {
    expect(relative(0, 61_000, 'en')).toBe('1 min. ago');
    expect(relative(7_200_000, 0, 'zh')).toBe('2小时后');
    expect(relative(0, 0, 'en')).toBe('now');
  });
});

describe('exact', () => {
  it('formats in a zone, and falls back for an unknown zone', () => {
    expect(exact('2026-11-20T19:20:00.000Z', { zone: 'Asia/Shanghai' })).toBe('2026-11-21 03:20');
    expect(exact(0, { zone: 'UTC', seconds: true })).toBe('1970-01-01 00:00:00');
    expect(exact(0, { zone: 'Mars/Olympus' })).toMatch(/^19(69|70)-/);
  });
});

describe('isElsewhere', () => {
  it('compares the local times of the zone and the browser', () => {
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(isElsewhere(0, here)).toBe(false);
    expect(isElsewhere(0, undefined)).toBe(false);
    expect(isElsewhere(0, 'Mars/Olympus')).toBe(false);
    expect(['Pacific/Kiritimati', 'Pacific/Pago_Pago'].some((zone) => isElsewhere(0, zone))).toBe(true);
  });
});

describe('here', () => {
  it('is the time of the browser, with the weekday if the date differs', () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const at = '2026-11-29T12:00:00.000Z';
    expect(here(at, 'en', { zone })).toMatch(/^\d\d:\d\d$/);
    expect(here(at, 'en', { zone, seconds: true })).toMatch(/^\d\d:\d\d:\d\d$/);
    // These zones are 25 hours apart, so at least one has another date than the browser.
    const shown = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((zone) => here(at, 'en', { zone }));
    expect(shown.some((text) => /^(Sat|Sun|Mon) \d\d:\d\d$/.test(text))).toBe(true);
  });
});

describe('weekday', () => {
  it('is the date in the zone, in the language', () => {
    const now = Date.UTC(2026, 10, 20);
    expect(weekday('2026-11-29T19:00:00.000Z', 'en', now, 'Asia/Shanghai')).toBe('Mon 30 Nov');
    expect(weekday('2026-11-29T19:00:00.000Z', 'en', now, 'UTC')).toBe('Sun 29 Nov');
    expect(weekday('2026-11-29T19:00:00.000Z', 'zh', now, 'Asia/Shanghai')).toBe('11月30日周一');
    expect(weekday(0, 'en', now, 'Mars/Olympus')).toMatch(/197|Jan|Dec/);
  });

  it('has the year if it is another one, in the zone', () => {
    const now = Date.UTC(2026, 10, 20);
    expect(weekday('2026-12-31T19:00:00.000Z', 'en', now, 'UTC')).toBe('Thu 31 Dec');
    expect(weekday('2026-12-31T19:00:00.000Z', 'en', now, 'Asia/Shanghai')).toBe('Fri 1 Jan 2027');
    expect(weekday('2026-12-31T19:00:00.000Z', 'zh', now, 'Asia/Shanghai')).toBe('2027年1月1日周五');
  });
});

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

describe('took', () => {
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

describe('momentAtWallTime', () => {
  it.each<[string, string, string | undefined]>([
    ['2026-11-21T03:20', 'Asia/Shanghai', '2026-11-20T19:20:00.000Z'],
    ['2026-11-21T03:20:30', 'UTC', '2026-11-21T03:20:30.000Z'],
    ['2026-03-29T02:30', 'Europe/Berlin', undefined], // put forward over it
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'], // twice: the first
    ['2026-10-25T03:30', 'Europe/Berlin', '2026-10-25T02:30:00.000Z'],
    ['2011-12-30T12:00', 'Pacific/Apia', undefined], // a day that was left out
    ['2026-11-21T12:00', 'Pacific/Kiritimati', '2026-11-20T22:00:00.000Z'],
    ['', 'UTC', undefined],
    ['2026-02-30T00:00', 'UTC', undefined],
  ])('%s in %s is %s', (wall, zone, want) => {
    expect(momentAtWallTime(wall, zone)?.toISOString()).toBe(want);
  });
  it('is the inverse of wallTimeAt', () => {
    const at = Date.UTC(2026, 6, 1, 12, 34, 56);
    expect(momentAtWallTime(wallTimeAt(at, 'America/St_Johns'), 'America/St_Johns')?.getTime()).toBe(at);
  });
});
