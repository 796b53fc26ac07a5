import { act, renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { chooseZone, ownZone, useZone } from './zones';

describe('useZone', () => {
  it('follows the choice on all pages, and remembers it', () => {
    const batch = renderHook(() => useZone('Asia/Shanghai', 'schedule'));
    const list = renderHook(() => useZone(undefined, 'mine'));
    expect(batch.result.current).toEqual(['schedule', 'Asia/Shanghai']);
    expect(list.result.current).toEqual(['mine', ownZone()]);
    act(() => {
      chooseZone('utc');
    });
    expect(batch.result.current).toEqual(['utc', 'UTC']);
    expect(list.result.current).toEqual(['utc', 'UTC']);
    expect(localStorage.getItem('hivego.zone')).toBe('utc');
    act(() => {
      chooseZone('schedule');
    });
    expect(batch.result.current).toEqual(['schedule', 'Asia/Shanghai']);
    // A list of several schedules has no zone of a schedule.
    expect(list.result.current).toEqual(['mine', ownZone()]);
  });
});
