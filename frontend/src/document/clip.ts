import { freeKeys, freeKey, withNeeds } from './commands';
import { isRecord } from './equal';
import { inDocumentOrder } from './lanes';
import { jobHeadOf, type Op, positionsOf } from './ops';
import { withRenamedTasks } from './refs';
import type { Command, Label } from './store';
import { type Doc, foldCase, type Job, type JobHead, type Task } from './types';

/** The content of the clipboard: tasks by their jobs, or whole jobs. Its keys are unique. */
export interface Clip {
  kind: 'tasks' | 'jobs';
  jobs: Job[];
}

const MARK = 'hivego/clip/v1';
const MAX_TEXT = 4 << 20; // the size limit of a schedule
const MAX_DEPTH = 40;
const MAX_TASKS = 20_000;

/** The clipboard text for tasks; undefined if no task has one of the keys. */
export function copyTasks(doc: Doc, keys: readonly string[]): string | undefined {
  const wanted = new Set(inDocumentOrder(doc, keys));
  // Empty jobs between them are copied too, so that the pasted tasks are as many jobs apart.
  const lanes = doc.jobs.map(({ key, tasks }) => ({
    key,
    tasks: (tasks ?? []).filter((task) => wanted.has(task.key)),
  }));
  const full = lanes.flatMap((lane, j) => (lane.tasks.length > 0 ? j : []));
  return wanted.size === 0
    ? undefined
    : clipText({ kind: 'tasks', jobs: lanes.slice(full[0] ?? 0, (full.at(-1) ?? 0) + 1) });
}

/** The clipboard text for whole jobs; undefined if no job has one of the keys. */
export function copyJobs(doc: Doc, keys: readonly string[]): string | undefined {
  const jobs = doc.jobs.filter((job) => keys.includes(job.key));
  return jobs.length === 0 ? undefined : clipText({ kind: 'jobs', jobs });
}

const clipText = ({ kind, jobs }: Clip): string => JSON.stringify({ hivego: MARK, kind, jobs }, null, 2);

/**
 * Reads a clipboard text; undefined if it is not a clip. Any program may have written it, so every field is checked.
 */
export function readClip(source: string): Clip | undefined {
  if (source.length > MAX_TEXT || !source.includes(MARK)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(source);
  } catch {
    return undefined;
  }
  if (
    !isRecord(parsed) ||
    parsed.hivego !== MARK ||
    !Array.isArray(parsed.jobs) ||
    (parsed.kind !== 'tasks' && parsed.kind !== 'jobs')
  )
    return undefined;
  const seen = { jobs: new Set<string>(), tasks: new Set<string>() };
  const jobs = parsed.jobs.slice(0, MAX_TASKS).flatMap((job: unknown) => readJob(job, seen) ?? []);
  const empty = parsed.kind === 'tasks' ? seen.tasks.size === 0 : jobs.length === 0;
  return empty || seen.tasks.size > MAX_TASKS ? undefined : { kind: parsed.kind, jobs };
}

interface SeenKeys {
  jobs: Set<string>;
  tasks: Set<string>;
}

const isHooks = (value: unknown) => Array.isArray(value) && value.every(isRecord);
const HOOK_FIELDS: Fields = { onFailure: isHooks, onSuccess: isHooks, onEnd: isHooks };
const JOB_FIELDS: Fields = {
  title: isText,
  description: isText,
  disabled: isFlag,
  timeout: isText,
  defaults: isRecord,
  ...HOOK_FIELDS,
  '#': anything,
};
const TASK_FIELDS: Fields = {
  title: isText,
  description: isText,
  handler: isText,
  group: isText,
  executor: isText,
  labels: isTexts,
  selector: isText,
  route: isText,
  routeKey: isText,
  reject: isRecord,
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
  pool: isRecord,
  shard: (value) => value === 'broadcast' || isRecord(value),
  onLost: isRecord,
  ...HOOK_FIELDS,
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

function readJob(value: unknown, seen: SeenKeys): Job | undefined {
  if (!isRecord(value)) return undefined;
  const key = uniqueKey(value.key, seen.jobs);
  if (key === undefined) return undefined;
  const tasks = Array.isArray(value.tasks)
    ? value.tasks.slice(0, MAX_TASKS + 1).flatMap((task: unknown) => readTask(task, seen) ?? [])
    : [];
  return { key, ...validFields(value, JOB_FIELDS), tasks };
}

function readTask(value: unknown, seen: SeenKeys): Task | undefined {
  if (!isRecord(value)) return undefined;
  const key = uniqueKey(value.key, seen.tasks);
  return key === undefined ? undefined : { key, handler: '', ...validFields(value, TASK_FIELDS) };
}

function uniqueKey(key: unknown, seen: Set<string>): string | undefined {
  if (typeof key !== 'string' || key === '' || key.length > 200 || seen.has(foldCase(key))) return undefined;
  seen.add(foldCase(key));
  return key;
}

/** Copies the fields that the format has and whose values have the right type. */
function validFields(value: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, fits] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name) || !fits(value[name]) || !isShallow(value[name])) continue;
    out[name] = safeCopy(value[name]);
  }
  return out;
}

function isShallow(value: unknown, depth = 0): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    (depth < MAX_DEPTH && Object.values(value).every((inner) => isShallow(inner, depth + 1)))
  );
}

/** A copy without `__proto__`, which would change the prototype of an object. */
function safeCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(safeCopy);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (name === '__proto__' ? [] : [[name, safeCopy(inner)]])),
  );
}

/** A need of a copied task that its copy does not have. */
export interface LostNeed {
  /** The key of the copied task. */
  task: string;
  need: string;
  /** The document has the task that is needed, but not in an earlier job. */
  exists: boolean;
}

/** The place of a clip: its first lane is the job of this index, or for whole jobs goes before it. */
function placeOf(doc: Doc, clip: Clip, into: string | undefined): number {
  const intoIndex = doc.jobs.findIndex((job) => job.key === into);
  const last = doc.jobs.length - 1;
  if (clip.kind === 'jobs') return (intoIndex < 0 ? last : intoIndex) + 1;
  return Math.max(0, intoIndex < 0 ? last : intoIndex);
}

/** The lane in the clip of each of its tasks. */
const clipLanesOf = (clip: Clip): ReadonlyMap<string, number> =>
  new Map(clip.jobs.flatMap((job, i) => (job.tasks ?? []).map((task) => [task.key, i] as const)));

/** Whether a task in the lane `i` of a clip that is pasted at `first` can keep a need. */
function keepsNeed(doc: Doc, clip: Clip, lanes: ReadonlyMap<string, number>, first: number, i: number, need: string) {
  const clipLane = lanes.get(need);
  if (clipLane !== undefined) return clipLane < i;
  const position = positionsOf(doc).get(need);
  return position !== undefined && position.job < first + (clip.kind === 'jobs' ? 0 : i);
}

/** The needs that tasks of a clip lose if it is pasted into a job. */
export function lostNeeds(doc: Doc, clip: Clip, into?: string): LostNeed[] {
  const first = placeOf(doc, clip, into);
  const lanes = clipLanesOf(clip);
  return clip.jobs.flatMap((job, i) =>
    (job.tasks ?? []).flatMap((task) =>
      (task.needs ?? [])
        .filter((need) => !keepsNeed(doc, clip, lanes, first, i, need))
        .map((need) => ({ task: task.key, need, exists: positionsOf(doc).has(need) })),
    ),
  );
}

/**
 * Pastes a clip. Tasks go into the job `into` and the jobs after it, one job for each copied one; missing jobs are
 * added. Jobs go after the job `into`. Without `into`, the clip goes to the end. Keys that are in use are replaced.
 * Needs and expressions that name a task of the clip name its copy; other needs stay if they name a task of an earlier
 * job: see `lostNeeds`.
 */
export const paste = (doc: Doc, clip: Clip, into?: string): Command | undefined =>
  pasteAt(doc, clip, placeOf(doc, clip, into));

/** Pastes a clip so far down that its tasks keep all needs that name tasks of the document. */
export function pasteBelowNeeds(doc: Doc, clip: Clip, into?: string): Command | undefined {
  const lanes = clipLanesOf(clip);
  const firsts = clip.jobs.flatMap((job, i) =>
    (job.tasks ?? []).flatMap((task) =>
      (task.needs ?? []).flatMap((need) => {
        const position = lanes.has(need) ? undefined : positionsOf(doc).get(need);
        return position ? position.job + 1 - (clip.kind === 'jobs' ? 0 : i) : [];
      }),
    ),
  );
  return pasteAt(doc, clip, Math.max(placeOf(doc, clip, into), ...firsts));
}

function pasteAt(doc: Doc, clip: Clip, first: number): Command | undefined {
  const newKeys = freeKeys(
    doc,
    clip.jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)),
  );
  const lanes = clipLanesOf(clip);
  const tasksFor = (i: number): Task[] =>
    (clip.jobs[i]?.tasks ?? []).map((task) => {
      const needs = (task.needs ?? []).filter((need) => keepsNeed(doc, clip, lanes, first, i, need));
      const renamed = withRenamedTasks(task.needs ? withNeeds(task, needs) : task, newKeys);
      return { ...renamed, key: newKeys.get(task.key) ?? task.key };
    });
  const usedJobKeys = doc.jobs.map((job) => job.key);
  const withFreeKey = (head: JobHead): JobHead => {
    const key = freeKey(usedJobKeys, head.key);
    usedJobKeys.push(key);
    return { ...head, key };
  };
  const ops = clip.jobs.flatMap((job, i): Op[] => {
    const lane = clip.kind === 'jobs' ? undefined : doc.jobs[first + i];
    if (!lane)
      return [{ op: 'job.insert', index: first + i, job: { ...withFreeKey(jobHeadOf(job)), tasks: tasksFor(i) } }];
    return tasksFor(i).map((task, t) => ({
      op: 'task.insert',
      job: lane.key,
      index: (lane.tasks?.length ?? 0) + t,
      task,
    }));
  });
  if (ops.length === 0) return undefined;
  const keys = [...newKeys.values()];
  const label: Label =
    clip.kind === 'jobs'
      ? { kind: 'pasteJobs', params: { count: clip.jobs.length } }
      : keys.length === 1
        ? { kind: 'pasteTask', params: { task: keys.join() } }
        : { kind: 'pasteTasks', params: { count: keys.length } };
  return { label, ops, select: { tasks: keys } };
}
