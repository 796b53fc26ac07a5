/** A part of a text. Its words differ from the other text, or are shared with it. */
export interface Piece {
  text: string;
  differs: boolean;
}

/** Words, spaces, and other characters one by one. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]+|\s+|./gsu) ?? [];

/** Two texts, each as its beginning and end, which they share, and between them the words that differ. */
export function differingWords(before: string, after: string): [before: Piece[], after: Piece[]] {
  const a = wordsOf(before);
  const b = wordsOf(after);
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const pieces = (words: string[]) =>
    [words.slice(0, start), words.slice(start, words.length - end), words.slice(words.length - end)]
      .map((part, i) => ({ text: part.join(''), differs: i === 1 }))
      .filter(({ text }) => text !== '');
  return [pieces(a), pieces(b)];
}
