/** A value of a document as one text, of an object name by name; empty for one that is not there. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value))
    return value.map(valueText).join(value.some((one) => typeof one === 'object') ? '; ' : ', ');
  return Object.entries(value)
    .filter(([name]) => name !== '#')
    .map(([name, one]) => `${name}: ${valueText(one)}`)
    .join(', ');
}

/** The same for one line: what is longer is cut, as a text of several lines is after its first. */
export function brief(value: unknown, most = 80): string {
  const text = valueText(value).trim();
  const line = text.split('\n', 1)[0] ?? '';
  if (line.length > most) return `${line.slice(0, most - 1)}…`;
  return line.length < text.length ? `${line} …` : line;
}

/** How much of what stays the same is shown before what differs. */
const LEAD = 12;
interface Room {
  lines: number;
  letters: number;
}
const FEW: Room = { lines: 4, letters: 160 };

/**
 * The parts in which values differ, each in a few lines. Lines that all of the values share are left out, and so are
 * long common beginnings of lines. A missing value stays undefined.
 */
export function differing(values: readonly unknown[], room: Room = FEW): (string | undefined)[] {
  const texts = values.map((value) => (value === undefined ? undefined : valueText(value)));
  const there = texts.filter((text) => text !== undefined);
  if (there.every((text) => text.length <= room.letters / 2 && !text.includes('\n'))) return texts;
  const lines = there.map((text) => text.split('\n'));
  const top = common(lines);
  const end = common(lines.map((all) => all.slice(top).reverse()));
  const middles = lines.map((all) => all.slice(top, all.length - end));
  const firsts = middles.map((all) => all[0] ?? '');
  const lead = middles.every((all) => all.length > 0)
    ? wordStart(firsts[0] ?? '', common(firsts.map((line) => line.split(''))) - LEAD)
    : 0;
  let next = 0;
  return texts.map((text) => (text === undefined ? undefined : excerpt(middles[next++] ?? [], lead, room)));
}

/** Where the word begins that a place is in, or the place itself where that word is a long one. */
function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const begun = text.slice(0, at).search(/\S*$/);
  return at - begun > LEAD ? at : begun;
}

/** How many of the first are the same in all. */
function common(lists: readonly (readonly string[])[]): number {
  const [first = [], ...rest] = lists;
  if (rest.length === 0) return 0;
  const n = first.findIndex((item, i) => rest.some((list) => list[i] !== item));
  return n < 0 ? first.length : n;
}

function excerpt(lines: readonly string[], lead: number, room: Room): string {
  const text = lines.slice(0, room.lines).join('\n').slice(lead);
  const cut = text.length > room.letters ? text.slice(0, room.letters - 1) : text;
  return `${lead > 0 ? '…' : ''}${cut}${cut.length < text.length || lines.length > room.lines ? '…' : ''}`;
}
