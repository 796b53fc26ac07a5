/** A run of characters of the same style. */
export interface Span {
  text: string;
  /** The name of one of the basic colours of terminals. */
  color?: Color;
  background?: Color;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  /** The address of a link: the text itself, if it is a safe address. */
  href?: string;
  /** It matches the search. */
  hit?: boolean;
}

/** The eight basic colours of terminals, in the order of their ANSI codes. */
export const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
/** A basic colour of terminals. The style sheet defines its shade. */
export type Color = (typeof COLORS)[number];

type Style = Omit<Span, 'text' | 'href' | 'hit'>;

const ESC = '\u001b';
// Escape sequences: CSI, strings (OSC, DCS, SOS, PM, APC) to their end, character sets, and the short ones.
/* eslint-disable no-control-regex */
const ESCAPE = new RegExp(
  [
    /\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]+[0-~]?|[0-~])?/.source,
    /\u009b([0-?]*)[ -/]*([@-~])?/.source,
  ].join('|'),
  'g',
);

/** The text that a terminal would show for a line that was overwritten with carriage returns. */
export function lastOverwrite(text: string): string {
  if (!text.includes('\r')) return text;
  const parts = text.split('\r');
  return parts.findLast((part) => part.replace(ESCAPE, '').trim() !== '') ?? '';
}

/** The text of a line without colours, with visible control characters. */
export function plainText(text: string): string {
  return showHidden(lastOverwrite(text).replace(ESCAPE, ''));
}

// Characters that are invisible or change the direction of text, and lone surrogates. The log shows their names.
const HIDDEN = new RegExp(
  [
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad]/.source,
    /[\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/.source,
    /[\ud800-\udbff](?![\udc00-\udfff])/.source,
    /(?<![\ud800-\udbff])[\udc00-\udfff]/.source,
  ].join('|'),
  'g',
);

/** Replaces control characters, and characters that hide or reverse text, by visible names: ␀, ‹U+202E›. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN, (c) => {
    const code = c.charCodeAt(0);
    if (code === 0x200d || code === 0x200c) return c; // joiners: emoji and scripts need them
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return code >= 0xd800 && code < 0xe000 ? '\ufffd' : `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** Parses carriage returns, colours and addresses of a line. `cut` is the number of characters beyond `limit`. */
export function spansOf(line: string, limit = Infinity): { spans: Span[]; cut: number } {
  const text = lastOverwrite(line);
  const spans: Span[] = [];
  let style: Style = {};
  let remaining = limit;
  let cut = 0;
  const add = (raw: string) => {
    if (raw === '') return;
    const visible = raw.length > remaining ? showHidden(truncate(raw, remaining)) : showHidden(raw);
    cut += Math.max(raw.length - remaining, 0);
    remaining = Math.max(remaining - raw.length, 0);
    if (visible !== '') spans.push({ ...style, text: visible });
  };
  if (!text.includes(ESC) && !text.includes('\u009b')) add(text);
  else {
    let at = 0;
    for (const m of text.matchAll(ESCAPE)) {
      add(text.slice(at, m.index));
      at = m.index + m[0].length;
      if ((m[2] ?? m[4]) === 'm') style = applyCodes(style, m[1] ?? m[3] ?? '');
    }
    add(text.slice(at));
  }
  return { spans: spans.flatMap(splitLinks), cut };
}

/** The first characters of a text. A surrogate pair is never split. */
function truncate(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/** The style after a sequence of SGR codes. A 256-colour or RGB code selects the nearest basic colour. */
function applyCodes(before: Style, codes: string): Style {
  let style: Style = { ...before };
  const list = codes.split(/[;:]/).map((c) => (c === '' ? 0 : Number(c)));
  for (let i = 0; i < list.length; i++) {
    const code = list[i] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = extendedColor(list, i + 1);
      style = code === 38 ? { ...style, color } : { ...style, background: color };
      i += used;
    } else style = SGR.get(code)?.(style) ?? applyColor(style, code);
  }
  return style;
}

/** The SGR codes that are not colours. */
const SGR: ReadonlyMap<number, (style: Style) => Style> = new Map<number, (style: Style) => Style>([
  [0, () => ({})],
  [1, (s) => ({ ...s, bold: true })],
  [2, (s) => ({ ...s, dim: true })],
  [3, (s) => ({ ...s, italic: true })],
  [4, (s) => ({ ...s, underline: true })],
  [22, (s) => ({ ...s, bold: undefined, dim: undefined })],
  [23, (s) => ({ ...s, italic: undefined })],
  [24, (s) => ({ ...s, underline: undefined })],
  [7, (s) => ({ ...s, color: s.background ?? 'white', background: s.color ?? 'black' })],
  [27, (s) => ({ ...s, color: undefined, background: undefined })],
  [39, (s) => ({ ...s, color: undefined })],
  [49, (s) => ({ ...s, background: undefined })],
]);

/** The style after the SGR code of one of the 16 colours. Other codes change nothing. */
function applyColor(style: Style, code: number): Style {
  const color = COLORS[code % 10];
  const tens = Math.floor(code / 10);
  if (!color) return style;
  if (tens === 3 || tens === 9) return { ...style, color };
  return tens === 4 || tens === 10 ? { ...style, background: color } : style;
}

function extendedColor(list: number[], i: number): [Color | undefined, number] {
  if (list[i] === 5) return [colorOf256(list[i + 1] ?? 0), 2];
  if (list[i] === 2) return [nearestColor(list[i + 1] ?? 0, list[i + 2] ?? 0, list[i + 3] ?? 0), 4];
  return [undefined, list.length];
}

function colorOf256(n: number): Color | undefined {
  if (n < 16) return COLORS[n % 8];
  if (n >= 232) return nearestColor(8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10);
  const c = n - 16;
  return nearestColor(Math.floor(c / 36) * 51, (Math.floor(c / 6) % 6) * 51, (c % 6) * 51);
}

function nearestColor(r: number, g: number, b: number): Color | undefined {
  const top = Math.max(r, g, b);
  if (top < 60) return 'black';
  return COLORS[(r > top / 1.7 ? 1 : 0) + (g > top / 1.7 ? 2 : 0) + (b > top / 1.7 ? 4 : 0)];
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`‹›{}|\\^]+/g;

/** Splits a span at its addresses. Only http and https addresses without user and password become links. */
function splitLinks(span: Span): Span[] {
  if (!span.text.includes('://')) return [span];
  const out: Span[] = [];
  let at = 0;
  for (const m of span.text.matchAll(ADDRESS)) {
    const href = m[0].replace(/[.,;:!?)\]]+$/, '');
    if (!isSafe(href)) continue;
    if (m.index > at) out.push({ ...span, text: span.text.slice(at, m.index) });
    out.push({ ...span, text: href, href });
    at = m.index + href.length;
  }
  if (at < span.text.length) out.push({ ...span, text: span.text.slice(at) });
  return out;
}

function isSafe(address: string): boolean {
  try {
    const url = new URL(address);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
  } catch {
    return false;
  }
}

/**
 * Marks every occurrence of the searched text, ignoring case. An occurrence in several spans is marked in each span.
 */
export function markHits(spans: Span[], searched: string): Span[] {
  const text = spans.map((s) => s.text).join('');
  const hits = occurrences(text.toLowerCase(), searched.toLowerCase());
  if (hits.length === 0) return spans;
  const out: Span[] = [];
  let at = 0;
  for (const span of spans) {
    let copied = 0;
    for (const [from, to] of hits) {
      const a = Math.max(from - at, copied);
      const b = Math.min(to - at, span.text.length);
      if (a >= b) continue;
      if (a > copied) out.push({ ...span, text: span.text.slice(copied, a) });
      out.push({ ...span, text: span.text.slice(a, b), hit: true });
      copied = b;
    }
    if (copied < span.text.length) out.push({ ...span, text: span.text.slice(copied) });
    at += span.text.length;
  }
  return out;
}

function occurrences(text: string, searched: string): [number, number][] {
  const out: [number, number][] = [];
  if (searched === '') return out;
  for (let i = text.indexOf(searched); i >= 0 && out.length < 500; i = text.indexOf(searched, i + searched.length))
    out.push([i, i + searched.length]);
  return out;
}
