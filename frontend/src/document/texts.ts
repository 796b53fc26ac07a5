import { isRecord } from './equal';
import { isKey } from './faults';
import { type Match, withReplaced } from './matches';
import { headOf, jobHeadOf } from './ops';
import { applyRenames } from './renames';
import type { Command } from './store';
import { type Doc, foldCase, type Selection } from './types';

/** The kinds of texts that a search can be limited to. */
export type TextKind = 'names' | 'titles' | 'params' | 'others';

/** A text of the document. */
export interface DocText {
  job?: string;
  task?: string;
  /** The field of the schedule, job or task, as faults name it: `params.env.LANG`. */
  field: string;
  /** The way to it from the document. */
  path: readonly (string | number)[];
  text: string;
  kind: TextKind;
}

/** A text, and its matches that the user replaces. */
export interface Replacement {
  at: DocText;
  matches: readonly Match[];
}

/** Fields that are no texts of the author, or that follow from others: the needs follow from the keys of tasks. */
const LEFT_OUT = ['#', 'apiVersion', 'kind', 'needs', 'tasks'];

/** All texts of a document in its order, without the name of the schedule. */
export function textsOf(doc: Doc): DocText[] {
  const head: Partial<Doc> = { ...headOf(doc) };
  delete head.name;
  return [
    ...textsIn(head, {}, []),
    ...doc.jobs.flatMap((job, j) => [
      ...textsIn(jobHeadOf(job), { job: job.key }, ['jobs', j]),
      ...(job.tasks ?? []).flatMap((task, t) =>
        textsIn(task, { job: job.key, task: task.key }, ['jobs', j, 'tasks', t]),
      ),
    ]),
  ];
}

function textsIn(item: object, at: Pick<DocText, 'job' | 'task'>, path: DocText['path']): DocText[] {
  const out: DocText[] = [];
  const visit = (value: unknown, field: string, steps: DocText['path']) => {
    if (typeof value === 'string') {
      if (value !== '') out.push({ ...at, field, path: [...path, ...steps], text: value, kind: kindOf(field) });
    } else if (Array.isArray(value))
      value.forEach((one, i) => {
        visit(one, `${field}[${String(i)}]`, [...steps, i]);
      });
    else if (isRecord(value))
      for (const [name, one] of Object.entries(value))
        if (name !== '#') visit(one, `${field}.${name}`, [...steps, name]);
  };
  for (const [name, value] of Object.entries(item)) if (!LEFT_OUT.includes(name)) visit(value, name, [name]);
  return out;
}

function kindOf(field: string): TextKind {
  if (field === 'key') return 'names';
  if (field === 'title' || field === 'description') return 'titles';
  return /(^|\.)when$/.test(field) || /(^|\.)params\./.test(field) ? 'params' : 'others';
}

/** Why a key is not replaced: it would not be a key, or another task or job has it. */
export type KeyFault = 'bad' | 'taken';

/** The new keys that replacements give to tasks and jobs, and those that cannot be given. */
interface NewKeys {
  tasks: Map<string, string>;
  jobs: Map<string, string>;
  faults: Map<DocText, KeyFault>;
}

/** The key that a text is, if it is the key of a task or of a job as wanted. */
const keyAt = ({ kind, job, task }: DocText, wanted: 'task' | 'job'): string | undefined =>
  kind !== 'names' ? undefined : wanted === 'task' ? task : task === undefined ? job : undefined;

function newKeys(doc: Doc, replacements: readonly Replacement[]): NewKeys {
  const faults: NewKeys['faults'] = new Map();
  const ofKind = (items: readonly { key: string }[], kind: 'task' | 'job'): Map<string, string> => {
    const wanted = new Map<string, { at: DocText; to: string }>();
    for (const { at, matches } of replacements) {
      const from = keyAt(at, kind);
      const to = withReplaced(at.text, matches);
      if (from === undefined || to === from) continue;
      if (isKey(to)) wanted.set(from, { at, to });
      else faults.set(at, 'bad');
    }
    refuseTaken(items, wanted, faults);
    return new Map([...wanted].map(([from, { to }]) => [from, to]));
  };
  return {
    tasks: ofKind(
      doc.jobs.flatMap((job) => job.tasks ?? []),
      'task',
    ),
    jobs: ofKind(doc.jobs, 'job'),
    faults,
  };
}

/** Removes the new keys that others have. A rename that is refused keeps its old key, which another may want. */
function refuseTaken(
  items: readonly { key: string }[],
  wanted: Map<string, { at: DocText; to: string }>,
  faults: NewKeys['faults'],
): void {
  for (;;) {
    const uses = new Map<string, number>();
    for (const { key } of items) {
      const folded = foldCase(wanted.get(key)?.to ?? key);
      uses.set(folded, (uses.get(folded) ?? 0) + 1);
    }
    const taken = [...wanted].filter(([, { to }]) => (uses.get(foldCase(to)) ?? 0) > 1);
    if (taken.length === 0) return;
    for (const [from, { at }] of taken) {
      wanted.delete(from);
      faults.set(at, 'taken');
    }
  }
}

/** The keys that replacements cannot change, with the reason. */
export const keyFaults = (doc: Doc, replacements: readonly Replacement[]): ReadonlyMap<DocText, KeyFault> =>
  newKeys(doc, replacements).faults;

/**
 * Replaces texts in one step. A new key of a task also changes the needs and expressions that name the task. Keys that
 * cannot be given stay: see `keyFaults`. Undefined if nothing changes.
 */
export function replaceTexts(
  doc: Doc,
  replacements: readonly Replacement[],
  selection: Selection = { tasks: [] },
): Command | undefined {
  const { tasks, jobs, faults } = newKeys(doc, replacements);
  let next: unknown = doc;
  let count = 0;
  for (const { at, matches } of replacements) {
    if (matches.length === 0 || faults.has(at)) continue;
    count += matches.length;
    if (at.kind !== 'names') next = withText(next, at.path, withReplaced(at.text, matches));
  }
  const value = applyRenames(next as Doc, { tasks, jobs });
  if (count === 0 || value === doc) return undefined;
  const { job, edge } = selection;
  const renamed = (key: string) => tasks.get(key) ?? key;
  return {
    label: { kind: 'replaceTexts', params: { count } },
    ops: [{ op: 'all', value }],
    select: {
      tasks: selection.tasks.map(renamed),
      ...(job === undefined ? {} : { job: jobs.get(job) ?? job }),
      ...(edge ? { edge: { from: renamed(edge.from), to: renamed(edge.to) } } : {}),
    },
  };
}

/** A copy of a value with the text at a path replaced. */
function withText(value: unknown, [step, ...rest]: DocText['path'], text: string): unknown {
  if (step === undefined) return text;
  if (Array.isArray(value)) return value.with(Number(step), withText(value[Number(step)], rest, text));
  const object = value as Record<string, unknown>;
  return { ...object, [step]: withText(object[step], rest, text) };
}
