import { describe, expect, it } from 'vitest';
import { guessWidth, shorten } from './textWidth';

const letters = (text: string) => [...text].length * 10;

describe('shorten', () => {
  it('does not change a name that fits', () => {
    expect(shorten('abc', 30, letters)).toBe('abc');
  });
  it('leaves out the middle, never the end', () => {
    expect(shorten('delays_by_weather', 100, letters)).toBe('delay…ther');
  });
  it('fills the room', () => {
    for (let room = 30; room < 200; room += 7)
      expect(letters(shorten('delays_by_carrier_of_the_day', room, letters))).toBeGreaterThan(room - 10);
  });
  it('does not split a letter', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(shorten(family.repeat(9), 100, (text) => text.split(family).length * 10 + text.length / 100)).toMatch(
      /^(👨‍👩‍👧‍👦)+…(👨‍👩‍👧‍👦)+$/u,
    );
  });
  it('counts Chinese letters as wider', () => {
    expect(guessWidth('任务')).toBeGreaterThan(guessWidth('ab'));
  });
});
