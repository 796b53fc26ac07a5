import { act, render, renderHook, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { useClock, useNow, useOnceDecided } from './now';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Shows or hides the page. */
function turn(state: DocumentVisibilityState) {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state);
  act(() => {
    document.dispatchEvent(new Event('visibilitychange'));
  });
}

function Clocks() {
  return <p>{useClock() === useNow() ? 'the same second' : 'different seconds'}</p>;
}

it('shows one time in one rendering, while the clock of the machine goes on between two reads', () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  let time = Date.now() + 60_000;
  vi.spyOn(Date, 'now').mockImplementation(() => time++);
  render(<Clocks />);
  expect(screen.getByText('the same second')).toBeInTheDocument();
  expect(error).not.toHaveBeenCalled();
});

it('renders only with the next step', () => {
  vi.useFakeTimers({ now: 60_000 });
  let renders = 0;
  const { result } = renderHook(() => {
    renders++;
    return useNow(15_000);
  });
  expect(result.current).toBe(60_000);
  act(() => vi.advanceTimersByTime(14_000));
  expect([result.current, renders]).toEqual([60_000, 1]);
  act(() => vi.advanceTimersByTime(2_000));
  expect([result.current, renders]).toEqual([75_000, 2]);
});

it('stands still while the page is hidden, and is right as soon as it is shown', () => {
  vi.useFakeTimers({ now: 60_000 });
  const { result } = renderHook(() => useClock());
  turn('hidden');
  expect(vi.getTimerCount()).toBe(0);
  vi.setSystemTime(3_660_000);
  turn('visible');
  expect(result.current).toBe(3_660_000);
});

it('calls once after a moment, and at once after a sleep of the computer', () => {
  vi.useFakeTimers({ now: 60_000 });
  const act1 = vi.fn();
  const moment = new Date(90_000).toISOString();
  const { unmount } = renderHook(() => {
    useOnceDecided(moment, act1);
  });
  act(() => vi.advanceTimersByTime(30_000));
  expect(act1).not.toHaveBeenCalled();
  act(() => vi.advanceTimersByTime(10_000));
  expect(act1).toHaveBeenCalledTimes(1);
  unmount();

  const act2 = vi.fn();
  renderHook(() => {
    useOnceDecided(new Date(8 * 3_600_000).toISOString(), act2);
  });
  turn('hidden');
  vi.setSystemTime(9 * 3_600_000); // the timers of a sleeping computer do not run
  turn('visible');
  expect(act2).toHaveBeenCalledTimes(1);
});
