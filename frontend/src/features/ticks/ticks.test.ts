import { describe, expect, it } from 'vitest';
import en from '@/i18n/locales/en/ticks.json';
import zh from '@/i18n/locales/zh/ticks.json';
import { STATE_OF_DECISION, upcomingMoments, lateness, ruleTextKey, type Tick } from './ticks';

describe('rules', () => {
  it.each<[string, Tick['decision'], string | undefined]>([
    ['on_time', 'fired', 'on_time'],
    ['catch_up', 'fired', 'catch_up_fired'],
    ['catch_up', 'missed', 'catch_up_missed'],
    ['catch_up', 'queued', 'catch_up_queued'],
    ['expire', 'missed', 'expire'],
    ['overlap', 'skipped', 'overlap_skipped'],
    ['overlap', 'merged', 'overlap_merged'],
    ['overlap', 'queued', 'overlap_queued'],
    ['overlap', 'fired', 'overlap_fired'],
    ['paused', 'skipped', 'paused'],
    ['max_batches', 'skipped', 'max_batches'],
    ['backlog', 'missed', 'backlog'],
    ['definition', 'missed', 'definition'],
    ['after', 'waiting', 'after'],
    ['after', 'fired', 'after'],
    ['released', 'fired', 'released'],
    ['upstream', 'skipped', 'upstream'],
    ['edited', 'skipped', 'edited'],
    ['of_a_later_server', 'fired', undefined],
  ])('%s, %s', (rule, decision, want) => {
    const key = ruleTextKey({ rule, decision });
    expect(key).toBe(want);
    for (const texts of [en, zh]) {
      if (key) expect(texts.rule[key]).toBeTruthy();
      expect(texts.decision[decision]).toBeTruthy();
    }
    expect(STATE_OF_DECISION[decision]).toBeTruthy();
  });
});

describe('lateness', () => {
  it('counts from the last moment of a row, and ignores less than a second', () => {
    expect(lateness({ moment: '2026-11-21T12:00:00.000Z', decidedAt: '2026-11-21T12:00:00.400Z' })).toBeUndefined();
    expect(lateness({ moment: '2026-11-21T12:00:00.000Z', decidedAt: '2026-11-21T12:00:03.000Z' })).toBe(3000);
    expect(
      lateness({
        moment: '2026-11-21T12:00:00.000Z',
        until: '2026-11-21T13:00:00.000Z',
        decidedAt: '2026-11-21T13:00:02.000Z',
      }),
    ).toBe(2000);
  });
});

describe('upcomingMoments', () => {
  it('lists the latest moment first, without past ones', () => {
    const now = Date.parse('2026-11-21T12:00:00.000Z');
    expect(
      upcomingMoments(['2026-11-21T11:59:00.000Z', '2026-11-21T12:01:00.000Z', '2026-11-21T12:02:00.000Z'], now),
    ).toEqual(['2026-11-21T12:02:00.000Z', '2026-11-21T12:01:00.000Z']);
    expect(upcomingMoments(undefined, now)).toEqual([]);
  });
});
