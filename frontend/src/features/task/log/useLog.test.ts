import { act, renderHook, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { LogMatch, LogSource } from './source';
import { useLog } from './useLog';

const TEXT = new TextEncoder().encode('begin\nsome\nerror: no\nend\n');
const ERROR = 11;

function openFailedLog() {
  let found: (match: LogMatch) => void = () => undefined;
  const source: LogSource = {
    file: '',
    read: (offset) => {
      const from = offset < 0 ? Math.max(TEXT.length + offset, 0) : offset;
      return Promise.resolve({
        bytes: TEXT.slice(from),
        offset: from,
        next: TEXT.length,
        size: TEXT.length,
        complete: true,
        attempt: 1,
      });
    },
    find: vi.fn(
      () =>
        new Promise<LogMatch>((resolve) => {
          found = resolve;
        }),
    ),
  };
  const { result } = renderHook(() => useLog(source, { failed: true, running: false }));
  const target = () => result.current.reader.getState().target;
  return {
    result,
    target,
    find: () => {
      act(() => {
        found({ found: true, offset: ERROR, size: TEXT.length, next: 0, complete: true });
      });
    },
  };
}

describe('a log that failed', () => {
  it('opens at its end, and at its error once that is found', async () => {
    const { result, target, find } = openFailedLog();
    await waitFor(() => {
      expect(result.current.reader.getState().size).toBe(TEXT.length);
    });
    expect(target()).toBe('end');
    find();
    await waitFor(() => {
      expect(result.current.error).toBe(ERROR);
    });
    expect(target()).toEqual({ offset: ERROR });
  });

  it('does not move after the user has jumped', async () => {
    const { result, target, find } = openFailedLog();
    await waitFor(() => {
      expect(result.current.reader.getState().size).toBe(TEXT.length);
    });
    act(() => {
      result.current.viewport.goTo('start');
    });
    await waitFor(() => {
      expect(target()).toBe('start');
    });
    find();
    await waitFor(() => {
      expect(result.current.error).toBe(ERROR);
    });
    expect(target()).toBe('start');
  });
});
