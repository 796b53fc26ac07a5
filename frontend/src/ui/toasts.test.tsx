import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Toasts } from './Toasts';
import { dismissToast, getToasts, toast } from './toasts';

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
      getToasts().forEach((one) => {
        dismissToast(one.id);
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

  it('are said politely, and go by themselves', () => {
    expect(screen.getByRole('status')).toBeEmptyDOMElement();
    show('Done');
    expect(screen.getByRole('status')).toHaveTextContent('Done');
    wait(6000);
    expect(screen.queryByText('Done')).toBeNull();
  });
  it('stay while somebody is at them', () => {
    show('Done');
    fireEvent.focus(screen.getByRole('button', { name: 'Dismiss' }));
    wait(60_000);
    fireEvent.blur(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.getByText('Done')).toBeVisible();
    wait(6000);
    expect(screen.queryByText('Done')).toBeNull();
  });
  it('stay, if they are errors, until they are dismissed', () => {
    show('It failed', { error: true });
    wait(60_000);
    expect(screen.getByRole('alert')).toHaveTextContent('It failed');
    fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
    expect(screen.queryByText('It failed')).toBeNull();
  });
  it('are not repeated: the same words stay from then on', () => {
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
  it('are an error and a notice, though the words are the same', () => {
    show('Done');
    show('Done', { error: true });
    expect(screen.getAllByText('Done')).toHaveLength(2);
  });
  it('are never many', () => {
    ['one', 'two', 'three', 'four'].forEach((text) => {
      show(text);
    });
    expect(screen.queryByText('one')).toBeNull();
    expect(screen.getAllByRole('button', { name: 'Dismiss' })).toHaveLength(3);
  });
});
