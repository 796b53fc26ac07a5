import type { Defaults } from '@/api/defaults';
import { ROUTES } from '@/api/definition';
import { type FieldFault, isKey, isName, isParam, isResourceName, MAX } from './faults';
import { retryOnFault } from './retryOn';
import { MAX_SELECTOR, wrongTerm } from './selector';
import type { Doc, Job, Task } from './types';

// Faults of the fields of one object, which do not depend on the rest of the document. The faults of a task are cached.

const RULES = ['all_success', 'all_done', 'one_success', 'one_failed', 'all_failed'];

/** The faults of the schedule's own fields. */
export function headFaults(doc: Doc): FieldFault[] {
  const out: FieldFault[] = [];
  const report = reporter(out);
  if (doc.apiVersion !== 'hivego/v1')
    report('bad_api_version', 'apiVersion', 'bad_api_version', { value: text(doc.apiVersion) });
  if (doc.kind !== 'Schedule') report('bad_kind', 'kind', 'bad_kind', { value: text(doc.kind) });
  if (!isName(text(doc.name))) report('bad_name', 'name', 'bad_name', { value: text(doc.name) });
  checkTitle(report, doc.title);
  checkOneOf(report, 'flow', doc.flow, ['needs', 'strict']);
  checkTriggers(report, doc.triggers ?? []);
  checkPolicy(report, doc.policy ?? {});
  for (const name of Object.keys(doc.params ?? {}).sort()) checkParam(report, name, doc.params?.[name]);
  return out;
}

function checkPolicy(
  report: Report,
  { timeout, expire, overlap, catchUp, maxBatches, keep = {}, route }: NonNullable<Doc['policy']>,
): void {
  checkDuration(report, 'policy.timeout', timeout);
  checkDuration(report, 'policy.expire', expire);
  checkOneOf(report, 'policy.overlap', overlap, ['allow', 'skip', 'queue', 'replace']);
  checkOneOf(report, 'policy.catchUp.mode', catchUp?.mode, ['all', 'latest', 'none']);
  checkDuration(report, 'policy.catchUp.grace', catchUp?.grace);
  if (maxBatches !== undefined) {
    if (!Number.isInteger(maxBatches)) report('wrong_type', 'policy.maxBatches', 'not_whole', { value: maxBatches });
    else if (maxBatches < 0) report('out_of_range', 'policy.maxBatches', 'negative_batches', { value: maxBatches });
  }
  checkOneOf(report, 'policy.route', route, ROUTES);
  checkLimit(report, 'policy.keep.batches', keep.batches, MAX.keptBatches);
  checkLimit(report, 'policy.keep.days', keep.days, MAX.keptDays);
  checkLimit(report, 'policy.keep.logs', keep.logs, MAX.keptDays);
}

function checkLimit(report: Report, field: string, value: number | undefined, high: number): void {
  if (value === undefined) return;
  if (!Number.isInteger(value)) report('wrong_type', field, 'not_whole', { value });
  else if (value < 0 || value > high) report('out_of_range', field, 'out_of_range', { value, low: 0, high });
}

function checkParam(report: Report, name: string, value: unknown): void {
  if (!isParam(name)) report('bad_name', `params.${name}`, 'bad_param', { value: name });
  if (value === null || value === undefined) report('bad_value', `params.${name}`, 'no_value', { value: name });
  else if (typeof value === 'object' || (typeof value === 'number' && !Number.isFinite(value)))
    report('bad_value', `params.${name}`, 'not_scalar', { value: name });
}

function checkTriggers(report: Report, all: NonNullable<Doc['triggers']>): void {
  if (all.length > MAX.triggers) {
    report('too_many_triggers', 'triggers', 'too_many_triggers', { value: all.length, high: MAX.triggers });
    return;
  }
  all.forEach((trigger, i) => {
    const { every, jitter, dst, calendar, after = [] } = trigger;
    checkKinds(report, `triggers[${String(i)}]`, trigger);
    after.forEach(({ schedule }, j) => {
      const field = `triggers[${String(i)}].after[${String(j)}].schedule`;
      if (text(schedule) === '') report('missing_field', field, 'missing_upstream', { value: 'schedule' });
      else if (!isName(text(schedule))) report('bad_name', field, 'bad_name', { value: text(schedule) });
    });
    checkDuration(report, `triggers[${String(i)}].every`, every);
    checkDuration(report, `triggers[${String(i)}].jitter`, jitter);
    checkOneOf(report, `triggers[${String(i)}].dst.gap`, dst?.gap, ['run-after', 'skip']);
    checkOneOf(report, `triggers[${String(i)}].dst.repeat`, dst?.repeat, ['first', 'last', 'both']);
    checkOneOf(report, `triggers[${String(i)}].calendar.on`, calendar?.on, ['workdays', 'holidays', 'all']);
    checkOneOf(report, `triggers[${String(i)}].calendar.otherwise`, calendar?.otherwise, ['skip', 'next', 'previous']);
  });
}

/** Checks that a trigger has one of the fields that make it fire, and none that exclude each other. */
function checkKinds(report: Report, field: string, trigger: NonNullable<Doc['triggers']>[number]): void {
  const { cron, at, every, from, webhook, after = [] } = trigger;
  const has = (value: unknown) => text(value) !== '';
  if (has(at) && has(cron)) report('bad_trigger', `${field}.at`, 'cron_and_at');
  if (has(from) && !has(every)) report('bad_trigger', `${field}.every`, 'from_alone');
  const fires = has(at) || has(every) || has(from) || has(webhook) || after.length > 0 || text(cron).trim() !== '';
  if (!fires) report('missing_field', `${field}.cron`, 'no_cron');
}

/** The faults of a job's own fields. */
export function jobFaults(job: Job): FieldFault[] {
  const out: FieldFault[] = [];
  const report = reporter(out);
  checkKey(report, job.key);
  checkTitle(report, job.title);
  checkDuration(report, 'timeout', job.timeout);
  if (job.defaults) checkCommon(report, 'defaults.', job.defaults);
  return out;
}

/** The faults of the tasks that have been checked. */
const faultCache = new WeakMap<Task, readonly FieldFault[]>();

/** The faults of a task's fields, without its needs, condition and handler. */
export function taskFaults(task: Task): readonly FieldFault[] {
  const cached = faultCache.get(task);
  if (cached) return cached;
  const out: FieldFault[] = [];
  const report = reporter(out);
  checkKey(report, task.key);
  checkTitle(report, task.title);
  if (!task.handler) report('missing_field', 'handler', 'no_handler');
  checkResourceName(report, 'handler', task.handler);
  checkCommon(report, '', task);
  checkResourceName(report, 'executor', task.executor);
  for (const name of Object.keys(task.labels ?? {}).sort()) {
    checkResourceName(report, `labels.${name}`, name);
    if (name === '') report('bad_name', 'labels', 'no_label_name');
  }
  checkRouting(report, task);
  checkSharding(report, task);
  checkOneOf(report, 'rule', task.rule, RULES);
  checkPool(report, task.pool);
  faultCache.set(task, out);
  return out;
}

/** Checks the fields of a task that may have defaults, or the defaults of a job. */
function checkCommon(to: Report, prefix: string, fields: Defaults): void {
  const report: Report = (code, field, textKey, params) => to(code, prefix + field, textKey, params);
  checkResourceName(report, 'group', fields.group);
  checkRange(report, 'priority', fields.priority, 1, 10);
  checkDuration(report, 'timeout', fields.timeout);
  if (checkDuration(report, 'killGrace', fields.killGrace) === 0) report('out_of_range', 'killGrace', 'zero_grace');
  checkRetry(report, fields.retry ?? {});
  checkOneOf(report, 'onLost.do', fields.onLost?.do, ['retry', 'hold', 'fail']);
  checkRange(report, 'onLost.max', fields.onLost?.max, 0, MAX.retry);
}

function checkPool(report: Report, pool: Task['pool']): void {
  if (!pool) return;
  if (!pool.name) report('missing_field', 'pool.name', 'no_pool_name');
  checkResourceName(report, 'pool.name', pool.name);
  checkRange(report, 'pool.slots', pool.slots, 1, MAX.slots);
}

function checkRouting(report: Report, { selector, route, reject = {} }: Task): void {
  const wrong = wrongTerm(text(selector));
  if ([...text(selector)].length > MAX_SELECTOR)
    report('out_of_range', 'selector', 'selector_long', { high: MAX_SELECTOR });
  else if (wrong !== undefined) report('bad_value', 'selector', 'selector_bad', { value: wrong });
  checkOneOf(report, 'route', route, ROUTES);
  checkRange(report, 'reject.max', reject.max, 0, MAX.rejects);
  checkDuration(report, 'reject.interval', reject.interval);
}

function checkSharding(report: Report, { shard, executor }: Task): void {
  if (shard === 'broadcast') {
    if (executor) report('bad_value', 'shard', 'shard_pinned', { value: executor });
    return;
  }
  checkRange(report, 'shard.count', shard?.count, 1, MAX.shards);
  if (shard && shard.count === undefined && text(shard.over).trim() === '')
    report('bad_value', shard.over === undefined ? 'shard' : 'shard.over', 'shard_empty');
  if (shard?.count !== undefined && shard.over) report('bad_value', 'shard', 'shard_two');
}

function checkRetry(report: Report, { max, delay, backoff, maxDelay, jitter, on }: NonNullable<Task['retry']>): void {
  checkRange(report, 'retry.max', max, 0, MAX.retry);
  const shortest = checkDuration(report, 'retry.delay', delay) ?? 0;
  const longest = checkDuration(report, 'retry.maxDelay', maxDelay) ?? 0;
  if (backoff !== undefined && !(backoff >= 1 && backoff <= MAX.retry)) {
    report('out_of_range', 'retry.backoff', 'out_of_range', { value: backoff, low: 1, high: MAX.retry });
  }
  if (longest > 0 && longest < shortest)
    report('out_of_range', 'retry.maxDelay', 'short_max_delay', { value: maxDelay ?? '', low: delay ?? '' });
  if (jitter !== undefined && !(jitter >= 0 && jitter <= 1))
    report('out_of_range', 'retry.jitter', 'retry_jitter', { value: jitter });
  const wrong = retryOnFault(text(on));
  if (wrong) report(wrong.code, 'retry.on', wrong.textKey, wrong.params);
}

type Report = (code: string, field: string, textKey: FieldFault['textKey'], params?: FieldFault['params']) => void;

const reporter =
  (out: FieldFault[]): Report =>
  (code, field, textKey, params) =>
    out.push({ code, field, textKey, ...(params ? { params } : {}) });

/** A value as text. In a document that was written by hand it may have any type. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function checkKey(report: Report, key: string | undefined): void {
  if (!key) report('missing_field', 'key', 'no_key');
  else if (!isKey(key)) report('bad_key', 'key', 'bad_key', { value: key });
}

function checkTitle(report: Report, title: string | undefined): void {
  if (title !== undefined && title.length > MAX.title && [...title].length > MAX.title)
    report('out_of_range', 'title', 'title_too_long', { high: MAX.title });
  const [control] = /\p{Bidi_Control}/u.exec(title ?? '') ?? [];
  if (control)
    report('bad_title', 'title', 'title_direction', {
      char: `U+${(control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    });
}

function checkResourceName(report: Report, field: string, name: string | undefined): void {
  if (name && !isResourceName(name)) report('bad_name', field, 'bad_site', { value: name });
}

function checkOneOf(report: Report, field: string, value: string | undefined, allowed: readonly string[]): void {
  if (value && !allowed.includes(value))
    report('unknown_value', field, 'unknown_value', { value, known: allowed.join(', ') });
}

function checkRange(report: Report, field: string, value: number | undefined, low: number, high: number): void {
  if (value === undefined) return;
  if (!Number.isInteger(value)) report('wrong_type', field, 'not_whole', { value: text(value) });
  else if (value < low || value > high) report('out_of_range', field, 'out_of_range', { value, low, high });
}

/** Checks a duration. Returns it in milliseconds, or undefined if it is missing or wrong. */
function checkDuration(report: Report, field: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const milliseconds = typeof value === 'string' ? parseDuration(value) : undefined;
  if (milliseconds === undefined) report('bad_duration', field, 'bad_duration', { value: text(value) });
  return milliseconds;
}

const NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const WHOLE = /^\+?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const MAX_NANOSECONDS = 2 ** 63; // nanoseconds that the server can count

/**
 * Reads a duration such as `30s`, `1h30m`, `2d` or `1d12h`, as the server does. Returns milliseconds, or undefined for
 * any other text.
 */
export function parseDuration(asText: string): number | undefined {
  const [, days, rest = ''] = /^(?:(\+?\d{1,10})d)?(.*)$/s.exec(asText) ?? [];
  if (days !== undefined && Number(days) > 36_500) return undefined;
  let ns = Number(days ?? 0) * 8.64e13;
  if (rest !== '' || Number(days ?? 0) === 0) {
    if (!WHOLE.test(rest)) return undefined;
    for (const [, amount, unit = ''] of rest.matchAll(PART)) ns += Number(amount) * (NANOSECONDS[unit] ?? 0);
  }
  return ns < MAX_NANOSECONDS ? ns / 1e6 : undefined;
}
