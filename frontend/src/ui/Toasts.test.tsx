import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dismissToast, getToasts, toast, Toasts } from './Toasts';

describe('notices', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    render(
      <MantineProvider env="test">
        <Toasts />
      </MantineProvider>,
    );
  });
  afterEach(() => {
    act(() => {
      getToasts().forEach(({ id }) => {
        dismissToast(id);
      });
    });
    vi.useRealTimers();
  });
  const wait = (ms: number) => {
    act(() => {
      vi.advanceTimersByTime(ms);
    });
  };
  const show = (...args: Parameters<typeof toast>) => {
    act(() => {
      toast(...args);
    });
  };

  it('are announced, and disappear after a while', () => {
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
    show('Done');
    expect(screen.getByRole('status')).toHaveTextContent('Done');
    wait(6000);
    expect(screen.queryByText('Done')).toBeNull();
  });
  it('stay while the focus is in them', () => {
    show('Done');
    fireEvent.focus(screen.getByRole('button', { name: 'Dismiss' }));
    wait(60_000);
    fireEvent.blur(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.getByText('Done')).toBeVisible();
    wait(6000);
    expect(screen.queryByText('Done')).toBeNull();
  });
  it('stay until they are dismissed if they are errors', () => {
    show('It failed', { error: true });
    wait(60_000);
    expect(screen.getByRole('alert')).toHaveTextContent('It failed');
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText('It failed')).toBeNull();
  });
  it('are not duplicated: the same text is shown for the full duration again', () => {
    show('Done');
    show('Sent');
    wait(4000);
    show('Done');
    expect(screen.getAllByText('Done')).toHaveLength(1);
    wait(4000);
    expect(screen.getByText('Done')).toBeVisible();
    expect(screen.queryByText('Sent')).toBeNull();
    wait(2000);
    expect(screen.queryByText('Done')).toBeNull();
  });
  it('are both shown if an error and a notice have the same text', () => {
    show('Done');
    show('Done', { error: true });
    expect(screen.getAllByText('Done')).toHaveLength(2);
  });
  it('are at most three', () => {
    ['one', 'two', 'three', 'four'].forEach((text) => {
      show(text);
    });
    expect(screen.queryByText('one')).toBeNull();
    expect(screen.getAllByRole('button', { name: 'Dismiss' })).toHaveLength(3);
  });
});
