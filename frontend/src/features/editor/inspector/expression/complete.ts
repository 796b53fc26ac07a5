import { type Doc, placesOf } from '@/document';

/** A name that can be written, with a word on what it is. */
export interface Name {
  text: string;
  about: 'param' | 'tick' | 'batch' | 'output';
  value?: string;
}

/** What a text can be completed to: `text` takes the place of what stands between `from` and `to`. */
export interface Completion {
  from: number;
  to: number;
  names: readonly Name[];
}

const TICK = ['moment', 'date', 'time', 'year', 'month', 'day', 'hour', 'minute', 'weekday', 'unix'];
const MOST = 50;

/** The names that expressions of a task may use: params, the tick, the batch, and outputs of tasks of earlier jobs. */
export function namesFor(doc: Doc, task: string): Name[] {
  const own = placesOf(doc).get(task)?.job ?? 0;
  const earlier = doc.jobs.slice(0, own).flatMap((job) => (job.tasks ?? []).map((t) => t.key));
  return [
    ...Object.entries(doc.params ?? {}).map(([name, value]): Name => ({
      text: member('params', name),
      about: 'param',
      value: String(value),
    })),
    ...TICK.map((name): Name => ({ text: `tick.${name}`, about: 'tick' })),
    ...['kind', 'round'].map((name): Name => ({ text: `batch.${name}`, about: 'batch' })),
    ...earlier.map((key): Name => ({ text: `${member('outputs', key)}.`, about: 'output' })),
  ];
}

/** A member as the language has it: names that are no plain words stand in brackets. */
const member = (root: string, name: string) =>
  /^[A-Za-z_]\w*$/.test(name) ? `${root}.${name}` : `${root}[${JSON.stringify(name)}]`;

/**
 * What can be written at a place: names inside `${{ … }}`, or anywhere if the whole text is an expression. Undefined where
 * no name is expected: outside, in a text in quotes, after another name.
 */
export function complete(text: string, caret: number, names: readonly Name[], bare: boolean): Completion | undefined {
  const before = text.slice(0, caret);
  const opened = bare ? 0 : before.lastIndexOf('${{') + 3;
  if (!bare && (opened < 3 || before.slice(opened).includes('}}'))) return undefined;
  const source = before.slice(opened);
  if (inQuotes(source)) return undefined;
  const word = /[A-Za-z_][\w.]*$/.exec(source)?.[0] ?? '';
  const rest = source.slice(0, source.length - word.length);
  if (/[\w\])"'.]$/.test(rest) || (word === '' && /[\w\])"'`]\s+$/.test(rest))) return undefined;
  if (bare && word === '' && caret > 0 && !/[\s(!,[{]$/.test(rest)) return undefined;
  const low = word.toLowerCase();
  const fits = names.filter(
    (name) =>
      name.text.toLowerCase() !== low &&
      (name.text.toLowerCase().startsWith(low) || afterDot(name.text).startsWith(low)),
  );
  if (fits.length === 0) return undefined;
  return {
    from: caret - word.length,
    to: caret + (/^\w*/.exec(text.slice(caret))?.[0].length ?? 0),
    names: fits.slice(0, MOST),
  };
}

const afterDot = (name: string) =>
  name
    .slice(name.search(/[.[]/) + 1)
    .replace(/^"/, '')
    .toLowerCase();

/** Whether a text in quotes has begun and not ended. */
function inQuotes(source: string): boolean {
  let open = '';
  for (let i = 0; i < source.length; i++) {
    const sign = source[i] ?? '';
    if (open && sign === '\\') i++;
    else if (open) open = sign === open ? '' : open;
    else if (sign === '"' || sign === "'" || sign === '`') open = sign;
  }
  return open !== '';
}

/** A text with a name put where it was asked for, and where the caret is then; what opens is closed. */
export function completed(
  text: string,
  { from, to }: Completion,
  name: string,
  bare: boolean,
): { text: string; caret: number } {
  const rest = text.slice(to);
  const closed = bare || /^[^$]*?\}\}/.test(rest) ? rest : ` }}${rest}`;
  const lead = !bare && text.slice(0, from).endsWith('${{') ? ' ' : '';
  return { text: text.slice(0, from) + lead + name + closed, caret: from + lead.length + name.length };
}
