import { describe, expect, it } from 'vitest';
import { type EarlyKeys, newEarlyKeys } from './earlyKeys';

const press = (keys: EarlyKeys, key: string, init: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent('keydown', { key, cancelable: true, ...init });
  return { kept: keys.keep(event), prevented: event.defaultPrevented };
};

describe('early keys', () => {
  it('are kept until the field has the focus', () => {
    const keys = newEarlyKeys();
    expect(press(keys, 'x')).toEqual({ kept: false, prevented: false });
    keys.begin();
    for (const key of ['o', 'x', 'Backspace', 'R', 'Shift', 'Enter', '仓'])
      expect(press(keys, key)).toEqual({ kept: true, prevented: true });
    const texts: string[] = [];
    const end = keys.follow((text) => texts.push(text));
    press(keys, ' ');
    end();
    press(keys, 'd');
    expect(texts).toEqual(['oR仓', 'oR仓 ']);
    keys.end();
    expect(press(keys, 'd')).toEqual({ kept: false, prevented: false });
    keys.begin();
    keys.follow((text) => texts.push(text));
    expect(texts.at(-1)).toBe('');
  });

  it('leave keys with another meaning to the page', () => {
    const keys = newEarlyKeys();
    keys.begin();
    expect(press(keys, 'Escape').kept).toBe(false);
    expect(press(keys, 'k', { ctrlKey: true }).kept).toBe(false);
    for (const key of ['F5', 'Tab', 'ArrowDown']) expect(press(keys, key)).toEqual({ kept: false, prevented: false });
    keys.follow((text) => {
      expect(text).toBe('');
    });
  });
});
