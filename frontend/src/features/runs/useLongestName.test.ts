import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Line, Row } from './grid';
import { useLongestName } from './useLongestName';

const fonts = new EventTarget();
const line = (task: string): Line => ({ kind: 'task', row: { task } as Row });
const LINES = [line('a'), line('b')];

describe('the width of the longest name', () => {
  beforeEach(() => {
    Object.defineProperty(document, 'fonts', { value: fonts, configurable: true });
  });
  afterEach(() => {
    Reflect.deleteProperty(document, 'fonts');
  });

  it('is measured when the lines, the names or the font change, and not when the grid only renders', () => {
    const nameOf = vi.fn(() => 'a name');
    const { result, rerender } = renderHook(({ lines, name }) => useLongestName(lines, name), {
      initialProps: { lines: LINES, name: nameOf },
    });
    const short = result.current;
    expect(short).toBeGreaterThan(0);
    nameOf.mockClear();
    rerender({ lines: LINES, name: nameOf });
    expect(nameOf).not.toHaveBeenCalled();
    act(() => {
      fonts.dispatchEvent(new Event('loadingdone'));
    });
    expect(nameOf).toHaveBeenCalledTimes(LINES.length);
    const longer = vi.fn(() => 'a much longer name');
    rerender({ lines: LINES, name: longer });
    expect(result.current).toBeGreaterThan(short);
  });
});
