import { describe, expect, it } from 'vitest';
import { applyChanges, type Batch, type ChangeOptions, matches, paceOf, durationOf } from './list';
import { checkBatchesSearch } from './search';
import { cutPages } from './useBatches';

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
const NOW = Date.parse('2026-11-21T12:00:00.000Z');
const options = (top: boolean, over: Partial<ChangeOptions> = {}): ChangeOptions => ({
  filter: {},
  atTop: top,
  complete: false,
  now: NOW,
  ...over,
});
const shown = (all: readonly Batch[]) => all.map((b) => `${String(b.id)} ${b.state}`).join(', ');

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
    [{ since: 'soon', schedule: '', longer: 'x', param: 'x' }, {}],
    [
      { since: 'today', until: '2026-11-21', param: 'a=1,b=2', longer: '1h30m', tag: 7, by: 'ada' },
      { since: 'today', until: '2026-11-21', param: 'a=1,b=2', longer: '1h30m', tag: '7', by: 'ada' },
    ],
    [{ backfill: 4 }, { backfill: 4 }],
    [{ backfill: '4' }, {}],
    [{ backfill: 0 }, {}],
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
    [{}, { kind: 'hook' }, false],
    [{ kind: 'hook' }, { kind: 'hook' }, true],
    [{ state: 'failed,succeeded' }, {}, true],
    [{ state: 'failed,queued' }, {}, false],
    [{ since: '1h' }, { createdAt: '2026-11-21T11:30:00.000Z' }, true],
    [{ since: '1h' }, { createdAt: '2026-11-21T10:30:00.000Z' }, false],
    [{ since: '1h' }, { createdAt: '2026-11-21T10:30:00.000Z', startedAt: '2026-11-21T11:30:00.000Z' }, true],
    [{ until: '1h' }, { createdAt: '2026-11-21T11:30:00.000Z' }, false],
    [{ momentTo: '2026-11-21T11:30:00Z' }, { moment: '2026-11-21T11:00:00.000Z' }, true],
    [{ momentFrom: '2026-11-21T11:30:00Z' }, { moment: '2026-11-21T11:00:00.000Z' }, false],
    [{ by: 'ada' }, { createdBy: 'ada' }, true],
    [{ by: 'person:cron' }, { createdBy: 'ada' }, false],
    [{ by: 'person' }, { createdBy: '' }, false],
    [{ by: 'schedule' }, { kind: 'dependent' }, true],
    [{ by: 'backfill' }, {}, false],
    [{ backfill: 4 }, { backfill: 4 }, true],
    [{ backfill: 4 }, {}, false],
  ])('%o on %o', (filter, over, want) => {
    expect(matches(batch(1, over), filter, NOW)).toBe(want);
  });
});

describe('applyChanges', () => {
  const lists = {
    shown: [batch(5, { state: 'running', counts: { running: 1 }, usualSeconds: 4 }), batch(3)],
    waiting: [],
  };
  it('keeps a batch that a backfill runs again, and adds only those that it made', () => {
    const now = applyChanges(
      lists,
      [batch(5), batch(7, { backfill: 4 }), batch(8)],
      options(true, { filter: { backfill: 4 } }),
    );
    expect(shown(now.shown)).toBe('7 succeeded, 5 succeeded, 3 succeeded');
  });
  it('updates shown batches in place, and keeps fields that a change does not contain', () => {
    const now = applyChanges(lists, [batch(5, { state: 'failed' })], options(false));
    expect(shown(now.shown)).toBe('5 failed, 3 succeeded');
    expect(now.shown[0]).toMatchObject({ counts: { running: 1 }, usualSeconds: 4 });
    expect(now.shown[1]).toBe(lists.shown[1]);
  });
  it('adds new batches at the top for a user at the top, and lets them wait otherwise', () => {
    expect(shown(applyChanges(lists, [batch(6), batch(7)], options(true)).shown)).toBe(
      '7 succeeded, 6 succeeded, 5 running, 3 succeeded',
    );
    const away = applyChanges(lists, [batch(6)], options(false));
    expect(shown(away.shown)).toBe('5 running, 3 succeeded');
    const more = applyChanges(away, [batch(7), batch(6, { state: 'failed' })], options(false));
    expect(shown(more.waiting)).toBe('7 succeeded, 6 failed');
    expect(shown(applyChanges(more, [], options(true)).shown)).toBe('7 succeeded, 6 failed, 5 running, 3 succeeded');
  });
  it('adds batches in their order, whatever order the changes have', () => {
    const late = [batch(7), batch(4), batch(6), batch(4, { state: 'failed' })];
    expect(shown(applyChanges(lists, late, options(true)).shown)).toBe(
      '7 succeeded, 6 succeeded, 5 running, 4 failed, 3 succeeded',
    );
    expect(shown(applyChanges(lists, late, options(false)).waiting)).toBe('7 succeeded, 6 succeeded, 4 failed');
    expect(shown(applyChanges(lists, [batch(2)], options(true, { complete: true })).shown)).toBe(
      '5 running, 3 succeeded, 2 succeeded',
    );
  });
  it('leaves new batches to the server if only that can decide about them', () => {
    for (const filter of [{ tag: 'a' }, { owner: 'a' }, { executor: 'a' }, { param: 'a=1' }, { by: 'webhook' }])
      expect(shown(applyChanges(lists, [batch(6), batch(5)], options(true, { filter })).shown)).toBe(
        '5 succeeded, 3 succeeded',
      );
  });
  it('ignores batches that do not match the filter, or belong to a page that is not loaded', () => {
    expect(
      shown(
        applyChanges(lists, [batch(6, { schedule: 't' }), batch(2)], options(true, { filter: { schedule: 's' } }))
          .shown,
      ),
    ).toBe('5 running, 3 succeeded');
  });
  it('removes batches that no longer match only while the user is at the top', () => {
    const running = { shown: [batch(5, { state: 'running' })], waiting: [batch(6, { state: 'running' })] };
    const ended = [batch(5), batch(6)];
    expect(shown(applyChanges(running, ended, options(false, { filter: { state: 'running' } })).shown)).toBe(
      '5 succeeded',
    );
    expect(applyChanges(running, ended, options(false, { filter: { state: 'running' } })).waiting).toEqual([]);
    expect(applyChanges(running, ended, options(true, { filter: { state: 'running' } })).shown).toEqual([]);
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
    expect(durationOf(batch(1, over), now)).toBe(want);
  });
  it('are slow above twice the usual duration', () => {
    expect(paceOf(2001, 1)).toBe('slow');
    expect(paceOf(2000, 1)).toBeUndefined();
    expect(paceOf(900, 0.2)).toBeUndefined();
    expect(paceOf(undefined, 1)).toBeUndefined();
    expect(paceOf(5000, undefined)).toBeUndefined();
  });
});

describe('a list that is open all day', () => {
  const pages = (...lists: number[][]) => ({
    pages: lists.map((ids) => ({ items: ids.map((id) => batch(id)), next: ids.at(-1) })),
    pageParams: lists.map((_, i) => lists[i - 1]?.at(-1)),
  });
  it('keeps its newest batches, and loads the others again', () => {
    const cut = cutPages(pages([9, 8, 7], [6, 5], [4]), 4);
    expect(cut.pages.map((p) => [p.items.map(({ id }) => id), p.next])).toEqual([[[9, 8, 7, 6], 6]]);
    expect(cut.pageParams).toEqual([undefined]);
  });
  it('is the same as long as it is short', () => {
    const short = pages([9, 8], [7]);
    expect(cutPages(short, 3)).toBe(short);
  });
});
