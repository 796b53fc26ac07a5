import { describe, expect, it } from 'vitest';
import { hasHan, initials } from './pinyin';

describe('initials', () => {
  it.each([
    ['仓库同步', 'cktb'],
    ['每日 Sales 报表 2', 'mrsalesbb2'],
    ['订单、退货', 'ddth'],
    ['批次', 'pc'],
    ['执行器', 'zxq'],
    ['日历', 'rl'],
    ['nightly', 'nightly'],
    ['', ''],
  ])('%s: %s', (text, want) => {
    expect(initials(text)).toBe(want);
  });
});

// GB 2312 lists its common characters by pinyin, so its order tells which letters are right.
it('knows the first letter of nearly all common characters', () => {
  const letters = 'abcdefghjklmnopqrstwxyz';
  const starts = [
    0xb0a1, 0xb0c5, 0xb2c1, 0xb4ee, 0xb6ea, 0xb7a2, 0xb8c1, 0xb9fe, 0xbbf7, 0xbfa6, 0xc0ac, 0xc2e8, 0xc4c3, 0xc5b6,
    0xc5be, 0xc6da, 0xc8bb, 0xc8f6, 0xcbfa, 0xcdda, 0xcef4, 0xd1b9, 0xd4d1, 0xd7fa,
  ];
  const decoder = new TextDecoder('gbk');
  const wrong: string[] = [];
  let count = 0;
  for (const [i, letter] of [...letters].entries())
    for (let code = starts[i] ?? 0; code < (starts[i + 1] ?? 0); code++) {
      if ((code & 0xff) < 0xa1 || (code & 0xff) > 0xfe) continue;
      const char = decoder.decode(Uint8Array.of(code >> 8, code & 0xff));
      count++;
      if (initials(char) !== letter) wrong.push(char);
    }
  expect(count).toBe(3755);
  expect(wrong.length, wrong.join('')).toBeLessThanOrEqual(20); // characters with several readings
});

it('hasHan finds Chinese characters', () => {
  expect(['仓', 'a仓', 'a', '。', 'の', ''].map(hasHan)).toEqual([true, true, false, false, false, false]);
});
