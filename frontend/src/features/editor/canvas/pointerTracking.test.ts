import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onLongPress, onTapOrLongPress, trackDrag } from './pointerTracking';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The finger that is followed, and another one. */
const [FINGER, OTHER] = [1, 2];

const finger = (type: string, pointerId: number, clientX = 0) =>
  new PointerEvent(type, { pointerId, clientX, pointerType: 'touch' });
const send = (...event: Parameters<typeof finger>) => {
  window.dispatchEvent(finger(...event));
};

describe('trackDrag', () => {
  const track = () => {
    const listener = { moved: vi.fn(), modified: vi.fn(), released: vi.fn(), canceled: vi.fn(), panned: () => false };
    trackDrag(finger('pointerdown', FINGER), listener);
    return listener;
  };
  it('follows its pointer, whatever another one does, until its release', () => {
    const { moved, released, canceled } = track();
    send('pointermove', OTHER, 5);
    send('pointerup', OTHER);
    send('pointercancel', OTHER);
    expect([moved, released, canceled].map((each) => each.mock.calls.length)).toEqual([0, 0, 0]);
    send('pointermove', FINGER, 7);
    expect(moved.mock.calls[0]?.[0]).toEqual({ x: 7, y: 0 });
    send('pointerup', FINGER);
    send('pointerup', FINGER);
    expect(released).toHaveBeenCalledTimes(1);
    expect(canceled).not.toHaveBeenCalled();
  });
  it.each([
    ['its pointer is canceled', () => finger('pointercancel', FINGER)],
    ['the window loses the focus', () => new Event('blur')],
    ['Escape is pressed', () => new KeyboardEvent('keydown', { key: 'Escape' })],
  ])('is canceled once if %s', (_, event) => {
    const { released, canceled } = track();
    window.dispatchEvent(event());
    send('pointerup', FINGER);
    expect(canceled).toHaveBeenCalledTimes(1);
    expect(released).not.toHaveBeenCalled();
  });
});

describe('onLongPress', () => {
  it.each(['pointerup', 'pointercancel'])('does nothing after the %s of its finger', (end) => {
    const act = vi.fn();
    onLongPress(finger('pointerdown', FINGER), act);
    send(end, OTHER); // this finger is still down
    send(end, FINGER);
    vi.advanceTimersByTime(1000);
    expect(act).not.toHaveBeenCalled();
  });
  it('acts once while its finger is down, even if another one is lifted', () => {
    const act = vi.fn();
    onLongPress(finger('pointerdown', FINGER), act);
    send('pointerup', OTHER);
    vi.advanceTimersByTime(1000);
    expect(act).toHaveBeenCalledTimes(1);
  });
  it('does nothing after it was stopped', () => {
    const act = vi.fn();
    onLongPress(finger('pointerdown', FINGER), act)();
    vi.advanceTimersByTime(1000);
    expect(act).not.toHaveBeenCalled();
  });
});

describe('onTapOrLongPress', () => {
  const press = () => {
    const [tap, long] = [vi.fn(), vi.fn()];
    onTapOrLongPress(finger('pointerdown', FINGER), tap, long);
    send('pointerdown', FINGER); // the press itself reaches the window too
    return { tap, long };
  };
  it('recognizes a tap, although another finger is lifted or canceled', () => {
    const { tap, long } = press();
    send('pointerup', OTHER);
    send('pointercancel', OTHER);
    send('pointermove', FINGER, 3);
    send('pointerup', FINGER);
    vi.advanceTimersByTime(1000);
    expect(tap).toHaveBeenCalledTimes(1);
    expect(long).not.toHaveBeenCalled();
  });
  it('recognizes a long press', () => {
    const { tap, long } = press();
    vi.advanceTimersByTime(1000);
    send('pointerup', FINGER);
    expect(tap).not.toHaveBeenCalled();
    expect(long).toHaveBeenCalledTimes(1);
  });
  it.each([
    ['moves away', () => finger('pointermove', FINGER, 20)],
    ['is canceled', () => finger('pointercancel', FINGER)],
    ['is joined by another one', () => finger('pointerdown', OTHER)],
  ])('recognizes nothing if the finger %s', (_, event) => {
    const { tap, long } = press();
    window.dispatchEvent(event());
    send('pointerup', FINGER);
    vi.advanceTimersByTime(1000);
    expect(tap).not.toHaveBeenCalled();
    expect(long).not.toHaveBeenCalled();
  });
});
