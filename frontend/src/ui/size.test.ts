import { describe, expect, it } from 'vitest';
import { size } from './size';

describe('size', () => {
  it.each([
    [0, '0 B'],
    [1023, '1,023 B'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [598_016, '584 KiB'],
    [67_719_969_720, '63.1 GiB'],
    [2 ** 50, '1,024 TiB'],
  ])('writes %d as %s', (bytes, text) => {
    expect(size(bytes, 'en')).toBe(text);
  });

  it('writes the number as the language does', () => {
    expect(size(1536, 'de')).toBe('1,5 KiB');
  });
});
