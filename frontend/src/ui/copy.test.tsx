import { renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { setLanguage } from '@/i18n';
import { useCopy } from './copy';
import { dismissToast, getToasts } from './Toasts';

const clipboard = (value: unknown) => {
  Object.defineProperty(navigator, 'clipboard', { value, configurable: true });
};
const command = (value: unknown) => {
  Object.defineProperty(document, 'execCommand', { value, configurable: true });
};

describe('a copy', () => {
  afterEach(() => {
    clipboard(undefined);
    command(undefined);
    getToasts().forEach(({ id }) => {
      dismissToast(id);
    });
  });
  const copy = async (text: string) => {
    await setLanguage('en');
    return renderHook(() => useCopy()).result.current(text);
  };
  const notices = () => getToasts().map(({ text }) => text);

  it('goes to the clipboard', async () => {
    const writeText = vi.fn(() => Promise.resolve());
    clipboard({ writeText });
    expect(await copy('x')).toBe(true);
    expect(writeText).toHaveBeenCalledWith('x');
    expect(notices()).toEqual([]);
  });

  it('says that the browser refuses it', async () => {
    clipboard({ writeText: () => Promise.reject(new Error('denied')) });
    expect(await copy('x')).toBe(false);
    expect(notices()).toEqual(['The browser did not copy it. Select the text, and copy it yourself.']);
  });

  it('works on a page without TLS, and leaves the focus where it is', async () => {
    const button = document.body.appendChild(document.createElement('button'));
    button.focus();
    let selected = '';
    command(() => {
      selected = (document.activeElement as HTMLTextAreaElement).value;
      return true;
    });
    expect(await copy('the text')).toBe(true);
    expect(selected).toBe('the text');
    expect(document.activeElement).toBe(button);
    expect(document.querySelector('textarea')).toBeNull();
    button.remove();
  });
});
