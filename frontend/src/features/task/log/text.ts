/** A run of characters that look alike. */
export interface Span {
  text: string;
  /** One of the 16 colours of terminals, as a name of ours. */
  color?: Color;
  background?: Color;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  /** A safe address that the text is. */
  href?: string;
  /** It is what was searched for. */
  hit?: boolean;
}

/** The eight basic colours of terminals, in the order of their ANSI codes. */
export const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const;
/** A basic colour of terminals; the style sheet decides how it looks. */
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

/** What a terminal would still show of a line that was written over again and again with carriage returns. */
export function lastState(text: string): string {
  if (!text.includes('\r')) return text;
  const parts = text.split('\r');
  return parts.findLast((part) => part.replace(ESCAPE, '').trim() !== '') ?? '';
}

/** The text of a line without colours and with everything harmless: for copies and for searching. */
export function plain(text: string): string {
  return visible(lastState(text).replace(ESCAPE, ''));
}

// Characters that are invisible or change the direction of the text after them, and lone surrogates. They are shown by
// their names.
const HIDDEN = new RegExp(
  [
    /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad]/.source,
    /[\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/.source,
    /[\ud800-\udbff](?![\udc00-\udfff])/.source,
    /(?<![\ud800-\udbff])[\udc00-\udfff]/.source,
  ].join('|'),
  'g',
);

/** Makes control characters and those that hide or turn text visible: ␀, ‹U+202E›. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (c) => {
    const code = c.charCodeAt(0);
    if (code === 0x200d || code === 0x200c) return c; // joiners: emoji and scripts need them
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return code >= 0xd800 && code < 0xe000 ? '\ufffd' : `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** Reads a line: carriage returns, colours, addresses. `most` characters of it at most. */
export function spansOf(line: string, most = Infinity): { spans: Span[]; cut: number } {
  const text = lastState(line);
  const spans: Span[] = [];
  let style: Style = {};
  let room = most;
  let cut = 0;
  const add = (raw: string) => {
    if (raw === '') return;
    const shown = raw.length > room ? visible(whole(raw, room)) : visible(raw);
    cut += Math.max(raw.length - room, 0);
    room = Math.max(room - raw.length, 0);
    if (shown !== '') spans.push({ ...style, text: shown });
  };
  if (!text.includes(ESC) && !text.includes('\u009b')) add(text);
  else {
    let at = 0;
    for (const m of text.matchAll(ESCAPE)) {
      add(text.slice(at, m.index));
      at = m.index + m[0].length;
      if ((m[2] ?? m[4]) === 'm') style = restyle(style, m[1] ?? m[3] ?? '');
    }
    add(text.slice(at));
  }
  return { spans: spans.flatMap(linked), cut };
}

/** The first characters of a text, without half of a pair. */
function whole(text: string, most: number): string {
  const half = text.charCodeAt(most - 1);
  return text.slice(0, half >= 0xd800 && half < 0xdc00 ? most - 1 : most);
}

/** The style after a sequence of SGR codes. 256 and true colours become the nearest of ours. */
function restyle(before: Style, codes: string): Style {
  let style: Style = { ...before };
  const list = codes.split(/[;:]/).map((c) => (c === '' ? 0 : Number(c)));
  for (let i = 0; i < list.length; i++) {
    const code = list[i] ?? 0;
    if (code === 38 || code === 48) {
      const [color, used] = extended(list, i + 1);
      style = code === 38 ? { ...style, color } : { ...style, background: color };
      i += used;
    } else style = SGR.get(code)?.(style) ?? colored(style, code);
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
function colored(style: Style, code: number): Style {
  const color = COLORS[code % 10];
  const tens = Math.floor(code / 10);
  if (!color) return style;
  if (tens === 3 || tens === 9) return { ...style, color };
  return tens === 4 || tens === 10 ? { ...style, background: color } : style;
}

function extended(list: number[], i: number): [Color | undefined, number] {
  if (list[i] === 5) return [of256(list[i + 1] ?? 0), 2];
  if (list[i] === 2) return [nearest(list[i + 1] ?? 0, list[i + 2] ?? 0, list[i + 3] ?? 0), 4];
  return [undefined, list.length];
}

function of256(n: number): Color | undefined {
  if (n < 16) return COLORS[n % 8];
  if (n >= 232) return nearest(8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10);
  const c = n - 16;
  return nearest(Math.floor(c / 36) * 51, (Math.floor(c / 6) % 6) * 51, (c % 6) * 51);
}

function nearest(r: number, g: number, b: number): Color | undefined {
  const top = Math.max(r, g, b);
  if (top < 60) return 'black';
  return COLORS[(r > top / 1.7 ? 1 : 0) + (g > top / 1.7 ? 2 : 0) + (b > top / 1.7 ? 4 : 0)];
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`‹›{}|\\^]+/g;

/** Cuts out the addresses of a span. Only http and https, without user and password, and as written. */
function linked(span: Span): Span[] {
  if (!span.text.includes('://')) return [span];
  const out: Span[] = [];
  let at = 0;
  for (const m of span.text.matchAll(ADDRESS)) {
    const href = m[0].replace(/[.,;:!?)\]]+$/, '');
    if (!safe(href)) continue;
    if (m.index > at) out.push({ ...span, text: span.text.slice(at, m.index) });
    out.push({ ...span, text: href, href });
    at = m.index + href.length;
  }
  if (at < span.text.length) out.push({ ...span, text: span.text.slice(at) });
  return out;
}

function safe(address: string): boolean {
  try {
    const url = new URL(address);
    return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
  } catch {
    return false;
  }
}

/** Marks every occurrence of a text, in any case of letters. One that is coloured in parts is marked in parts. */
export function marked(spans: Span[], wanted: string): Span[] {
  const text = spans.map((s) => s.text).join('');
  const found = occurrences(text.toLowerCase(), wanted.toLowerCase());
  if (found.length === 0) return spans;
  const out: Span[] = [];
  let at = 0;
  for (const span of spans) {
    let done = 0;
    for (const [from, to] of found) {
      const a = Math.max(from - at, done);
      const b = Math.min(to - at, span.text.length);
      if (a >= b) continue;
      if (a > done) out.push({ ...span, text: span.text.slice(done, a) });
      out.push({ ...span, text: span.text.slice(a, b), hit: true });
      done = b;
    }
    if (done < span.text.length) out.push({ ...span, text: span.text.slice(done) });
    at += span.text.length;
  }
  return out;
}

function occurrences(text: string, wanted: string): [number, number][] {
  const out: [number, number][] = [];
  if (wanted === '') return out;
  for (let i = text.indexOf(wanted); i >= 0 && out.length < 500; i = text.indexOf(wanted, i + wanted.length))
    out.push([i, i + wanted.length]);
  return out;
}
