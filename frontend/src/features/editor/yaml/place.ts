/** A step from the document to a place in it: a field, or an item of a list. */
export type Step = { field: string } | { item: true };

/** A place in a YAML text at which something can be completed. */
export interface Place {
  kind: 'key' | 'value';
  /** For a key: the way to the object. For a value: the way to the value. */
  path: readonly Step[];
  /** The fields of each object on the way that have a simple value, the innermost last. */
  objects: readonly ReadonlyMap<string, string>[];
  /** The text that is being written, and where it begins. */
  word: string;
  from: number;
  /** The items of the list that the value is in. */
  items: readonly string[];
  /** The column of the line at which its fields begin. */
  indent: number;
  /** The place is within braces or brackets. */
  flow: boolean;
}

const KEY = String.raw`(?:[A-Za-z_][\w.-]*|"[^"]*"|'[^']*')`;
/** A line: its indentation with dashes, and perhaps a key with a value. */
const LINE = new RegExp(String.raw`^(\s*(?:-\s+)*)(?:(${KEY})\s*:(?:\s+(.*)|$))?`);
const BLOCK = /(?:^|[\s:])[|>][+-]?\d*[+-]?\s*(?:#.*)?$/;

/** A line as far as completion needs it. */
interface Line {
  /** The column of its content, after all dashes. */
  column: number;
  dashes: readonly number[];
  key?: string;
  value: string;
  empty: boolean;
  opensBlock: boolean;
}

function lineOf(text: string): Line {
  const [, lead = '', key, value = ''] = LINE.exec(text) ?? [];
  const dashes = [...lead.matchAll(/-/g)].map(({ index }) => index);
  // A dash at the end of a line has no content yet.
  const alone = /^\s*-$/.test(text) ? text.length - 1 : -1;
  const content = text.slice(lead.length);
  return {
    column: alone < 0 ? lead.length : alone + 2,
    dashes: alone < 0 ? dashes : [alone],
    key: key?.replace(/^["']|["']$/g, ''),
    value,
    empty: content.trim() === '' ? dashes.length === 0 && alone < 0 : content.startsWith('#'),
    opensBlock: BLOCK.test(text),
  };
}

/** The place at an offset of a text; undefined in comments, in texts of several lines, and where it is not clear. */
export function placeAt(text: string, offset: number): Place | undefined {
  const lines = text.split('\n');
  const at = text.slice(0, offset).split('\n').length - 1;
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  if (/(^|\s)#/.test(before.replace(/"[^"]*"|'[^']*'/g, ''))) return undefined;
  const line = lineOf(before);
  const around = surroundings(lines, at, line.column, line.dashes);
  if (!around) return undefined;
  const start = { offset, indent: line.column };
  if (line.key !== undefined) {
    if (before.endsWith(':')) return undefined;
    const path = [...around.path, { field: line.key }];
    return valueAt(line.value, lines[at] ?? '', { ...start, path, objects: around.objects });
  }
  const content = before.slice(line.column);
  if (/^[{[]/.test(content))
    return valueAt(content, lines[at] ?? '', { ...start, path: around.path, objects: around.objects.slice(0, -1) });
  if (!/^["']?[\w.-]*$/.test(content)) return undefined;
  const last = around.path.at(-1);
  // A word after a dash is an item of a list, or the first key of an object: the schema decides.
  const isItem = line.dashes.length > 0 && last !== undefined && 'item' in last;
  return {
    kind: 'key',
    path: around.path,
    objects: around.objects,
    word: content,
    from: offset - content.length,
    items: isItem ? itemsAround(lines, at, line.dashes.at(-1) ?? 0) : [],
    indent: line.column,
    flow: false,
  };
}

interface Surroundings {
  path: Step[];
  objects: ReadonlyMap<string, string>[];
}

/** The way to the object at a column of a line, from the lines above. Undefined in a text of several lines. */
function surroundings(
  lines: readonly string[],
  at: number,
  column: number,
  dashes: readonly number[],
): Surroundings | undefined {
  const way = new Way(lines, at, column, dashes);
  for (let i = at - 1; i >= 0 && !way.isWhole; i--) if (!way.addLine(i)) return undefined;
  const { path, objects } = way;
  return !way.seeksList || path.length === 0 ? { path, objects } : undefined;
}

/** The way to an object, which grows at its front while the lines above are read upwards. */
class Way implements Surroundings {
  readonly path: Step[] = [];
  readonly objects: ReadonlyMap<string, string>[];
  /** The column of the dash whose list is looked for; undefined while a field is. */
  private list?: number;

  constructor(
    private readonly lines: readonly string[],
    at: number,
    /** The column of the front of the way: what is around it begins further left. */
    private edge: number,
    dashes: readonly number[],
  ) {
    this.objects = [fieldsAround(lines, at, edge)];
    this.addItems(dashes);
  }

  get seeksList(): boolean {
    return this.list !== undefined;
  }

  /** The way begins at the document: no line above can add to it. */
  get isWhole(): boolean {
    return this.edge === 0 && !this.seeksList;
  }

  /** Reads the next line above. False if the way leads into a text of several lines. */
  addLine(index: number): boolean {
    const line = lineOf(this.lines[index] ?? '');
    if (line.empty) return true;
    if (this.isParent(line)) {
      if (line.opensBlock || plain(line.value) !== '') return false;
      this.addField(line, index);
    } else if (this.isText(line)) return false;
    if (!this.seeksList && line.column === this.edge) this.addItems(line.dashes);
    return true;
  }

  /** Whether a line has the field whose value the front of the way is in. */
  private isParent({ key, column, dashes }: Line): boolean {
    // A list may begin at the column of its key.
    const isOutside = this.list === undefined ? column < this.edge : column <= this.list;
    return key !== undefined && isOutside && dashes.every((dash) => dash < this.edge);
  }

  /** Whether a line further left is neither a field nor an item: then it belongs to a text of several lines. */
  private isText({ key, column, dashes }: Line): boolean {
    return key === undefined && dashes.length === 0 && column < this.edge;
  }

  private addField({ key = '', column }: Line, index: number): void {
    this.path.unshift({ field: key });
    this.objects.unshift(fieldsAround(this.lines, index, column));
    this.edge = column;
    this.list = undefined;
  }

  private addItems(dashes: readonly number[]): void {
    for (const dash of [...dashes].reverse()) {
      this.path.unshift({ item: true });
      this.list = this.edge = dash;
    }
  }
}

/** So many lines before and after a line are read for the other fields of its object. */
const REACH = 5000;

/** The fields with simple values of the object that has a field at a column of a line. */
function fieldsAround(lines: readonly string[], at: number, column: number): ReadonlyMap<string, string> {
  const own = lineOf(lines[at] ?? '');
  const hasOwn = own.column === column;
  const found = [
    ...(hasOwn ? [own] : []),
    // A dash begins the object: what is above it belongs to another one.
    ...(hasOwn && own.dashes.length > 0 ? [] : linesAbove(lines, at, column)),
    ...linesBelow(lines, at, column),
  ];
  return new Map(
    found.flatMap(({ key, value }): [string, string][] => (key === undefined ? [] : [[key, plain(value)]])),
  );
}

/** The column at which a line begins, with its dashes. */
const startOf = ({ dashes, column }: Line) => dashes[0] ?? column;

/** The lines above a line at a column, as far as they are of the same object. */
function linesAbove(lines: readonly string[], at: number, column: number): Line[] {
  const found: Line[] = [];
  for (let i = at - 1; i >= Math.max(0, at - REACH); i--) {
    const line = lineOf(lines[i] ?? '');
    if (line.empty || startOf(line) > column) continue;
    if (line.column === column) found.push(line);
    if (startOf(line) < column) break;
  }
  return found;
}

/** The lines below a line at a column, as far as they are of the same object. */
function linesBelow(lines: readonly string[], at: number, column: number): Line[] {
  const found: Line[] = [];
  for (let i = at + 1; i < Math.min(lines.length, at + REACH); i++) {
    const line = lineOf(lines[i] ?? '');
    if (line.empty) continue;
    if (startOf(line) < column || (line.column === column && line.dashes.length > 0)) break;
    if (line.column === column) found.push(line);
  }
  return found;
}

/** The items of the list whose dashes are at a column, without the one at this line. */
function itemsAround(lines: readonly string[], at: number, dash: number): string[] {
  const items: string[] = [];
  for (const step of [-1, 1])
    for (let i = at + step; i >= 0 && i < lines.length; i += step) {
      const text = lines[i] ?? '';
      const line = lineOf(text);
      if (line.empty || line.column > dash + 2) continue;
      if (line.dashes.at(-1) !== dash) break;
      items.push(plain(text.slice(line.column)));
    }
  return items;
}

const plain = (value: string) =>
  value
    .replace(/\s+#.*$/, '')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2');

interface Start extends Surroundings {
  offset: number;
  indent: number;
}

/** An object or list that is open within braces or brackets. */
interface Open {
  isList: boolean;
  /** The key whose value is being written. */
  key?: string;
  fields: Map<string, string>;
  items: string[];
}

/** The place in the value of a field, which may have braces and brackets. `line` is the whole line. */
function valueAt(value: string, line: string, { path, objects, offset, indent }: Start): Place | undefined {
  if (!/^\s*[{[]/.test(value)) {
    if (/^\s*[|>&*!]/.test(value) || /^\s*(["']).*\1\s/.test(value)) return undefined;
    const word = value.trimStart();
    return { kind: 'value', path, objects, word, from: offset - word.length, items: [], indent, flow: false };
  }
  const open = openAt(value);
  if (!open) return undefined;
  const { stack, word, inQuotes } = open;
  const innermost = stack.at(-1);
  if (!innermost || inQuotes) return undefined;
  const steps = stack.flatMap(({ isList, key }): Step[] =>
    isList ? [{ item: true }] : key === undefined ? [] : [{ field: key }],
  );
  const after = fieldsAfter(line.slice(line.indexOf(value) + value.length));
  const inner = stack.flatMap(({ isList, fields }, i) =>
    isList ? [] : new Map([...(after[stack.length - 1 - i] ?? []), ...fields]),
  );
  return {
    kind: innermost.isList || innermost.key !== undefined ? 'value' : 'key',
    path: [...path, ...steps],
    objects: [...objects, ...inner],
    word,
    from: offset - word.length,
    items: innermost.items,
    indent,
    flow: true,
  };
}

/** The fields with simple values after the caret: within the innermost braces or brackets, then the next ones, … */
function fieldsAfter(after: string): [string, string][][] {
  const parts = [''];
  let depth = 0;
  for (const char of after) {
    if (/[{[]/.test(char)) depth++;
    else if (/[}\]]/.test(char) && depth > 0) depth--;
    else if (/[}\]]/.test(char)) parts.push('');
    else if (depth === 0) parts.push((parts.pop() ?? '') + char);
  }
  return parts.map((part) =>
    [...part.matchAll(/([A-Za-z_][\w.-]*)\s*:\s*["']?([\w.-]+)/g)].map(([, key = '', value = '']) => [key, value]),
  );
}

/** The objects and lists that are open at the end of a text, and its last word. Undefined after the last one closed. */
function openAt(text: string): Pick<FlowReader, 'stack' | 'word' | 'inQuotes'> | undefined {
  const reader = new FlowReader();
  for (let i = 0; i < text.length; i++) if (!reader.read(text[i] ?? '', text[i + 1] ?? '')) return undefined;
  return reader;
}

/** Reads objects and lists in braces and brackets, character by character. */
class FlowReader {
  readonly stack: Open[] = [];
  word = '';
  private quote = '';

  get inQuotes(): boolean {
    return this.quote !== '';
  }

  /** Reads a character; `next` is the one after it. False if it closes the last object or list. */
  read(char: string, next: string): boolean {
    if (this.inQuotes || /["']/.test(char)) this.readQuoted(char);
    else if (/[{[]/.test(char)) this.open(char === '[');
    else if (/[}\]]/.test(char)) return this.close();
    else if (char === ',') this.endValue();
    // A colon within a word, as in a time or an address, ends no key.
    else if (char === ':' && /\s|^$/.test(next)) this.endKey();
    else if (this.word !== '' || char.trim() !== '') this.word += char;
    return true;
  }

  /** Reads a quote or a character between quotes, in which no sign has a meaning. */
  private readQuoted(char: string): void {
    if (!this.inQuotes) this.quote = char;
    else if (char === this.quote) this.quote = '';
    this.word += char;
  }

  private open(isList: boolean): void {
    this.stack.push({ isList, fields: new Map(), items: [] });
    this.word = '';
  }

  private close(): boolean {
    this.endValue();
    this.stack.pop();
    return this.stack.length > 0;
  }

  private endKey(): void {
    const open = this.stack.at(-1);
    if (open && !open.isList) open.key = plain(this.word);
    this.word = '';
  }

  private endValue(): void {
    const done = plain(this.word);
    const open = this.stack.at(-1);
    if (open?.isList && done !== '') open.items.push(done);
    else if (open?.key !== undefined) open.fields.set(open.key, done);
    if (open) open.key = undefined;
    this.word = '';
  }
}
