import { guess, type Measure } from './words';

const FONT = '650 12.5px';
let known: Measure | undefined;

/** Measures names as cards write them. */
export function measureName(): Measure {
  known ??= measured();
  return known;
}

function measured(): Measure {
  const context = typeof OffscreenCanvas === 'undefined' ? null : new OffscreenCanvas(1, 1).getContext('2d');
  if (!context) return guess;
  context.font = `${FONT} ${getComputedStyle(document.body).fontFamily}`;
  return (text) => context.measureText(text).width;
}
