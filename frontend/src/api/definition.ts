/** The comments of an object of the document. They are stored with the object, but not shown or changed here. */
export interface Commented {
  '#'?: unknown;
}

/** The document of a schedule as JSON. docs/schedule.md describes the fields. Durations are texts such as `10m`. */
export interface Definition extends Commented {
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
    /** Limits of the past: the newest batches, days of batches, days of logs. Left out: the server's; 0: none. */
    keep?: { batches?: number; days?: number; logs?: number };
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
export interface DefinitionJob extends Commented {
  key: string;
  title?: string;
  description?: string;
  timeout?: string;
  tasks?: DefinitionTask[];
}

/** Which outcomes of its needs let a task run. Without a rule, `all_success` applies. */
export type Rule = 'all_success' | 'all_done' | 'one_success' | 'one_failed' | 'all_failed';

/** A task. Its key is unique in the schedule. */
export interface DefinitionTask extends Commented {
  key: string;
  title?: string;
  description?: string;
  handler: string;
  group?: string;
  executor?: string;
  labels?: Record<string, string>;
  params?: Record<string, unknown>;
  /** Keys of tasks of earlier jobs. An empty list means all of them. */
  needs?: string[];
  rule?: Rule;
  allowFailure?: boolean;
  disabled?: boolean;
  when?: string;
  retry?: { max?: number; delay?: string; backoff?: number; maxDelay?: string };
  timeout?: string;
  killGrace?: string;
  priority?: number;
  onLost?: { do?: 'retry' | 'hold' | 'fail'; max?: number };
}
