import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drift, type Gesture, nextGesture, IDLE, type GestureEvent, type GestureResult } from './gestureMachine';

const modifiers = { add: false, alternative: false };
const press: GestureEvent = {
  type: 'press',
  subject: { kind: 'edge', from: 'a' },
  hit: { kind: 'handle', key: 'a' },
  at: { x: 10, y: 10 },
  client: { x: 100, y: 100 },
  modifiers,
};
const move = (x: number): GestureEvent => ({
  type: 'move',
  at: { x, y: 10 },
  client: { x: 90 + x, y: 100 },
  over: { kind: 'card', key: 'b' },
  modifiers,
});

function run(...events: GestureEvent[]): { gesture: Gesture; results: GestureResult[] } {
  let gesture = IDLE;
  const results: GestureResult[] = [];
  for (const each of events) {
    const next = nextGesture(gesture, each);
    gesture = next.gesture;
    if (next.result) results.push(next.result);
  }
  return { gesture, results };
}

describe('nextGesture', () => {
  it('clicks at the point of the press, in spite of small moves', () => {
    expect(run(press, move(12), { type: 'release' })).toMatchObject({
      gesture: IDLE,
      results: [{ type: 'click', hit: { kind: 'handle', key: 'a' } }],
    });
  });
  it('drags from the point of the press, and drops at the pointer', () => {
    expect(run(press, move(40), move(60), { type: 'release' }).results).toMatchObject([
      {
        type: 'drop',
        drag: {
          subject: { kind: 'edge', from: 'a' },
          from: { x: 10 },
          at: { x: 60 },
          over: { kind: 'card', key: 'b' },
        },
      },
    ]);
  });
  it('is not a click after a drag, even back to its start', () => {
    expect(run(press, move(40), move(10), { type: 'release' }).results).toMatchObject([
      { type: 'drop', drag: { at: { x: 10 } } },
    ]);
  });
  it('updates the modifier keys during a drag', () => {
    expect(
      run(press, move(40), { type: 'modifiers', modifiers: { add: false, alternative: true } }, { type: 'release' })
        .results,
    ).toMatchObject([{ drag: { modifiers: { alternative: true } } }]);
  });
  it('has no result if it is canceled', () => {
    expect(run(press, move(40), { type: 'cancel' }, { type: 'release' })).toEqual({ gesture: IDLE, results: [] });
  });
  it('has at most one result for each press, and none without', () => {
    const events = fc.array(
      fc.constantFrom<GestureEvent>(
        press,
        move(11),
        move(50),
        { type: 'release' },
        { type: 'cancel' },
        { type: 'modifiers', modifiers },
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(events, (all) => {
        expect(run(...all).results.length).toBeLessThanOrEqual(all.filter((each) => each.type === 'press').length);
      }),
    );
  });
});

describe('drift', () => {
  const area = { left: 100, top: 0, right: 900, bottom: 600 };
  it('is zero in the middle', () => {
    expect(drift({ x: 500, y: 300 }, area)).toEqual({ x: 0, y: 0 });
  });
  it('moves towards a near edge, faster beyond it, up to a limit', () => {
    expect(drift({ x: 120, y: 300 }, area)).toEqual({ x: 7, y: 0 });
    expect(drift({ x: 100, y: 300 }, area)).toEqual({ x: 14, y: 0 });
    expect(drift({ x: 2000, y: 595 }, area)).toEqual({ x: -14, y: -14 * (35 / 40) });
  });
});
