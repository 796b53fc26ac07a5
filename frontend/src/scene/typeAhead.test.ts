import { fireEvent } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { collectTyped } from './typeAhead';

describe('collectTyped', () => {
  it('keeps letters from the page until they are taken', () => {
    const page = vi.fn();
    document.body.addEventListener('keydown', page);
    const take = collectTyped();
    for (const key of ['r', 'Shift', 'A', ' ', 'Backspace', '1']) fireEvent.keyDown(document.body, { key });
    fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true });
    expect(page).toHaveBeenCalledTimes(3); // Shift, Backspace and Ctrl+Z
    expect(take()).toBe('rA 1');
    fireEvent.keyDown(document.body, { key: 'n' });
    expect(page).toHaveBeenCalledTimes(4);
    document.body.removeEventListener('keydown', page);
  });
});
