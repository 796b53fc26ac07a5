import { freeKeys, freeKey, withNeeds } from './commands';
import { isRecord } from './equal';
import { inOrder } from './lanes';
import { jobHeadOf, type Op, placesOf } from './ops';
import { renamedIn } from './refs';
import type { Command, Label } from './store';
import { type Doc, fold, type Job, type JobHead, type Task } from './types';

/** What the clipboard holds: tasks by their lanes, or whole jobs. Keys in it are unique. */
export interface Clip {
  kind: 'tasks' | 'jobs';
  jobs: Job[];
}

const MARK = 'hivego/clip/v1';
const MAX_TEXT = 4 << 20; // as much as a whole schedule may have
const MAX_DEPTH = 40;
const MAX_TASKS = 20_000;

/** Tasks as text of the clipboard; undefined if there are none. */
export function copyTasks(doc: Doc, keys: readonly string[]): string | undefined {
  const wanted = new Set(inOrder(doc, keys));
  // Empty lanes between them stay, so that what is pasted has the same shape.
  const lanes = doc.jobs.map(({ key, tasks }) => ({
    key,
    tasks: (tasks ?? []).filter((task) => wanted.has(task.key)),
  }));
  const full = lanes.flatMap((lane, j) => (lane.tasks.length > 0 ? j : []));
  return wanted.size === 0
    ? undefined
    : text({ kind: 'tasks', jobs: lanes.slice(full[0] ?? 0, (full.at(-1) ?? 0) + 1) });
}

/** Whole jobs as text of the clipboard; undefined if there are none. */
export function copyJobs(doc: Doc, keys: readonly string[]): string | undefined {
  const jobs = doc.jobs.filter((job) => keys.includes(job.key));
  return jobs.length === 0 ? undefined : text({ kind: 'jobs', jobs });
}

const text = ({ kind, jobs }: Clip): string => JSON.stringify({ hivego: MARK, kind, jobs }, null, 2);

/**
 * Reads a text of the clipboard; undefined if it is no clip. It may come from anywhere, so everything in it is
 * checked.
 */
export function readClip(source: string): Clip | undefined {
  if (source.length > MAX_TEXT || !source.includes(MARK)) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(source);
  } catch {
    return undefined;
  }
  if (
    !isRecord(read) ||
    read.hivego !== MARK ||
    !Array.isArray(read.jobs) ||
    (read.kind !== 'tasks' && read.kind !== 'jobs')
  )
    return undefined;
  const seen = { jobs: new Set<string>(), tasks: new Set<string>() };
  const jobs = read.jobs.slice(0, MAX_TASKS).flatMap((job: unknown) => readJob(job, seen) ?? []);
  const empty = read.kind === 'tasks' ? seen.tasks.size === 0 : jobs.length === 0;
  return empty || seen.tasks.size > MAX_TASKS ? undefined : { kind: read.kind, jobs };
}

interface Seen {
  jobs: Set<string>;
  tasks: Set<string>;
}

const JOB_FIELDS: Fields = { title: isText, description: isText, timeout: isText, '#': anything };
const TASK_FIELDS: Fields = {
  title: isText,
  description: isText,
  handler: isText,
  group: isText,
  executor: isText,
  labels: isTexts,
  params: isRecord,
  needs: (value) => Array.isArray(value) && value.every(isText),
  rule: isText,
  allowFailure: isFlag,
  disabled: isFlag,
  when: isText,
  retry: isRecord,
  timeout: isText,
  killGrace: isText,
  priority: isNumber,
  onLost: isRecord,
  '#': anything,
};

type Fields = Record<string, (value: unknown) => boolean>;

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
function isFlag(value: unknown): boolean {
  return typeof value === 'boolean';
}
function isNumber(value: unknown): boolean {
  return typeof value === 'number';
}
function isTexts(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isText);
}
function anything(): boolean {
  return true;
}

function readJob(value: unknown, seen: Seen): Job | undefined {
  if (!isRecord(value)) return undefined;
  const key = unique(value.key, seen.jobs);
  if (key === undefined) return undefined;
  const tasks = Array.isArray(value.tasks)
    ? value.tasks.slice(0, MAX_TASKS + 1).flatMap((task: unknown) => readTask(task, seen) ?? [])
    : [];
  return { key, ...known(value, JOB_FIELDS), tasks };
}

function readTask(value: unknown, seen: Seen): Task | undefined {
  if (!isRecord(value)) return undefined;
  const key = unique(value.key, seen.tasks);
  return key === undefined ? undefined : { key, handler: '', ...known(value, TASK_FIELDS) };
}

function unique(key: unknown, seen: Set<string>): string | undefined {
  if (typeof key !== 'string' || key === '' || key.length > 200 || seen.has(fold(key))) return undefined;
  seen.add(fold(key));
  return key;
}

/** The fields that the format has, of the right types; others are left out. */
function known(value: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, fits] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name) || !fits(value[name]) || !shallow(value[name])) continue;
    out[name] = clean(value[name]);
  }
  return out;
}

function shallow(value: unknown, depth = 0): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    (depth < MAX_DEPTH && Object.values(value).every((inner) => shallow(inner, depth + 1)))
  );
}

/** A copy without names that have a meaning in JavaScript itself. */
function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (name === '__proto__' ? [] : [[name, clean(inner)]])),
  );
}

/**
 * Pastes a clip: tasks into a job and those after it, lane by lane, with new jobs where there are too few; jobs after
 * a job. If none is given, at the end. Keys are made free. Needs and expressions among the pasted name the copies;
 * other needs stay if they name a task of an earlier job.
 */
export function paste(doc: Doc, clip: Clip, into?: string): Command | undefined {
  const at = doc.jobs.findIndex((job) => job.key === into);
  const last = doc.jobs.length - 1;
  const first = clip.kind === 'jobs' ? (at < 0 ? last : at) + 1 : Math.max(0, at < 0 ? last : at);
  const names = freeKeys(
    doc,
    clip.jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)),
  );
  const lanes = new Map(clip.jobs.flatMap((job, i) => (job.tasks ?? []).map((task) => [task.key, i] as const)));
  const tasksFor = (i: number): Task[] =>
    (clip.jobs[i]?.tasks ?? []).map((task) => {
      const needs = (task.needs ?? []).filter((need) => {
        const among = lanes.get(need);
        const here = placesOf(doc).get(need);
        return among === undefined
          ? here !== undefined && here.job < first + (clip.kind === 'jobs' ? 0 : i)
          : among < i;
      });
      const named = renamedIn(task.needs ? withNeeds(task, needs) : task, names);
      return { ...named, key: names.get(task.key) ?? task.key };
    });
  const taken = doc.jobs.map((job) => job.key);
  const fresh = (head: JobHead): JobHead => {
    const key = freeKey(taken, head.key);
    taken.push(key);
    return { ...head, key };
  };
  const ops = clip.jobs.flatMap((job, i): Op[] => {
    const lane = clip.kind === 'jobs' ? undefined : doc.jobs[first + i];
    if (!lane) return [{ op: 'job.insert', index: first + i, job: { ...fresh(jobHeadOf(job)), tasks: tasksFor(i) } }];
    return tasksFor(i).map((task, t) => ({
      op: 'task.insert',
      job: lane.key,
      index: (lane.tasks?.length ?? 0) + t,
      task,
    }));
  });
  if (ops.length === 0) return undefined;
  const keys = [...names.values()];
  const label: Label =
    clip.kind === 'jobs'
      ? { did: 'pasteJobs', params: { count: clip.jobs.length } }
      : keys.length === 1
        ? { did: 'pasteTask', params: { task: keys.join() } }
        : { did: 'pasteTasks', params: { count: keys.length } };
  return { label, ops, select: { tasks: keys } };
}
