/** The comments of an object of the document. They are stored with the object, but not shown or changed here. */
export interface Commented {
  '#'?: unknown;
}

/** New attempts after failures: how many, when, and after which. */
export interface DefinitionRetry {
  max?: number;
  delay?: string;
  backoff?: number;
  maxDelay?: string;
  /** The share of a wait by which it may be shorter or longer. */
  jitter?: number;
  /** Exit codes and reasons: `75, 100-110, timeout`. Without any, every failure is repeated. */
  on?: string;
  /** A condition on the failed attempt, which it reads as `outcome`. */
  when?: string;
}

/** A call of a handler after an end. It never changes what it follows. */
export interface DefinitionHook {
  handler: string;
  group?: string;
  params?: Record<string, unknown>;
  timeout?: string;
  retry?: DefinitionRetry;
}

/** What is called after the end of a batch, a job or a task. */
interface Hooks {
  onFailure?: DefinitionHook[];
  onSuccess?: DefinitionHook[];
  onEnd?: DefinitionHook[];
}

/** The document of a schedule as JSON. docs/schedule.md describes the fields. Durations are texts such as `10m`. */
export interface Definition extends Commented, Hooks {
  apiVersion: string;
  kind: string;
  name: string;
  title?: string;
  description?: string;
  /** Words by which rules of alerts select schedules. */
  tags?: string[];
  /** Who answers for the schedule: names or mail addresses. */
  owners?: string[];
  timezone?: string;
  triggers?: DefinitionTrigger[];
  flow?: 'needs' | 'strict';
  policy?: {
    timeout?: string;
    overlap?: 'allow' | 'skip' | 'queue' | 'replace';
    catchUp?: { mode?: 'all' | 'latest' | 'none'; grace?: string };
    expire?: string;
    maxBatches?: number;
    /** The priority of tasks without one: 1 to 10. */
    priority?: number;
    /** Limits of the past: the newest batches, days of batches, days of logs. Left out: the server's; 0: none. */
    keep?: { batches?: number; days?: number; logs?: number };
    /** The route of the tasks without one. Left out: that of their group of executors. */
    route?: Route;
  };
  params?: Record<string, string | number | boolean>;
  jobs: DefinitionJob[];
}

/**
 * A trigger. It has `cron`, `at` for one moment, `every` with `from: end` for a time after the end of the last batch,
 * or `webhook`. `start` and `end` bound a cron, whose days may follow a calendar; `after` may stand with a cron or
 * alone.
 */
export interface DefinitionTrigger {
  cron?: string;
  at?: string;
  every?: string;
  from?: string;
  start?: string;
  end?: string;
  jitter?: string;
  dst?: { gap?: string; repeat?: string };
  calendar?: { name: string; on?: string; otherwise?: string; workday?: number };
  after?: DefinitionUpstream[];
  serial?: boolean;
  webhook?: string;
  /** JSON pointers into the body of a call, by the names of parameters. */
  accept?: Record<string, string>;
}

/** Another schedule that a moment waits for. */
export interface DefinitionUpstream {
  schedule: string;
  /** `all`, `any`, `last(3)` or `first(3)`. Without a policy, `all` applies. */
  policy?: string;
  /** `same_hour`, `same_day`, `last 6h` or `(-3d, 0h]`. */
  window?: string;
}

/** A job. Its key is unique among the jobs of the schedule. */
export interface DefinitionJob extends Commented, Hooks {
  key: string;
  title?: string;
  description?: string;
  /** None of its tasks runs. */
  disabled?: boolean;
  timeout?: string;
  /** Values for the fields that its tasks leave out. */
  defaults?: Pick<DefinitionTask, 'group' | 'retry' | 'timeout' | 'killGrace' | 'priority' | 'onLost'>;
  tasks?: DefinitionTask[];
}

/** Which outcomes of its needs let a task run. Without a rule, `all_success` applies. */
export type Rule = 'all_success' | 'all_done' | 'one_success' | 'one_failed' | 'all_failed';

/** How one of several executors is chosen for a task. */
export type Route = (typeof ROUTES)[number];
/** The routes, the default first. */
export const ROUTES = [
  'least_loaded',
  'round_robin',
  'random',
  'first',
  'last',
  'consistent_hash',
  'lru',
  'lfu',
  'failover',
  'busy_over',
] as const;

/** A task. Its key is unique in the schedule. */
export interface DefinitionTask extends Commented, Hooks {
  key: string;
  title?: string;
  description?: string;
  handler: string;
  group?: string;
  executor?: string;
  labels?: Record<string, string>;
  /** Conditions on the labels of executors: `gpu=a100, zone!=b, disk in (ssd, nvme), !spot`. */
  selector?: string;
  route?: Route;
  /** An expression whose value is the key of the route `consistent_hash`. */
  routeKey?: string;
  /** How often executors may reject the task because they are busy or drain, and the pause after that. */
  reject?: { max?: number; interval?: string };
  params?: Record<string, unknown>;
  /** Keys of tasks of earlier jobs. An empty list means all of them. */
  needs?: string[];
  rule?: Rule;
  allowFailure?: boolean;
  disabled?: boolean;
  when?: string;
  retry?: DefinitionRetry;
  timeout?: string;
  killGrace?: string;
  priority?: number;
  /** The task holds slots of this pool while it runs. */
  pool?: { name: string; slots?: number };
  /** The task is split into shards when it starts: on every executor, into a number, or by the elements of a list. */
  shard?: 'broadcast' | { count?: number; over?: string };
  onLost?: { do?: 'retry' | 'hold' | 'fail'; max?: number };
}

/** The tasks of a definition by key. */
export function tasksOf(definition: Definition | undefined): ReadonlyMap<string, DefinitionTask> {
  return new Map(definition?.jobs.flatMap((job) => job.tasks ?? []).map((task) => [task.key, task]));
}

/** The titles of the tasks that have one, by key. */
export function titlesOf(definition: Definition | undefined): ReadonlyMap<string, string> {
  return new Map(
    [...tasksOf(definition).values()].flatMap((task) => (task.title ? [[task.key, task.title] as const] : [])),
  );
}
