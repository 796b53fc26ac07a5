import { guess, type Measure } from './words';

const FONT = '650 12.5px';
/** So many texts are remembered. */
const MANY = 20_000;

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
  return remembered((text) => context.measureText(text).width);
}

/** Cards ask for the same texts again and again, and while the view moves. */
function remembered(measure: Measure): Measure {
  const widths = new Map<string, number>();
  return (text) => {
    const width = widths.get(text) ?? measure(text);
    if (widths.size >= MANY) widths.clear();
    widths.set(text, width);
    return width;
  };
}
