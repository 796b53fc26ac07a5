import { describe, expect, it } from 'vitest';
import { apply, type Batch, matches, pace, took } from './list';
import { checkBatchesSearch } from './search';

const batch = (id: number, over: Partial<Batch> = {}): Batch => ({
  id,
  schedule: 's',
  revision: 1,
  kind: 'scheduled',
  state: 'succeeded',
  wish: 'run',
  reason: '',
  round: 1,
  live: false,
  moment: '',
  createdAt: '',
  createdBy: '',
  ...over,
});
const shown = (all: Batch[]) => all.map((b) => `${String(b.id)} ${b.state}`).join(', ');

describe('the address', () => {
  it.each<[Record<string, unknown>, object]>([
    [{}, {}],
    [
      { schedule: 'a', state: 'failed', kind: 'manual' },
      { schedule: 'a', state: 'failed', kind: 'manual' },
    ],
    [{ schedule: 2026, state: 'broken', kind: 1, extra: 1 }, { schedule: '2026' }],
    [{ state: 'failed,queued,broken,failed' }, { state: 'queued,failed' }],
    [{ since: '7d' }, { since: '7d' }],
    [{ since: '8d', schedule: '' }, {}],
  ])('%o', (search, want) => {
    expect(checkBatchesSearch(search)).toEqual(want);
  });
});

describe('a filter', () => {
  it.each<[object, Partial<Batch>, boolean]>([
    [{}, {}, true],
    [{ schedule: 's' }, {}, true],
    [{ schedule: 't' }, {}, false],
    [{ state: 'failed' }, {}, false],
    [{ state: 'succeeded' }, {}, true],
    [{ kind: 'manual' }, {}, false],
    [{ state: 'failed,succeeded' }, {}, true],
    [{ state: 'failed,queued' }, {}, false],
    [{ since: '1h' }, {}, true],
  ])('%o on %o', (filter, over, want) => {
    expect(matches(batch(1, over), filter)).toBe(want);
  });
});

describe('changes', () => {
  const lists = {
    shown: [batch(5, { state: 'running', counts: { running: 1 }, usualSeconds: 4 }), batch(3)],
    waiting: [],
  };
  it('of what is shown happen in its place, and keep what they do not tell', () => {
    const now = apply(lists, [batch(5, { state: 'failed' })], {}, false);
    expect(shown(now.shown)).toBe('5 failed, 3 succeeded');
    expect(now.shown[0]).toMatchObject({ counts: { running: 1 }, usualSeconds: 4 });
    expect(now.shown[1]).toBe(lists.shown[1]);
  });
  it('go on top for who is there, and wait for who has scrolled', () => {
    expect(shown(apply(lists, [batch(6), batch(7)], {}, true).shown)).toBe(
      '7 succeeded, 6 succeeded, 5 running, 3 succeeded',
    );
    const away = apply(lists, [batch(6)], {}, false);
    expect(shown(away.shown)).toBe('5 running, 3 succeeded');
    const more = apply(away, [batch(7), batch(6, { state: 'failed' })], {}, false);
    expect(shown(more.waiting)).toBe('7 succeeded, 6 failed');
    expect(shown(apply(more, [], {}, true).shown)).toBe('7 succeeded, 6 failed, 5 running, 3 succeeded');
  });
  it('leave out what the filter does, and what is older than the page', () => {
    expect(shown(apply(lists, [batch(6, { schedule: 't' }), batch(4), batch(2)], { schedule: 's' }, true).shown)).toBe(
      '5 running, 3 succeeded',
    );
  });
  it('take away what does not fit any more only where nobody reads', () => {
    const running = { shown: [batch(5, { state: 'running' })], waiting: [batch(6, { state: 'running' })] };
    const ended = [batch(5), batch(6)];
    expect(shown(apply(running, ended, { state: 'running' }, false).shown)).toBe('5 succeeded');
    expect(apply(running, ended, { state: 'running' }, false).waiting).toEqual([]);
    expect(apply(running, ended, { state: 'running' }, true).shown).toEqual([]);
  });
});

describe('durations', () => {
  const at = (s: string) => `2026-11-21T12:00:${s}.000Z`;
  const now = Date.parse(at('30'));
  it.each<[Partial<Batch>, number | undefined]>([
    [{}, undefined],
    [{ startedAt: at('00'), finishedAt: at('10') }, 10_000],
    [{ startedAt: at('00'), roundAt: at('05'), finishedAt: at('10') }, 5000],
    [{ startedAt: at('00'), live: true, finishedAt: at('10') }, 30_000],
    [{ startedAt: at('50') }, 0],
  ])('%o', (over, want) => {
    expect(took(batch(1, over), now)).toBe(want);
  });
  it('are slow beyond twice the usual', () => {
    expect(pace(2001, 1)).toBe('slow');
    expect(pace(2000, 1)).toBeUndefined();
    expect(pace(900, 0.2)).toBeUndefined();
    expect(pace(undefined, 1)).toBeUndefined();
    expect(pace(5000, undefined)).toBeUndefined();
  });
});
