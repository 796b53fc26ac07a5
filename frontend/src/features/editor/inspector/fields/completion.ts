import { type Doc, positionsOf } from '@/document';

/** A name that expressions may use, with its kind and, for a param, its value. */
export interface Name {
  text: string;
  about: 'param' | 'tick' | 'batch' | 'output' | 'event' | 'outcome' | 'secret';
  value?: string;
}

/** Names that can replace the text between `from` and `to`. */
interface Completion {
  from: number;
  to: number;
  names: readonly Name[];
}

const TICK = ['moment', 'date', 'time', 'year', 'month', 'day', 'hour', 'minute', 'weekday', 'unix'];
/** The functions that are offered, as an example of a call. */
const CALLS = ['date(tick, "-1d", "yyyyMMdd")'];
const MAX_NAMES = 50;

/** The names that expressions of a task may use: params, the tick, the batch, and outputs of tasks of earlier jobs. */
export const namesFor = (doc: Doc, task: string): Name[] => namesAt(doc, positionsOf(doc).get(task)?.job ?? 0);

/** The names that expressions of all tasks of a job may use. */
export const namesForJob = (doc: Doc, job: string): Name[] =>
  namesAt(
    doc,
    doc.jobs.findIndex(({ key }) => key === job),
  );

function namesAt(doc: Doc, jobIndex: number): Name[] {
  const earlier = doc.jobs.slice(0, jobIndex).flatMap((job) => (job.tasks ?? []).map((t) => t.key));
  return [
    ...Object.entries(doc.params ?? {}).map(([name, value]): Name => ({
      text: member('params', name),
      about: 'param',
      value: String(value),
    })),
    ...TICK.map((name): Name => ({ text: `tick.${name}`, about: 'tick' })),
    ...CALLS.map((text): Name => ({ text, about: 'tick' })),
    ...['kind', 'round'].map((name): Name => ({ text: `batch.${name}`, about: 'batch' })),
    ...earlier.map((key): Name => ({ text: `${member('outputs', key)}.`, about: 'output' })),
  ];
}

/** The names that expressions of hooks may use: params, the tick, the batch, and the end that they follow. */
export const hookNames = (doc: Doc): Name[] => [
  ...namesFor({ ...doc, jobs: [] }, ''),
  ...['state', 'error', 'task', 'batch', 'round'].map((name): Name => ({ text: `event.${name}`, about: 'event' })),
];

/** The names that the condition of a retry may use besides the others: the failed attempt. */
export const outcomeNames = (): Name[] =>
  ['reason', 'exitCode', 'error', 'outputs.', 'attempt', 'failures', 'seconds'].map((name) => ({
    text: `outcome.${name}`,
    about: 'outcome',
  }));

/** The names for secrets of the server. */
export const secretNames = (secrets: readonly { name: string }[]): Name[] =>
  secrets.map(({ name }) => ({ text: `secrets.${name}`, about: 'secret' }));

/** A member in the syntax of expressions: a name that is not a plain word is written in brackets. */
const member = (root: string, name: string) =>
  /^[A-Za-z_]\w*$/.test(name) ? `${root}.${name}` : `${root}[${JSON.stringify(name)}]`;

/**
 * The names that fit at the caret: inside `${{ … }}`, or anywhere if the whole text is an expression (`bare`). Returns
 * undefined where no name is allowed: outside an expression, within quotes, after another name.
 */
export function completionAt(
  text: string,
  caret: number,
  names: readonly Name[],
  bare: boolean,
): Completion | undefined {
  const source = expressionBefore(text.slice(0, caret), bare);
  if (source === undefined || inQuotes(source)) return undefined;
  const word = /[A-Za-z_][\w.]*$/.exec(source)?.[0] ?? '';
  if (!mayBeginName(source.slice(0, source.length - word.length), word, bare)) return undefined;
  const prefix = word.toLowerCase();
  const matches = names.filter(
    (name) =>
      name.text.toLowerCase() !== prefix &&
      (name.text.toLowerCase().startsWith(prefix) || afterDot(name.text).startsWith(prefix)),
  );
  if (matches.length === 0) return undefined;
  return {
    from: caret - word.length,
    to: caret + (/^\w*/.exec(text.slice(caret))?.[0].length ?? 0),
    names: matches.slice(0, MAX_NAMES),
  };
}

/** The text between the start of the expression and the caret; undefined outside of expressions. */
function expressionBefore(before: string, bare: boolean): string | undefined {
  if (bare) return before;
  const opened = before.lastIndexOf('${{');
  const source = before.slice(opened + 3);
  return opened < 0 || source.includes('}}') ? undefined : source;
}

/** Whether a name can begin after the text `written`; `word` is the part of the name that is typed already. */
function mayBeginName(written: string, word: string, bare: boolean): boolean {
  if (/[\w\])"'.]$/.test(written)) return false;
  if (word !== '') return true;
  if (/[\w\])"'`]\s+$/.test(written)) return false;
  return !bare || written === '' || /[\s(!,[{]$/.test(written);
}

const afterDot = (name: string) =>
  name
    .slice(name.search(/^\w+[.[]/) < 0 ? 0 : name.search(/[.[]/) + 1)
    .replace(/^"/, '')
    .toLowerCase();

/** Whether quotes are open at the end of a source. */
function inQuotes(source: string): boolean {
  let quote = '';
  for (let i = 0; i < source.length; i++) {
    const char = source[i] ?? '';
    if (quote && char === '\\') i++;
    else if (quote) quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'" || char === '`') quote = char;
  }
  return quote !== '';
}

/** The text with a name inserted at a completion, and the caret behind it. An open `${{` is closed. */
export function insertName(
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
