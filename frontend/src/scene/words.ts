/** How wide a text is, in pixels. */
export type Measure = (text: string) => number;

/** About half an em a letter, a whole one for Chinese: where nothing can be measured. */
const WIDE = /[\u1100-\u115f\u2e80-\uffdc\u{1f300}-\u{1faff}]/u;
export const guess: Measure = (text) => [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? 12.5 : 7.5), 0);

/** So much of the room is for the end of a name: names of tasks differ there. */
const END = 0.4;

/** A name that fits, its middle left out if it must be. Letters made of several signs stay whole. */
export function shorten(name: string, room: number, measure: Measure): string {
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
