import type { Head, JobHead, Task } from './types';

// Expressions name tasks too: outputs.KEY.NAME, outputs?.KEY, outputs["KEY"]. These functions find the names without
// parsing the rest of the language: they skip quoted texts and members of other objects.

/** The params and tasks that an expression names literally. */
export interface References {
  params: string[];
  outputs: string[];
}

const DOT_NAME = /(?:\?\s*)?\.\s*([A-Za-z_$][\w$]*)/.source;
const KEY_IN_BRACKETS = /(?:\?\s*\.\s*)?\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]/.source;
const MEMBER = new RegExp(`(outputs|params)\\s*(?:${DOT_NAME}|${KEY_IN_BRACKETS})`, 'y');
const WORD = /[\w$]+/y;
const QUOTED = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?/y;

interface Reference {
  root: string;
  name: string;
  start: number;
  end: number;
  inBrackets: boolean;
}

function* findReferences(source: string): Generator<Reference> {
  let at = 0;
  let previousChar = ''; // the last character before, spaces not counted
  while (at < source.length) {
    const char = source[at] ?? '';
    MEMBER.lastIndex = WORD.lastIndex = QUOTED.lastIndex = at;
    let match: RegExpExecArray | null;
    if ((match = QUOTED.exec(source))) at = QUOTED.lastIndex;
    else if (previousChar !== '.' && (match = MEMBER.exec(source))) {
      const [text, root = '', plain, quoted] = match;
      const name = plain ?? quoted ?? '';
      yield {
        root,
        name: quoted?.slice(1, -1) ?? name,
        start: at + text.lastIndexOf(name),
        end: MEMBER.lastIndex,
        inBrackets: quoted !== undefined,
      };
      at += text.length;
    } else if ((match = WORD.exec(source))) at = WORD.lastIndex;
    else at++;
    if (match) previousChar = 'x';
    else if (char.trim() !== '') previousChar = char;
  }
}

/** The names after `params` and after `outputs` in an expression. */
export function referencesOf(source: string): References {
  const out: References = { params: [], outputs: [] };
  for (const { root, name } of findReferences(source)) out[root as keyof References].push(name);
  return out;
}

/** Renames tasks or params in an expression. */
export function renameInExpression(
  source: string,
  names: ReadonlyMap<string, string>,
  root: 'outputs' | 'params' = 'outputs',
): string {
  if (!source.includes(root)) return source;
  let out = '';
  let done = 0;
  for (const found of findReferences(source)) {
    const to = found.root === root ? names.get(found.name) : undefined;
    if (to === undefined) continue;
    const before = source.slice(done, found.start);
    if (found.inBrackets) out += `${before}${JSON.stringify(to)}]`;
    else if (/^[A-Za-z_]\w*$/.test(to)) out += before + to;
    // A name after a dot cannot have a hyphen.
    else out += `${before.replace(/\s*(\?\s*)?\.\s*$/, '')}[${JSON.stringify(to)}]`;
    done = found.end;
  }
  return out + source.slice(done);
}

const OPENING = '${{';

/** Replaces each expression between `${{` and `}}` of a text; `$${{` stays. */
export function mapTemplate(text: string, change: (source: string) => string): string {
  let out = '';
  let rest = text;
  for (;;) {
    const open = rest.indexOf(OPENING);
    if (open < 0) return out + rest;
    const from = open + OPENING.length;
    const end = rest[open - 1] === '$' ? 0 : expressionEnd(rest.slice(from));
    if (end < 0) return out + rest;
    out += rest.slice(0, from) + (end > 0 ? change(rest.slice(from, from + end)) : '');
    rest = rest.slice(from + end);
  }
}

/** The index of the }} that closes an expression, outside quotes and the braces of maps; negative if there is none. */
function expressionEnd(text: string): number {
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (quote !== '') {
      if (char === '\\' && quote !== '`') i++;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'" || char === '`') quote = char;
    else if (char === '{') depth++;
    else if (char === '}' && depth > 0) depth--;
    else if (text.startsWith('}}', i)) return i;
  }
  return -1;
}

/** Changes an expression; returns the same text if nothing changes. */
type Change = (source: string) => string;

const renamingParam = (from: string, to: string): Change => {
  const names = new Map([[from, to]]);
  return (source) => renameInExpression(source, names, 'params');
};

/** A task with a param renamed in its expressions; the same object if no expression names the param. */
export const withRenamedParam = (task: Task, from: string, to: string): Task =>
  withExpressions(task, renamingParam(from, to));

/** The fields of a job, or of a schedule, with a param renamed in the expressions of defaults and hooks. */
export const headWithRenamedParam = <T extends JobHead | Head>(head: T, from: string, to: string): T =>
  headWithExpressions(head, renamingParam(from, to));

/** A task with other tasks renamed in its needs and expressions; the same object if it names none of them. */
export function withRenamedTasks(task: Task, names: ReadonlyMap<string, string>): Task {
  const next = withExpressions(task, (source) => renameInExpression(source, names));
  return task.needs?.some((need) => names.has(need))
    ? { ...next, needs: task.needs.map((need) => names.get(need) ?? need) }
    : next;
}

/** The fields of a job, or of a schedule, with tasks renamed in the expressions of defaults and hooks. */
export const headWithRenamedTasks = <T extends JobHead | Head>(head: T, names: ReadonlyMap<string, string>): T =>
  headWithExpressions(head, (source) => renameInExpression(source, names));

/** A task with all its expressions changed; the same object if none changes. */
function withExpressions(task: Task, change: Change): Task {
  const { when, routeKey, shard, retry, params } = task;
  return withChanged(task, {
    when: when && change(when),
    routeKey: routeKey && change(routeKey),
    shard: withList(shard, change),
    retry: withRetryWhen(retry, change),
    params: paramsWith(params, change),
    ...hooksWith(task, change),
  });
}

/** The fields of a job or a schedule with all their expressions changed; the same object if none changes. */
function headWithExpressions<T extends JobHead | Head>(head: T, change: Change): T {
  const changed = withChanged<JobHead | Head>(head, hooksWith(head, change));
  if (!('defaults' in changed) || !changed.defaults) return changed as T;
  const { defaults } = changed;
  const retry = withRetryWhen(defaults.retry, change);
  return (retry === defaults.retry ? changed : { ...changed, defaults: { ...defaults, retry } }) as T;
}

type Hooks = Pick<Task, 'onFailure' | 'onSuccess' | 'onEnd'>;

/** The hooks of a task, a job or a schedule with all their expressions changed. */
function hooksWith({ onFailure, onSuccess, onEnd }: Hooks, change: Change): Hooks {
  const inList = (hooks: Hooks['onEnd']) => {
    const next = hooks?.map((hook) =>
      withChanged(hook, { params: paramsWith(hook.params, change), retry: withRetryWhen(hook.retry, change) }),
    );
    return next?.some((hook, i) => hook !== hooks?.[i]) ? next : hooks;
  };
  return { onFailure: inList(onFailure), onSuccess: inList(onSuccess), onEnd: inList(onEnd) };
}

const paramsWith = (params: Task['params'], change: Change): Task['params'] =>
  params && (mapTexts(params, (text) => (text.includes(OPENING) ? mapTemplate(text, change) : text)) as Task['params']);

/** An object with the given fields; the same object if it has them already. */
function withChanged<T extends object>(value: T, fields: Partial<T>): T {
  const changed = Object.entries(fields).filter(([name, field]) => field !== value[name as keyof T]);
  return changed.length === 0 ? value : { ...value, ...(Object.fromEntries(changed) as Partial<T>) };
}

/** The shards of a task with the expression of their list changed; the same value if it does not change. */
function withList(shard: Task['shard'], change: (source: string) => string): Task['shard'] {
  if (!shard || typeof shard !== 'object' || !shard.over) return shard;
  const over = change(shard.over);
  return over === shard.over ? shard : { ...shard, over };
}

/** The retries of a task with their condition changed; the same object if it does not change. */
function withRetryWhen(retry: Task['retry'], change: (source: string) => string): Task['retry'] {
  if (!retry?.when) return retry;
  const when = change(retry.when);
  return when === retry.when ? retry : { ...retry, when };
}

/** Maps all texts in a value. Returns the same object if no text changes. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const next = value.map((item) => mapTexts(item, change));
    return next.some((item, i) => item !== value[i]) ? next : value;
  }
  const entries = Object.entries(value);
  const next = entries.map(([name, item]) => [name, mapTexts(item, change)] as const);
  return next.some(([, item], i) => item !== entries[i]?.[1]) ? Object.fromEntries(next) : value;
}
