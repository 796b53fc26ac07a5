import { toGraph, wireKey } from '@/scene/graph';
import { placesOf, tasksOf, taskOf } from './ops';
import type { Doc, Task } from './types';

/** Why a dependency may not be drawn. Its words are in the namespace `document`, below `refuse`. */
export interface Refusal {
  code: 'self' | 'same_job' | 'upwards' | 'twice' | 'unknown';
  params: { from: string; to: string; job: string };
  /** What would do instead, in words below `offer`: `accept` makes the command of it. */
  offer?: 'moveTargetLater' | 'otherWay';
}

/** Something to know about a dependency that may be drawn. Its words are below `note`. */
export interface Note {
  code: 'redundant';
  params: { from: string; to: string };
}

/** Why `to` may not need `from`; undefined if it may. Called on each move of the pointer: it looks at these two only. */
export function refuse(doc: Doc, from: string, to: string): Refusal | undefined {
  const [a, b] = [placesOf(doc).get(from), placesOf(doc).get(to)];
  const refused = (code: Refusal['code'], offer?: Refusal['offer']): Refusal => ({
    code,
    params: { from, to, job: doc.jobs[b?.job ?? -1]?.key ?? '' },
    ...(offer ? { offer } : {}),
  });
  if (!a || !b) return refused('unknown');
  if (from === to) return refused('self');
  if (taskOf(doc, to)?.needs?.includes(from)) return refused('twice');
  if (a.job === b.job) return refused('same_job', 'moveTargetLater');
  if (a.job > b.job) return refused('upwards', taskOf(doc, from)?.needs?.includes(to) ? undefined : 'otherWay');
  return undefined;
}

/** What is to be known about a dependency that may be drawn, such as that it would change nothing. */
export function note(doc: Doc, from: string, to: string): Note | undefined {
  if (refuse(doc, from, to)) return undefined;
  return provenFor(doc, to).has(from) ? { code: 'redundant', params: { from, to } } : undefined;
}

interface Known {
  /** Tasks that can end without effect: skipped because their rule did not apply, or after such a skip. */
  noneable: ReadonlySet<string>;
  /** What success of the needs of a task proves, by its key. */
  proven: Map<string, ReadonlySet<string>>;
}

const known = new WeakMap<Doc, Known>();

const rule = (task: Task) => task.rule ?? 'all_success';
const vouches = (task: Task) => rule(task) === 'all_success' && !task.allowFailure && !task.disabled && !task.when;

/** The tasks whose success is proven by the written needs of a task, so that needing them too changes nothing. */
function provenFor(doc: Doc, to: string): ReadonlySet<string> {
  const all = remembered(doc);
  const seen = all.proven.get(to);
  if (seen) return seen;
  const places = placesOf(doc);
  const proven = new Set<string>();
  const target = taskOf(doc, to);
  const next = target && rule(target) === 'all_success' ? possible(doc, target) : [];
  for (let key = next.pop(); key !== undefined; key = next.pop()) {
    const task = taskOf(doc, key);
    if (!task || !vouches(task)) continue;
    const needs = possible(doc, task);
    const lane = places.get(key)?.job ?? 0;
    const proves = needs.length > 0 ? needs : earlier(doc, lane).filter((other) => !all.noneable.has(other));
    for (const other of proves) {
      if (proven.has(other)) continue;
      proven.add(other);
      next.push(other);
    }
  }
  all.proven.set(to, proven);
  return proven;
}

/** The needs of a task that name tasks of earlier jobs: others count as not written. */
function possible(doc: Doc, task: Task): string[] {
  const lane = placesOf(doc).get(task.key)?.job ?? 0;
  return (task.needs ?? []).filter((need) => (placesOf(doc).get(need)?.job ?? lane) < lane);
}

const earlier = (doc: Doc, lane: number): string[] =>
  doc.jobs.slice(0, lane).flatMap((job) => (job.tasks ?? []).map((task) => task.key));

function remembered(doc: Doc): Known {
  const before = known.get(doc);
  if (before) return before;
  const noneable = new Set<string>();
  for (const task of tasksOf(doc)) {
    const none =
      rule(task) === 'all_success' ? possible(doc, task).some((need) => noneable.has(need)) : rule(task) !== 'all_done';
    if (none) noneable.add(task.key);
  }
  const made: Known = { noneable, proven: new Map() };
  known.set(doc, made);
  return made;
}

const redundant = new WeakMap<Doc, ReadonlySet<string>>();

/** The needs that change nothing, each as `from>to`; computed once for each document. */
export function redundantOf(doc: Doc): ReadonlySet<string> {
  const found = redundant.get(doc) ?? toGraph(doc).redundant;
  redundant.set(doc, found);
  return found;
}

/** The redundant needs of one task. */
export const redundantNeeds = (doc: Doc, task: Task): string[] =>
  (task.needs ?? []).filter((need) => redundantOf(doc).has(wireKey(need, task.key)));
