import { describe, expect, it } from 'vitest';
import { clock, exact, here, isElsewhere, relative, weekday } from './time';

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
  it('speaks both languages', () => {
    expect(relative(0, 61_000, 'en')).toBe('1 min. ago');
    expect(relative(7_200_000, 0, 'zh')).toBe('2小时后');
    expect(relative(0, 0, 'en')).toBe('now');
  });
});

describe('exact', () => {
  it('knows zones, and survives unknown ones', () => {
    expect(exact('2026-11-20T19:20:00.000Z', { zone: 'Asia/Shanghai' })).toBe('2026-11-21 03:20');
    expect(exact(0, { zone: 'UTC', seconds: true })).toBe('1970-01-01 00:00:00');
    expect(exact(0, { zone: 'Mars/Olympus' })).toMatch(/^19(69|70)-/);
  });
});

describe('isElsewhere', () => {
  it('compares the zone with the browser, at the moment', () => {
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    expect(isElsewhere(0, here)).toBe(false);
    expect(isElsewhere(0, undefined)).toBe(false);
    expect(isElsewhere(0, 'Mars/Olympus')).toBe(false);
    expect(['Pacific/Kiritimati', 'Pacific/Pago_Pago'].some((zone) => isElsewhere(0, zone))).toBe(true);
  });
});

describe('here', () => {
  it('is the time of the browser, with its weekday where that is another', () => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const at = '2026-11-29T12:00:00.000Z';
    expect(here(at, 'en', zone)).toMatch(/^\d\d:\d\d$/);
    // Of places 25 hours apart one at least has another day than the browser.
    const shown = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((far) => here(at, 'en', far));
    expect(shown.some((text) => /^(Sat|Sun|Mon) \d\d:\d\d$/.test(text))).toBe(true);
  });
});

describe('weekday', () => {
  it('is the day of the zone, in the language', () => {
    expect(weekday('2026-11-29T19:00:00.000Z', 'en', 'Asia/Shanghai')).toBe('Mon 30 Nov');
    expect(weekday('2026-11-29T19:00:00.000Z', 'en', 'UTC')).toBe('Sun 29 Nov');
    expect(weekday('2026-11-29T19:00:00.000Z', 'zh', 'Asia/Shanghai')).toBe('11月30日周一');
    expect(weekday(0, 'en', 'Mars/Olympus')).toMatch(/197|Jan|Dec/);
  });
});
