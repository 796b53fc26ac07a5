import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drift, type Hand, handAfter, IDLE, type Move, type Outcome } from './hand';

const keys = { more: false, instead: false };
const press: Move = {
  did: 'press',
  what: { held: 'edge', from: 'a' },
  hit: { at: 'handle', key: 'a' },
  at: { x: 10, y: 10 },
  client: { x: 100, y: 100 },
  keys,
};
const move = (x: number): Move => ({
  did: 'move',
  at: { x, y: 10 },
  client: { x: 90 + x, y: 100 },
  over: { at: 'card', key: 'b' },
  keys,
});

function run(...moves: Move[]): { hand: Hand; outcomes: Outcome[] } {
  let hand = IDLE;
  const outcomes: Outcome[] = [];
  for (const each of moves) {
    const next = handAfter(hand, each);
    hand = next.hand;
    if (next.outcome) outcomes.push(next.outcome);
  }
  return { hand, outcomes };
}

describe('handAfter', () => {
  it('clicks where it was pressed, however the hand trembled', () => {
    expect(run(press, move(12), { did: 'release' })).toMatchObject({
      hand: IDLE,
      outcomes: [{ done: 'click', hit: { at: 'handle', key: 'a' } }],
    });
  });
  it('drags from where it was pressed, and drops where it is', () => {
    expect(run(press, move(40), move(60), { did: 'release' }).outcomes).toMatchObject([
      {
        done: 'drop',
        what: { held: 'edge', from: 'a' },
        from: { x: 10 },
        at: { x: 60 },
        over: { at: 'card', key: 'b' },
      },
    ]);
  });
  it('is not a click any more once it was dragged, also back to its beginning', () => {
    expect(run(press, move(40), move(10), { did: 'release' }).outcomes).toMatchObject([
      { done: 'drop', at: { x: 10 } },
    ]);
  });
  it('hears of keys while it drags', () => {
    expect(
      run(press, move(40), { did: 'keys', keys: { more: false, instead: true } }, { did: 'release' }).outcomes,
    ).toMatchObject([{ keys: { instead: true } }]);
  });
  it('has no outcome if it is cancelled', () => {
    expect(run(press, move(40), { did: 'cancel' }, { did: 'release' })).toEqual({ hand: IDLE, outcomes: [] });
  });
  it('has at most one outcome for each press, and none without', () => {
    const moves = fc.array(
      fc.constantFrom<Move>(press, move(11), move(50), { did: 'release' }, { did: 'cancel' }, { did: 'keys', keys }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(moves, (all) => {
        expect(run(...all).outcomes.length).toBeLessThanOrEqual(all.filter((each) => each.did === 'press').length);
      }),
    );
  });
});

describe('drift', () => {
  const place = { left: 100, top: 0, right: 900, bottom: 600 };
  it('is still in the middle', () => {
    expect(drift({ x: 500, y: 300 }, place)).toEqual({ x: 0, y: 0 });
  });
  it('goes towards the edge that is near, faster beyond it, and never faster than its limit', () => {
    expect(drift({ x: 120, y: 300 }, place)).toEqual({ x: 7, y: 0 });
    expect(drift({ x: 100, y: 300 }, place)).toEqual({ x: 14, y: 0 });
    expect(drift({ x: 2000, y: 595 }, place)).toEqual({ x: -14, y: -14 * (35 / 40) });
  });
});
