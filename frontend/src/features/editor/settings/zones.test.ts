import { describe, expect, it } from 'vitest';
import { hasDaylightSaving, isZone, timeIn, zones } from './zones';

const at = Date.UTC(2026, 10, 22, 5, 20);

describe('zones', () => {
  it('are listed, UTC first', () => {
    expect(zones()[0]).toBe('UTC');
    expect(zones()).toContain('Asia/Shanghai');
    expect(new Set(zones()).size).toBe(zones().length);
  });
  it.each<[string, boolean, string, boolean]>([
    ['UTC', true, '05:20', false],
    ['Asia/Shanghai', true, '13:20', false],
    ['Europe/Berlin', true, '06:20', true],
    ['Australia/Sydney', true, '16:20', true],
    ['Mars/Olympus', false, '', false],
    ['', false, '', false],
  ])('%s', (zone, known, time, changes) => {
    expect(isZone(zone)).toBe(known);
    expect(timeIn(zone, at)).toBe(time);
    expect(hasDaylightSaving(zone, at)).toBe(changes);
  });
});
