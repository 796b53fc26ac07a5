import { useEffect, useState } from 'react';

/** Returns the width of a text in pixels. */
export type MeasureText = (text: string) => number;

/** Full-width letters. */
const WIDE = /[\u1100-\u115f\u2e80-\uffdc\u{1f300}-\u{1faff}]/u;
/** Estimates the width of a text from its letters: about half an em each, one em for full-width letters. */
export const guessWidth: MeasureText = (text) =>
  [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? 12.5 : 7.5), 0);

/** The fraction of the room for the end of a name, where names of tasks often differ. */
const END = 0.4;

/** Shortens a name to `room` pixels by leaving out its middle. It does not split letters of several code points. */
export function shorten(name: string, room: number, measure: MeasureText): string {
  if (measure(name) <= room) return name;
  const letters = [...new Intl.Segmenter().segment(name)].map(({ segment }) => segment);
  const most = (fits: (count: number) => boolean) => {
    let [low, high] = [0, letters.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (fits(middle)) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const end = (count: number) => letters.slice(letters.length - count).join('');
  const tail = most((count) => measure(end(count)) <= room * END);
  const head = most((count) => measure(`${letters.slice(0, count).join('')}…${end(tail)}`) <= room);
  return `${letters.slice(0, head).join('')}…${end(tail)}`;
}

const FONT = '650 12.5px';
/** The most widths in the cache. */
const CACHE_LIMIT = 20_000;

let measure: MeasureText | undefined;

/** Returns a function that measures the names of cards in their font, or estimates if the browser cannot measure. */
export function measureName(): MeasureText {
  measure ??= newMeasure();
  return measure;
}

/**
 * Returns `measureName` for a component that remembers what it has measured: another function when fonts were loaded,
 * since the same text may then have another width.
 */
export function useMeasureName(): MeasureText {
  const [current, setCurrent] = useState(measureName);
  useEffect(() => {
    if (!('fonts' in document)) return undefined;
    const { fonts } = document;
    const renew = () => {
      const known = measureName();
      setCurrent(() => (text: string) => known(text));
    };
    fonts.addEventListener('loadingdone', renew);
    return () => {
      fonts.removeEventListener('loadingdone', renew);
    };
  }, []);
  return current;
}

function newMeasure(): MeasureText {
  const context = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) return guessWidth;
  context.font = `${FONT} ${getComputedStyle(document.body).fontFamily}`;
  const { measure: measureText, clear } = withCache((text) => context.measureText(text).width);
  // What was measured while the font was loaded was measured in another one.
  document.fonts.addEventListener('loadingdone', clear);
  return measureText;
}

/** Caches widths: cards measure the same texts again and again while the view moves. */
function withCache(measureText: MeasureText): { measure: MeasureText; clear: () => void } {
  const widths = new Map<string, number>();
  return {
    measure: (text) => {
      const width = widths.get(text) ?? measureText(text);
      if (widths.size >= CACHE_LIMIT) widths.clear();
      widths.set(text, width);
      return width;
    },
    clear: () => {
      widths.clear();
    },
  };
}
