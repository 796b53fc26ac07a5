import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Batch } from '@/live';
import type { Summary } from './summary';
import { Watch } from './Watch';

const shown: string[] = [];
class FakeNotification extends EventTarget {
  static permission = 'default';
  static asked = 0;
  static requestPermission = () => {
    FakeNotification.asked++;
    FakeNotification.permission = 'granted';
    return Promise.resolve('granted');
  };
  constructor(title: string) {
    super();
    shown.push(title);
  }
}

const view = (live: boolean, state: Batch['state'], failed = 0) => (
  <MantineProvider>
    <Watch
      batch={{ id: 7, schedule: 'nightly', live, state, wish: 'run', tasks: [] } as unknown as Batch}
      summary={{ failed: Array(failed).fill({}), held: [] } as unknown as Summary}
    />
  </MantineProvider>
);

beforeEach(() => {
  vi.stubGlobal('Notification', FakeNotification);
  vi.spyOn(document, 'hasFocus').mockReturnValue(false);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  sessionStorage.clear();
  shown.length = 0;
  FakeNotification.permission = 'default';
  FakeNotification.asked = 0;
});

describe('Watch', () => {
  it('asks for the permission at the click only, and tells of the first failure and the end', async () => {
    const { rerender } = render(view(true, 'running'));
    expect(FakeNotification.asked).toBe(0);
    await userEvent.click(screen.getByRole('button', { pressed: false }));
    expect(FakeNotification.asked).toBe(1);
    screen.getByRole('button', { pressed: true });
    rerender(view(true, 'running', 1));
    rerender(view(true, 'running', 2));
    rerender(view(false, 'failed', 2));
    expect(shown).toHaveLength(2);
    expect(shown[1]).toBe('nightly · failed');
    expect(screen.queryByRole('button')).toBeNull();
  });
  it('tells nothing if it is off, or if the user looks at the page', () => {
    const { rerender } = render(view(true, 'running'));
    rerender(view(false, 'succeeded'));
    sessionStorage.setItem('hivego.watch', '[7]');
    FakeNotification.permission = 'granted';
    vi.spyOn(document, 'hasFocus').mockReturnValue(true);
    const other = render(view(true, 'running'));
    other.rerender(view(false, 'succeeded'));
    expect(shown).toEqual([]);
  });
});
