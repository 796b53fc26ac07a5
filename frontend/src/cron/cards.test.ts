import { describe, expect, it } from 'vitest';
import { cardsOf, writeCrons } from '.';

const cards = (...crons: string[]) => cardsOf(crons.map((cron) => ({ cron })));

describe('cards', () => {
  it.each<[string, string[], [number, number][]]>([
    ['times that no cron has together', ['20 3 * * *', '40 15 * * *'], [[0, 2]]],
    ['three of them', ['20 3 * * *', '40 15 * * *', '0 20 * * *'], [[0, 3]]],
    [
      'other days',
      ['20 3 * * *', '40 15 * * 1'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    ['the same days', ['20 3 * * 1', '40 15 * * 1'], [[0, 2]]],
    [
      'the same twice',
      ['20 3 * * *', '20 3 * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [
      'what would be one cron',
      ['20 3 * * *', '20 15 * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [
      'cycles of minutes',
      ['*/10 * * * *', '5/20 * * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    [
      'what no form writes',
      ['0 3 1 * 1', '20 3 * * *'],
      [
        [0, 1],
        [1, 1],
      ],
    ],
    ['none', [], []],
  ])('%s', (_, crons, want) => {
    expect(cards(...crons).map((card) => [card.first, card.count])).toEqual(want);
  });

  it('write what they were read from', () => {
    const [card] = cards('20 3 * * *', '40 15 * * *');
    expect(card?.form && writeCrons(card.form)).toEqual(['20 3 * * *', '40 15 * * *']);
  });
  it('keep apart what daylight saving treats differently', () => {
    expect(cardsOf([{ cron: '20 3 * * *' }, { cron: '40 15 * * *', dst: { gap: 'skip' } }])).toHaveLength(2);
  });
});
