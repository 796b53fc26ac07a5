import { describe, expect, it } from 'vitest';
import {
  axis,
  type Bar,
  type Chain,
  consequences,
  criticalEdges,
  endsOf,
  limitsOf,
  type Link,
  mainBar,
  placeOf,
  stateOf,
} from './chain';
import { draw, route } from './drawing';

const at = (time: string) => `2026-11-24T${time}:00.000Z`;
const bar = (moment: string, outcome: Bar['outcome'], over: Partial<Bar> = {}): Bar => ({
  moment: at(moment),
  own: true,
  present: true,
  waiting: false,
  outcome,
  ...over,
});
const link = (name: string, place: Link['place'], ...bars: Bar[]): Link => ({
  name,
  place,
  missing: false,
  enabled: true,
  triggers: [],
  bars,
  more: 0,
});
const CHAIN: Chain = {
  schedule: 'warehouse',
  now: at('04:12'),
  from: at('00:00'),
  until: at('10:00'),
  cut: false,
  schedules: [
    link('raw', 'before', bar('00:40', 'succeeded', { startedAt: at('00:40'), finishedAt: at('01:55') })),
    link('warehouse', 'subject', bar('03:20', 'failed', { startedAt: at('03:20'), finishedAt: at('03:58') })),
    link('mart', 'after', bar('00:00', 'held', { own: false, repairable: true, usualStart: at('04:12') })),
    link(
      'plan',
      'after',
      bar('05:00', 'expired', {
        repairable: true,
        endsAt: at('09:00'),
        mayBeginUntil: at('09:00'),
        inTimeUntil: at('04:03'),
        beginsUntil: at('08:03'),
      }),
    ),
    link(
      'mail',
      'after',
      bar('07:00', 'expected', { repairable: true, startsAt: at('07:00'), inTimeUntil: at('05:38') }),
    ),
  ],
  edges: [
    { from: 'raw', fromMoment: at('00:40'), to: 'warehouse', toMoment: at('03:20'), needed: 1, met: 1, decides: true },
    { from: 'warehouse', fromMoment: at('03:20'), to: 'mart', toMoment: at('00:00'), needed: 1, met: 0, decides: true },
    { from: 'mart', fromMoment: at('00:00'), to: 'mail', toMoment: at('07:00'), needed: 1, met: 0, decides: false },
    { from: 'plan', fromMoment: at('05:00'), to: 'mail', toMoment: at('07:00'), needed: 1, met: 0, decides: true },
    { from: 'mart', fromMoment: at('00:00'), to: 'plan', toMoment: at('05:00'), needed: 1, met: 0, decides: true },
  ],
  failures: [],
};

describe('a chain', () => {
  it('tells about the first present moment that has not succeeded', () => {
    const late = bar('02:00', 'expected', { lateSeconds: 60 });
    const rest = bar('06:00', 'expected', { present: false });
    expect(mainBar(link('a', 'after', bar('00:00', 'succeeded'), late, rest))).toBe(late);
    expect(mainBar(link('a', 'after', rest))).toBeUndefined();
    expect([stateOf(late), stateOf(rest), stateOf(undefined)]).toEqual(['waiting', 'waiting', 'none']);
    expect(stateOf(bar('00:00', 'failed', { state: 'canceled' }))).toBe('canceled');
  });

  it('places bars in time', () => {
    const now = Date.parse(at('04:12'));
    const ran = placeOf(bar('04:00', 'running', { startedAt: at('04:00'), endsAt: at('04:16') }), now);
    expect(ran.ran).toEqual([Date.parse(at('04:00')), now]);
    expect(ran.ahead).toEqual([now, Date.parse(at('04:16'))]);
    expect(ran.end).toBe(Date.parse(at('04:16')));
    const held = placeOf(bar('00:00', 'held', { own: false, usualStart: at('04:12'), usualEnd: at('04:33') }), now);
    expect([held.start, held.ahead]).toEqual([now, undefined]);
  });

  it('finds the critical chain to a schedule', () => {
    const path = (to: string) => criticalEdges(CHAIN, to).map((edge) => `${edge.from}>${edge.to}`);
    expect(path('mail')).toEqual(['plan>mail', 'mart>plan', 'warehouse>mart', 'raw>warehouse']);
    expect(path('raw')).toEqual([]);
    expect(endsOf(CHAIN).map((one) => one.name)).toEqual(['mail']);
  });

  it('says what becomes of each schedule, and until when a resume is of use', () => {
    const of = consequences(CHAIN);
    const names = (list: [Link, Bar][]) => list.map(([one]) => one.name);
    expect([names(of.held), names(of.missed), names(of.late), names(of.inTime)]).toEqual([
      ['mart'],
      ['plan'],
      [],
      ['mail'],
    ]);
    expect(limitsOf(CHAIN).map(({ kind, schedule }) => `${schedule} ${kind}`)).toEqual(['mail inTime', 'plan begins']);
  });

  it('has an axis of whole steps in a zone', () => {
    const lines = axis(Date.parse(at('00:20')), Date.parse(at('09:00')), 12, 5.5 * 3_600_000);
    expect(new Date(lines[0] ?? 0).toISOString()).toBe(at('00:30')); // 06:00 in India
    expect(lines).toHaveLength(9);
  });

  it('draws edges from the end of a bar to the start of the next', () => {
    const words = { fact: () => 'words', expires: () => 'expires' };
    const drawing = draw(CHAIN, 1000, Date.parse(at('04:12')), criticalEdges(CHAIN, 'mail'), words);
    expect(drawing.bars.map((one) => one.schedule)).toEqual(['raw', 'warehouse', 'mart', 'plan', 'mail']);
    expect(drawing.edges.filter((edge) => edge.critical)).toHaveLength(4);
    expect(drawing.edges.find((edge) => edge.met)?.key).toContain('raw warehouse');
    expect(drawing.now).toBe(420);
    const plan = drawing.bars[3];
    expect([plan?.late, plan?.note, plan?.begins?.text.words]).toEqual([true, 'warn', 'expires']);
    expect(route(100, 50, 300, 116).path).toMatch(/^M100 50H.*H296$/);
    expect(route(100, 50, 100, 116).path).toMatch(/^M97 57V/);
  });
});
