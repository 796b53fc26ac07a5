import { describe, expect, it } from 'vitest';
import { placeLabels } from './labels';

const hour = (x: number) => ({ x, width: 30, day: false });
const day = (x: number) => ({ x, width: 66, day: true });

describe('the labels of an axis of 240 pixels', () => {
  it.each([
    { what: 'stand at their moments', labels: [day(60), hour(200)], now: 130, places: [60, 200] },
    { what: 'keep a day beside the time of now', labels: [day(110), hour(220)], now: 130, places: [68, 220] },
    { what: 'keep a day on its other side, where its own has no room', labels: [day(20)], now: 40, places: [102] },
    { what: 'leave out an hour below the time of now', labels: [hour(120)], now: 130, places: [undefined] },
    { what: 'keep a whole day at an edge', labels: [day(2), day(238)], now: 120, places: [33, 207] },
    { what: 'leave out an hour that a day covers', labels: [hour(60), day(110)], now: 130, places: [undefined, 68] },
    { what: 'leave out an hour at an edge', labels: [hour(4)], now: -20, places: [undefined] },
  ])('$what', ({ labels, now, places }) => {
    expect(placeLabels(labels, now, 240)).toEqual(places);
  });
});
