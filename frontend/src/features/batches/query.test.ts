import { describe, expect, it } from 'vitest';
import { csvAddress, momentOf, queryOf } from './query';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');

describe('a moment of a filter', () => {
  it.each([
    ['24h', '2026-11-20T12:00:00.000Z'],
    ['7d', '2026-11-14T12:00:00.000Z'],
    ['now', '2026-11-21T12:00:00.000Z'],
    ['2026-11-01T03:20:00Z', '2026-11-01T03:20:00.000Z'],
  ])('%s', (text, want) => {
    expect(new Date(momentOf(text, NOW) ?? 0).toISOString()).toBe(want);
  });
  it('is one of the zone of the browser', () => {
    const midnight = new Date(NOW);
    midnight.setHours(0, 0, 0, 0);
    expect(momentOf('today', NOW)).toBe(midnight.getTime());
    midnight.setDate(midnight.getDate() - 1);
    expect(momentOf('yesterday', NOW)).toBe(midnight.getTime());
    expect(momentOf('2026-11-20', NOW)).toBe(new Date(2026, 10, 20).getTime());
  });
  it('is one of a chosen zone', () => {
    const of = (text: string, zone: string) => new Date(momentOf(text, NOW, zone) ?? 0).toISOString();
    expect(of('today', 'Asia/Tokyo')).toBe('2026-11-20T15:00:00.000Z');
    expect(of('yesterday', 'Asia/Tokyo')).toBe('2026-11-19T15:00:00.000Z');
    expect(of('2026-11-01T03:20', 'Asia/Tokyo')).toBe('2026-10-31T18:20:00.000Z');
    expect(of('2026-11-01 03:20:30', 'Asia/Tokyo')).toBe('2026-10-31T18:20:30.000Z');
    expect(of('2026-11-01T03:20+01:00', 'Asia/Tokyo')).toBe('2026-11-01T02:20:00.000Z');
    expect(of('2026-09-06', 'America/Santiago')).toBe('2026-09-06T04:00:00.000Z'); // its clocks skip midnight
  });
  it.each([undefined, '', 'soon', '5x'])('is missing: %s', (text) => {
    expect(momentOf(text, NOW)).toBeUndefined();
  });
});

describe('the address of the file', () => {
  it('has the filters with times that the server can read', () => {
    expect(csvAddress({ tag: '财务 a', since: '24h', state: 'failed,running' }, NOW)).toBe(
      '/api/v1/batches.csv?bom=true&tag=%E8%B4%A2%E5%8A%A1+a&since=2026-11-20T12%3A00%3A00.000Z&state=failed%2Crunning',
    );
    expect(queryOf({}, NOW).since).toBeUndefined();
    expect(queryOf({ needs: 'person', since: '2026-11-01' }, NOW, 'UTC')).toMatchObject({
      needsPerson: true,
      since: '2026-11-01T00:00:00.000Z',
    });
  });
});
