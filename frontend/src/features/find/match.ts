import { hasHan, initials } from './pinyin';

/** How well a word stands in a text. A text that begins with it is better than one that has it somewhere. */
const WHOLE = 100;
const START = 80;
const PART = 60; // a part of the text begins with it, as in "load" and "orders-load"
const INSIDE = 40;
const SPREAD = 10; // its letters are there in this order, with others between them
/** For each letter of a spread word that begins a part of the text. */
const PART_LETTER = 5;

const SEPARATOR = /[\s\-_./:#(),·]/;

/** What a text is found by: itself, and the first letters of its pinyin, in small letters. */
export function searchTexts(...texts: readonly (string | undefined)[]): string[] {
  const out: string[] = [];
  for (const text of texts) {
    if (!text) continue;
    out.push(text.toLowerCase());
    if (hasHan(text)) out.push(initials(text));
  }
  return out;
}

/**
 * How well a query finds one of some texts; undefined if it does not. Each word of the query must be in one of them. Of
 * equal texts the shorter one is better. The texts are results of searchTexts.
 */
export function scoreOf(query: string, texts: readonly string[]): number | undefined {
  let total = 0;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    let best: number | undefined;
    for (const text of texts) {
      const score = wordScore(word, text);
      if (score !== undefined && (best === undefined || score > best)) best = score;
    }
    if (best === undefined) return undefined;
    total += best;
  }
  return total;
}

function wordScore(word: string, text: string): number | undefined {
  const shorter = -Math.min(text.length, 99) / 100;
  if (text === word) return WHOLE;
  if (text.startsWith(word)) return START + shorter;
  for (let at = text.indexOf(word); at > 0; at = text.indexOf(word, at + 1))
    if (SEPARATOR.test(text[at - 1] ?? '')) return PART + shorter;
  if (text.includes(word)) return INSIDE + shorter;
  return spreadScore(word, text, shorter);
}

/** Letters that begin parts of the text come first, as in "ol" for "orders-load". */
function spreadScore(word: string, text: string, shorter: number): number | undefined {
  let at = 0;
  let parts = 0;
  for (const letter of word) {
    const next = text.indexOf(letter, at);
    if (next < 0) return undefined;
    if (next === 0 || SEPARATOR.test(text[next - 1] ?? '')) parts++;
    at = next + letter.length;
  }
  return Math.min(SPREAD + parts * PART_LETTER, INSIDE - 1) + shorter;
}
