import { freeKey, withNeeds } from './commands';
import { isEqual, hasSameItems } from './equal';
import { headOf, jobHeadOf, jobOf, jobOfTask, ordered, positionsOf, tasksOf, taskOf } from './ops';
import { applyRenames, type Renames, renamesOf, isUnchanged } from './renames';
import { mergeFields, type OnConflict, mergeOrder, mergeSets, mergeValue } from './threeway';
import { type Doc, foldCase, type Head, type JobHead, hasUniqueKeys, type Task } from './types';

/**
 * A thing that both sides changed. The merged document has my side, or the changed side if the other one removed it.
 */
export interface Conflict {
  /** The unique path of the thing: `tasks.load.params.command`, `jobs.extract`, `policy.timeout`. */
  path: string;
  task?: string;
  job?: string;
  /**
   * The field. For a task, `job` is the key of its job; without a task and a job, `order` is the order of the jobs.
   * Undefined where one side removed a whole task or job, and the other one changed or needed it.
   */
  field?: string;
  /** The path of the field, one name for each step. */
  at: readonly string[];
  /** The values of the sides; undefined where the thing does not exist. */
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

/** The result of a merge. */
export interface Merged {
  doc: Doc;
  conflicts: Conflict[];
}

/**
 * Merges two documents that were made from a third. A change of one side alone is adopted. Where both sides changed the
 * same thing in different ways there is a conflict with all versions; the document has one of them. Tasks and jobs are
 * matched by their keys, renamed ones too. Needs are merged as sets, objects field by field. The keys of the result are
 * unique.
 */
export function merge(base: Doc, mine: Doc, theirs: Doc): Merged {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return { doc: mine, conflicts: [] };
  if (isEqual(base, mine)) return { doc: theirs, conflicts: [] };
  return new Merge(base, mine, theirs).run();
}

class Merge {
  private readonly conflicts: Conflict[] = [];
  /** Where both sides moved a task to different jobs: these jobs. Both stay, since the author may choose either. */
  private readonly contestedJobs = new Set<string>();
  private base: Doc;
  private mine: Doc;
  private theirs: Doc;

  constructor(base: Doc, mine: Doc, theirs: Doc) {
    [this.base, this.mine, this.theirs] = [ordered(base), ordered(mine), ordered(theirs)];
    this.alignNames();
  }

  run(): Merged {
    const tasks = this.tasks();
    const jobKeys = new Map([...tasks.keys()].map((key) => [key, this.mergedJobOf(key)]));
    const heads = this.jobs(new Set([...jobKeys.values(), ...this.contestedJobs]));
    const keysOf = (doc: Doc) => doc.jobs.map((job) => job.key);
    const order = mergeOrder(keysOf(this.base), keysOf(this.mine), keysOf(this.theirs), new Set(heads.keys()), () => {
      this.addConflict(
        { field: 'order', path: 'jobs' },
        ['order'],
        keysOf(this.base),
        keysOf(this.mine),
        keysOf(this.theirs),
      );
    });
    const taskKeysIn = (doc: Doc, job: string) => (jobOf(doc, job)?.tasks ?? []).map((task) => task.key);
    const lanes = new Map(order.map((key) => [key, new Set<string>()]));
    for (const [task, job] of jobKeys) lanes.get(job)?.add(task);
    const jobs = order.map((key) => {
      const taskOrder = mergeOrder(
        taskKeysIn(this.base, key),
        taskKeysIn(this.mine, key),
        taskKeysIn(this.theirs, key),
        lanes.get(key) ?? new Set(),
      );
      return { ...(heads.get(key) ?? { key }), tasks: taskOrder.flatMap((task) => tasks.get(task) ?? []) };
    });
    const doc = separateKeys({ ...this.head(), jobs });
    return {
      doc: isEqual(doc, this.mine) ? this.mine : isEqual(doc, this.theirs) ? this.theirs : doc,
      conflicts: this.conflicts,
    };
  }

  private addConflict(
    what: Pick<Conflict, 'path' | 'task' | 'job' | 'field'>,
    at: readonly string[],
    base: unknown,
    mine: unknown,
    theirs: unknown,
  ): void {
    this.conflicts.push({ ...what, at, base, mine, theirs });
  }

  private readonly conflictIn =
    (what: Pick<Conflict, 'task' | 'job'>, path: string): OnConflict =>
    (at, base, mine, theirs) => {
      this.addConflict(
        { ...what, path: [...(path ? [path] : []), ...at].join('.'), field: at.join('.') },
        at,
        base,
        mine,
        theirs,
      );
    };

  /** Applies the renames of one side to all sides, so that tasks and jobs have the same keys everywhere. */
  private alignNames(): void {
    const [ours, others] = [renamesOf(this.base, this.mine), renamesOf(this.base, this.theirs)];
    const noRenames = (): Renames => ({ tasks: new Map(), jobs: new Map() });
    const [inBase, inMine, inTheirs] = [noRenames(), noRenames(), noRenames()];
    for (const kind of ['tasks', 'jobs'] as const) {
      const names = (doc: Doc) =>
        new Set((kind === 'jobs' ? doc.jobs.map((job) => job.key) : [...positionsOf(doc).keys()]).map(foldCase));
      const [mine, theirs] = [names(this.mine), names(this.theirs)];
      for (const [from, to] of ours[kind]) {
        const other = others[kind].get(from) ?? from;
        if (other === to) inBase[kind].set(from, to);
        else if (theirs.has(foldCase(other)) && (foldCase(other) === foldCase(to) || !theirs.has(foldCase(to)))) {
          inBase[kind].set(from, to);
          inTheirs[kind].set(other, to);
          if (other === from) continue;
          const what = kind === 'tasks' ? { task: to, path: `tasks.${to}.key` } : { job: to, path: `jobs.${to}.key` };
          this.addConflict({ ...what, field: 'key' }, ['key'], from, to, other);
        }
      }
      for (const [from, to] of others[kind]) {
        if (
          ours[kind].has(from) ||
          !mine.has(foldCase(from)) ||
          (mine.has(foldCase(to)) && foldCase(from) !== foldCase(to))
        )
          continue;
        inBase[kind].set(from, to);
        inMine[kind].set(from, to);
      }
    }
    [this.base, this.mine, this.theirs] = [
      applyRenames(this.base, inBase),
      applyRenames(this.mine, inMine),
      applyRenames(this.theirs, inTheirs),
    ];
  }

  private head(): Head {
    return mergeFields<Head>(headOf(this.base), headOf(this.mine), headOf(this.theirs), this.conflictIn({}, ''), [], {
      triggers: mergeTriggers,
    });
  }

  /** The tasks that stay, by key, in no order. */
  private tasks(): Map<string, Task> {
    const keys = new Set([...tasksOf(this.mine), ...tasksOf(this.theirs)].map((task) => task.key));
    const [ours, others] = [newlyNeeded(this.base, this.mine), newlyNeeded(this.base, this.theirs)];
    const staying = new Set<string>(); // removed by one side only
    const removed = new Set<string>();
    for (const key of keys) {
      const [base, mine, theirs] = [taskOf(this.base, key), taskOf(this.mine, key), taskOf(this.theirs, key)];
      const present = mine ?? theirs;
      if (!base || !present || (mine && theirs)) continue;
      const side = mine ? this.mine : this.theirs;
      const changed = !isUnchanged(base, present, side) || this.moved(key, side) || (mine ? ours : others).has(key);
      (changed ? staying : removed).add(key);
      if (changed) this.addConflict({ task: key, path: `tasks.${key}` }, [], base, mine, theirs);
    }
    return new Map([...keys].flatMap((key) => (removed.has(key) ? [] : [[key, this.task(key, staying)] as const])));
  }

  private moved(key: string, side: Doc): boolean {
    return jobOfTask(side, key)?.key !== jobOfTask(this.base, key)?.key;
  }

  private task(key: string, staying: ReadonlySet<string>): Task {
    const [base, mine, theirs] = [this.base, this.mine, this.theirs].map((doc) => taskOf(doc, key));
    // The side that removed a task also removed the needs that name it. If the task stays, so do these needs.
    const needsOf = (task: Task, side: Doc) => [
      ...(task.needs ?? []),
      ...(base?.needs ?? []).filter((need) => staying.has(need) && !taskOf(side, need) && !task.needs?.includes(need)),
    ];
    if (!mine || !theirs) {
      const [present, side] = mine ? [mine, this.mine] : [theirs, this.theirs];
      if (!present) throw new Error(`there is no task ${key}`);
      const needs = needsOf(present, side);
      return hasSameItems(needs, present.needs) ? present : withNeeds(present, needs);
    }
    return mergeFields<Task>(base ?? {}, mine, theirs, this.conflictIn({ task: key }, `tasks.${key}`), [], {
      needs: (was) => {
        const needs = mergeSets(was ?? [], needsOf(mine, this.mine), needsOf(theirs, this.theirs));
        return needs.length === 0 ? undefined : isEqual(needs, mine.needs) ? mine.needs : needs;
      },
    });
  }

  /** The job that a task is in. */
  private mergedJobOf(key: string): string {
    const [base, mine, theirs] = [this.base, this.mine, this.theirs].map((doc) => jobOfTask(doc, key)?.key);
    if (mine === undefined || theirs === undefined) return mine ?? theirs ?? '';
    return mergeValue(
      base,
      mine,
      theirs,
      (...conflict) => {
        this.contestedJobs.add(mine).add(theirs);
        this.conflictIn({ task: key }, `tasks.${key}`)(...conflict);
      },
      ['job'],
    ) as string;
  }

  /** The jobs that stay, without their tasks. A job stays if one of its tasks does. */
  private jobs(used: ReadonlySet<string>): Map<string, JobHead> {
    const out = new Map<string, JobHead>();
    for (const key of new Set([...this.mine.jobs, ...this.theirs.jobs].map((job) => job.key))) {
      const [base, mine, theirs] = [this.base, this.mine, this.theirs].map((doc) => {
        const job = jobOf(doc, key);
        return job && jobHeadOf(job);
      });
      const present = mine ?? theirs;
      if (!present) continue;
      if (mine && theirs)
        out.set(key, mergeFields<JobHead>(base ?? {}, mine, theirs, this.conflictIn({ job: key }, `jobs.${key}`)));
      else if (!base) out.set(key, present);
      else if (!isEqual(base, present) || used.has(key)) {
        out.set(key, present);
        this.addConflict({ job: key, path: `jobs.${key}` }, [], base, mine, theirs);
      }
    }
    return out;
  }
}

/** Tasks that are needed by a task that did not need them before. */
function newlyNeeded(base: Doc, side: Doc): ReadonlySet<string> {
  return new Set(
    tasksOf(side).flatMap((task) => {
      const before = taskOf(base, task.key)?.needs;
      return before === task.needs ? [] : (task.needs ?? []).filter((need) => !before?.includes(need));
    }),
  );
}

type Triggers = NonNullable<Doc['triggers']>;

/** Merges triggers as a set: a changed trigger counts as another one. */
function mergeTriggers(base: Triggers = [], mine: Triggers = [], theirs: Triggers = []): Triggers | undefined {
  const texts = (list: Triggers) => [...new Set(list.map((trigger) => JSON.stringify(trigger)))];
  const byText = new Map([...mine, ...theirs].map((trigger) => [JSON.stringify(trigger), trigger]));
  const order = mergeOrder(
    texts(base),
    texts(mine),
    texts(theirs),
    new Set(mergeSets(texts(base), texts(mine), texts(theirs))),
  );
  const list = order.flatMap((text) => byText.get(text) ?? []);
  return list.length > 0 ? list : undefined;
}

/** Makes a document from the server editable: sets missing keys, and changes keys that are not unique. */
export function repairKeys(doc: Doc): Doc {
  if (hasUniqueKeys(doc)) return doc;
  const withKey = <X extends { key: string }>(item: X, word: string): X =>
    typeof item.key === 'string' && item.key !== '' ? item : { ...item, key: word };
  const jobs = Array.isArray(doc.jobs) ? doc.jobs : [];
  const used = { jobs: new Set<string>(), tasks: new Set<string>() };
  const withFreeKey = <X extends { key: string }>(item: X, among: Set<string>): X => {
    const key = freeKey([...among], item.key);
    among.add(key);
    return key === item.key ? item : { ...item, key };
  };
  return {
    ...doc,
    jobs: jobs.map((job) => ({
      ...withFreeKey(withKey(job, 'job'), used.jobs),
      tasks: (job.tasks ?? []).map((task) => withFreeKey(withKey(task, 'task'), used.tasks)),
    })),
  };
}

/** Renames tasks and jobs whose keys differ only in case. Each side may have added one of them. */
function separateKeys(doc: Doc): Doc {
  if (hasUniqueKeys(doc)) return doc;
  const names: Renames = { tasks: new Map(), jobs: new Map() };
  for (const [kind, keys] of [
    ['tasks', tasksOf(doc).map((task) => task.key)],
    ['jobs', doc.jobs.map((job) => job.key)],
  ] as const) {
    const usedKeys: string[] = [];
    for (const key of keys) {
      const duplicate = usedKeys.some((other) => foldCase(other) === foldCase(key));
      const free = duplicate ? freeKey([...usedKeys, ...keys], key) : key;
      if (duplicate) names[kind].set(key, free);
      usedKeys.push(free);
    }
  }
  return applyRenames(doc, names);
}
