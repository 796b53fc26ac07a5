import { describe, expect, it } from 'vitest';
import { momentOf, wallAt } from './zoned';

describe('momentOf', () => {
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
    expect(momentOf(wall, zone)?.toISOString()).toBe(want);
  });
  it('is the inverse of wallAt', () => {
    const at = Date.UTC(2026, 6, 1, 12, 34, 56);
    expect(momentOf(wallAt(at, 'America/St_Johns'), 'America/St_Johns')?.getTime()).toBe(at);
  });
});
