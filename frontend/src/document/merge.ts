import { freeKey, withNeeds } from './commands';
import { same, sameSet } from './equal';
import { headOf, jobHeadOf, jobOf, jobOfTask, ordered, placesOf, tasksOf, taskOf } from './ops';
import { renamed, type Renames, renamesOf, untouched } from './renames';
import { byField, type Clash, orders, sets, threeWay } from './threeway';
import { type Doc, fold, type Head, type JobHead, sound, type Task } from './types';

/**
 * Both sides changed the same thing. The merged document has my side, or the changed one where the other was removed.
 */
export interface Conflict {
  /** Its unique name, by what it is about: `tasks.load.params.command`, `jobs.extract`, `policy.timeout`. */
  path: string;
  task?: string;
  job?: string;
  /**
   * The field; `job` of a task: the job that it is in; `order` of nothing: the jobs in their order. Undefined where a
   * whole task or job was removed on one side, and changed or needed on the other.
   */
  field?: string;
  /** Where the field is, name by name. */
  at: readonly string[];
  /** Undefined: it is not there on that side. */
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
 * Merges two documents that were made from a third. A change of one side is taken. Where both sides changed the same
 * thing in different ways there is a conflict: it has all versions, the document one. Tasks and jobs are matched by
 * their keys, renamed ones too; needs are sets; objects are merged field by field. The result is `sound`.
 */
export function merge(base: Doc, mine: Doc, theirs: Doc): Merged {
  if (same(mine, theirs) || same(base, theirs)) return { doc: mine, conflicts: [] };
  if (same(base, mine)) return { doc: theirs, conflicts: [] };
  return new Merge(base, mine, theirs).run();
}

class Merge {
  private readonly conflicts: Conflict[] = [];
  /** Jobs that a task is in on one side or the other, where that is a conflict: either may be chosen, so both stay. */
  private readonly choices = new Set<string>();
  private base: Doc;
  private mine: Doc;
  private theirs: Doc;

  constructor(base: Doc, mine: Doc, theirs: Doc) {
    [this.base, this.mine, this.theirs] = [ordered(base), ordered(mine), ordered(theirs)];
    this.alignNames();
  }

  run(): Merged {
    const tasks = this.tasks();
    const laneOf = new Map([...tasks.keys()].map((key) => [key, this.laneOf(key)]));
    const heads = this.jobs(new Set([...laneOf.values(), ...this.choices]));
    const keysOf = (doc: Doc) => doc.jobs.map((job) => job.key);
    const order = orders(keysOf(this.base), keysOf(this.mine), keysOf(this.theirs), new Set(heads.keys()), () => {
      this.clash(
        { field: 'order', path: 'jobs' },
        ['order'],
        keysOf(this.base),
        keysOf(this.mine),
        keysOf(this.theirs),
      );
    });
    const inLane = (doc: Doc, job: string) => (jobOf(doc, job)?.tasks ?? []).map((task) => task.key);
    const lanes = new Map(order.map((key) => [key, new Set<string>()]));
    for (const [task, job] of laneOf) lanes.get(job)?.add(task);
    const jobs = order.map((key) => {
      const row = orders(
        inLane(this.base, key),
        inLane(this.mine, key),
        inLane(this.theirs, key),
        lanes.get(key) ?? new Set(),
      );
      return { ...(heads.get(key) ?? { key }), tasks: row.flatMap((task) => tasks.get(task) ?? []) };
    });
    const doc = distinct({ ...this.head(), jobs });
    return {
      doc: same(doc, this.mine) ? this.mine : same(doc, this.theirs) ? this.theirs : doc,
      conflicts: this.conflicts,
    };
  }

  private clash(
    what: Pick<Conflict, 'path' | 'task' | 'job' | 'field'>,
    at: readonly string[],
    base: unknown,
    mine: unknown,
    theirs: unknown,
  ): void {
    this.conflicts.push({ ...what, at, base, mine, theirs });
  }

  private readonly clashIn =
    (what: Pick<Conflict, 'task' | 'job'>, path: string): Clash =>
    (at, base, mine, theirs) => {
      this.clash(
        { ...what, path: [...(path ? [path] : []), ...at].join('.'), field: at.join('.') },
        at,
        base,
        mine,
        theirs,
      );
    };

  /** Gives what was renamed on one side its new name everywhere, so that it is one thing on all sides. */
  private alignNames(): void {
    const [ours, others] = [renamesOf(this.base, this.mine), renamesOf(this.base, this.theirs)];
    const none = (): Renames => ({ tasks: new Map(), jobs: new Map() });
    const [inBase, inMine, inTheirs] = [none(), none(), none()];
    for (const kind of ['tasks', 'jobs'] as const) {
      const names = (doc: Doc) =>
        new Set((kind === 'jobs' ? doc.jobs.map((job) => job.key) : [...placesOf(doc).keys()]).map(fold));
      const [mine, theirs] = [names(this.mine), names(this.theirs)];
      for (const [from, to] of ours[kind]) {
        const other = others[kind].get(from) ?? from;
        if (other === to) inBase[kind].set(from, to);
        else if (theirs.has(fold(other)) && (fold(other) === fold(to) || !theirs.has(fold(to)))) {
          inBase[kind].set(from, to);
          inTheirs[kind].set(other, to);
          if (other === from) continue;
          const what = kind === 'tasks' ? { task: to, path: `tasks.${to}.key` } : { job: to, path: `jobs.${to}.key` };
          this.clash({ ...what, field: 'key' }, ['key'], from, to, other);
        }
      }
      for (const [from, to] of others[kind]) {
        if (ours[kind].has(from) || !mine.has(fold(from)) || (mine.has(fold(to)) && fold(from) !== fold(to))) continue;
        inBase[kind].set(from, to);
        inMine[kind].set(from, to);
      }
    }
    [this.base, this.mine, this.theirs] = [
      renamed(this.base, inBase),
      renamed(this.mine, inMine),
      renamed(this.theirs, inTheirs),
    ];
  }

  private head(): Head {
    return byField<Head>(headOf(this.base), headOf(this.mine), headOf(this.theirs), this.clashIn({}, ''), [], {
      triggers,
    });
  }

  /** The tasks that stay, by key, in no order. */
  private tasks(): Map<string, Task> {
    const keys = new Set([...tasksOf(this.mine), ...tasksOf(this.theirs)].map((task) => task.key));
    const [ours, others] = [newlyNeeded(this.base, this.mine), newlyNeeded(this.base, this.theirs)];
    const kept = new Set<string>(); // though one side removed them
    const gone = new Set<string>();
    for (const key of keys) {
      const [base, mine, theirs] = [taskOf(this.base, key), taskOf(this.mine, key), taskOf(this.theirs, key)];
      const one = mine ?? theirs;
      if (!base || !one || (mine && theirs)) continue;
      const side = mine ? this.mine : this.theirs;
      const changed = !untouched(base, one, side) || this.moved(key, side) || (mine ? ours : others).has(key);
      (changed ? kept : gone).add(key);
      if (changed) this.clash({ task: key, path: `tasks.${key}` }, [], base, mine, theirs);
    }
    return new Map([...keys].flatMap((key) => (gone.has(key) ? [] : [[key, this.task(key, kept)] as const])));
  }

  private moved(key: string, side: Doc): boolean {
    return jobOfTask(side, key)?.key !== jobOfTask(this.base, key)?.key;
  }

  private task(key: string, kept: ReadonlySet<string>): Task {
    const [base, mine, theirs] = [this.base, this.mine, this.theirs].map((doc) => taskOf(doc, key));
    // The side that removed a task which stays has taken it out of needs only for that.
    const needsOf = (task: Task, side: Doc) => [
      ...(task.needs ?? []),
      ...(base?.needs ?? []).filter((need) => kept.has(need) && !taskOf(side, need) && !task.needs?.includes(need)),
    ];
    if (!mine || !theirs) {
      const [one, side] = mine ? [mine, this.mine] : [theirs, this.theirs];
      if (!one) throw new Error(`there is no task ${key}`);
      const needs = needsOf(one, side);
      return sameSet(needs, one.needs) ? one : withNeeds(one, needs);
    }
    return byField<Task>(base ?? {}, mine, theirs, this.clashIn({ task: key }, `tasks.${key}`), [], {
      needs: (was) => {
        const needs = sets(was ?? [], needsOf(mine, this.mine), needsOf(theirs, this.theirs));
        return needs.length === 0 ? undefined : same(needs, mine.needs) ? mine.needs : needs;
      },
    });
  }

  /** The job that a task is in. */
  private laneOf(key: string): string {
    const [base, mine, theirs] = [this.base, this.mine, this.theirs].map((doc) => jobOfTask(doc, key)?.key);
    if (mine === undefined || theirs === undefined) return mine ?? theirs ?? '';
    return threeWay(
      base,
      mine,
      theirs,
      (...clash) => {
        this.choices.add(mine).add(theirs);
        this.clashIn({ task: key }, `tasks.${key}`)(...clash);
      },
      ['job'],
    ) as string;
  }

  /** The jobs that stay, without their tasks: those in which tasks stay are among them. */
  private jobs(used: ReadonlySet<string>): Map<string, JobHead> {
    const out = new Map<string, JobHead>();
    for (const key of new Set([...this.mine.jobs, ...this.theirs.jobs].map((job) => job.key))) {
      const [base, mine, theirs] = [this.base, this.mine, this.theirs].map((doc) => {
        const job = jobOf(doc, key);
        return job && jobHeadOf(job);
      });
      const one = mine ?? theirs;
      if (!one) continue;
      if (mine && theirs)
        out.set(key, byField<JobHead>(base ?? {}, mine, theirs, this.clashIn({ job: key }, `jobs.${key}`)));
      else if (!base) out.set(key, one);
      else if (!same(base, one) || used.has(key)) {
        out.set(key, one);
        this.clash({ job: key, path: `jobs.${key}` }, [], base, mine, theirs);
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

/** Triggers are a set: a changed trigger is another one. */
function triggers(base: Triggers = [], mine: Triggers = [], theirs: Triggers = []): Triggers | undefined {
  const texts = (list: Triggers) => [...new Set(list.map((trigger) => JSON.stringify(trigger)))];
  const of = new Map([...mine, ...theirs].map((trigger) => [JSON.stringify(trigger), trigger]));
  const order = orders(texts(base), texts(mine), texts(theirs), new Set(sets(texts(base), texts(mine), texts(theirs))));
  const list = order.flatMap((text) => of.get(text) ?? []);
  return list.length > 0 ? list : undefined;
}

/** A document made `sound`, so that one from elsewhere can be edited: missing keys are set, equal ones changed. */
export function mended(doc: Doc): Doc {
  if (sound(doc)) return doc;
  const keyed = <X extends { key: string }>(item: X, word: string): X =>
    typeof item.key === 'string' && item.key !== '' ? item : { ...item, key: word };
  const jobs = Array.isArray(doc.jobs) ? doc.jobs : [];
  const used = { jobs: new Set<string>(), tasks: new Set<string>() };
  const free = <X extends { key: string }>(item: X, among: Set<string>): X => {
    const key = freeKey([...among], item.key);
    among.add(key);
    return key === item.key ? item : { ...item, key };
  };
  return {
    ...doc,
    jobs: jobs.map((job) => ({
      ...free(keyed(job, 'job'), used.jobs),
      tasks: (job.tasks ?? []).map((task) => free(keyed(task, 'task'), used.tasks)),
    })),
  };
}

/** A document whose keys differ in more than case: both sides may have made keys that differ in nothing else. */
function distinct(doc: Doc): Doc {
  if (sound(doc)) return doc;
  const names: Renames = { tasks: new Map(), jobs: new Map() };
  for (const [kind, keys] of [
    ['tasks', tasksOf(doc).map((task) => task.key)],
    ['jobs', doc.jobs.map((job) => job.key)],
  ] as const) {
    const taken: string[] = [];
    for (const key of keys) {
      const duplicate = taken.some((other) => fold(other) === fold(key));
      const free = duplicate ? freeKey([...taken, ...keys], key) : key;
      if (duplicate) names[kind].set(key, free);
      taken.push(free);
    }
  }
  return renamed(doc, names);
}
