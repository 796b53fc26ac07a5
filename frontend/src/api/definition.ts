/** What a person wrote beside an object of the document. Opaque: it is kept with its object, and never shown. */
export interface Commented {
  '#'?: unknown;
}

/**
 * A schedule's document as JSON, as the API answers it. docs/schedule.md describes the fields. Durations are texts such
 * as `10m`.
 */
export interface Definition extends Commented {
  apiVersion: string;
  kind: string;
  name: string;
  title?: string;
  description?: string;
  timezone?: string;
  triggers?: { cron: string; dst?: { gap?: string; repeat?: string } }[];
  flow?: 'needs' | 'strict';
  policy?: {
    timeout?: string;
    overlap?: 'allow' | 'skip' | 'queue' | 'replace';
    catchUp?: { mode?: 'all' | 'latest' | 'none'; grace?: string };
    expire?: string;
    maxBatches?: number;
  };
  params?: Record<string, string | number | boolean>;
  jobs: DefinitionJob[];
}

/** A job as the API answers it; its key is unique among the jobs of the schedule. */
export interface DefinitionJob extends Commented {
  key: string;
  title?: string;
  description?: string;
  timeout?: string;
  tasks?: DefinitionTask[];
}

/**
 * How the outcomes of the tasks that a task needs decide whether it runs. `all_success` applies if no rule is given.
 */
export type Rule = 'all_success' | 'all_done' | 'one_success' | 'one_failed' | 'all_failed';

/** A task as the API answers it; its key is unique in the whole schedule. */
export interface DefinitionTask extends Commented {
  key: string;
  title?: string;
  description?: string;
  handler: string;
  group?: string;
  executor?: string;
  labels?: Record<string, string>;
  params?: Record<string, unknown>;
  /** Keys of tasks of earlier jobs; none means all of them. */
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
