import { type FieldFault, isKey, isName, isParam, isSite, MAX } from './faults';
import type { Doc, Job, Task } from './types';

// Faults of the fields of one object, which do not depend on the rest of the document. Those of a task are found once.

const RULES = ['all_success', 'all_done', 'one_success', 'one_failed', 'all_failed'];

/** The faults of the schedule's own fields. */
export function headFaults(doc: Doc): FieldFault[] {
  const out: FieldFault[] = [];
  const put = putter(out);
  if (doc.apiVersion !== 'hivego/v1')
    put('bad_api_version', 'apiVersion', 'bad_api_version', { value: text(doc.apiVersion) });
  if (doc.kind !== 'Schedule') put('bad_kind', 'kind', 'bad_kind', { value: text(doc.kind) });
  if (!isName(text(doc.name))) put('bad_name', 'name', 'bad_name', { value: text(doc.name) });
  titled(put, doc.title);
  oneOf(put, 'flow', doc.flow, ['needs', 'strict']);
  triggers(put, doc.triggers ?? []);
  policy(put, doc.policy ?? {});
  for (const name of Object.keys(doc.params ?? {}).sort()) param(put, name, doc.params?.[name]);
  return out;
}

function policy(put: Put, { timeout, expire, overlap, catchUp, maxBatches }: NonNullable<Doc['policy']>): void {
  lasting(put, 'policy.timeout', timeout);
  lasting(put, 'policy.expire', expire);
  oneOf(put, 'policy.overlap', overlap, ['allow', 'skip', 'queue', 'replace']);
  oneOf(put, 'policy.catchUp.mode', catchUp?.mode, ['all', 'latest', 'none']);
  lasting(put, 'policy.catchUp.grace', catchUp?.grace);
  if (maxBatches === undefined) return;
  if (!Number.isInteger(maxBatches)) put('wrong_type', 'policy.maxBatches', 'not_whole', { value: maxBatches });
  else if (maxBatches < 0) put('out_of_range', 'policy.maxBatches', 'negative_batches', { value: maxBatches });
}

function param(put: Put, name: string, value: unknown): void {
  if (!isParam(name)) put('bad_name', `params.${name}`, 'bad_param', { value: name });
  if (value === null || value === undefined) put('bad_value', `params.${name}`, 'no_value', { value: name });
  else if (typeof value === 'object' || (typeof value === 'number' && !Number.isFinite(value)))
    put('bad_value', `params.${name}`, 'not_scalar', { value: name });
}

function triggers(put: Put, all: NonNullable<Doc['triggers']>): void {
  if (all.length > MAX.triggers) {
    put('too_many_triggers', 'triggers', 'too_many_triggers', { value: all.length, high: MAX.triggers });
    return;
  }
  all.forEach(({ cron, dst }, i) => {
    if (text(cron).trim() === '') put('missing_field', `triggers[${String(i)}].cron`, 'no_cron');
    oneOf(put, `triggers[${String(i)}].dst.gap`, dst?.gap, ['run-after', 'skip']);
    oneOf(put, `triggers[${String(i)}].dst.repeat`, dst?.repeat, ['first', 'last', 'both']);
  });
}

/** The faults of a job's own fields. */
export function jobFaults(job: Job): FieldFault[] {
  const out: FieldFault[] = [];
  const put = putter(out);
  keyed(put, job.key);
  titled(put, job.title);
  lasting(put, 'timeout', job.timeout);
  return out;
}

/** The faults of tasks that were checked before. */
const checked = new WeakMap<Task, readonly FieldFault[]>();

/** The faults of a task's fields, without its needs, condition and handler. */
export function taskFaults(task: Task): readonly FieldFault[] {
  const before = checked.get(task);
  if (before) return before;
  const out: FieldFault[] = [];
  const put = putter(out);
  keyed(put, task.key);
  titled(put, task.title);
  if (!task.handler) put('missing_field', 'handler', 'no_handler');
  placed(put, 'handler', task.handler);
  placed(put, 'group', task.group);
  placed(put, 'executor', task.executor);
  for (const name of Object.keys(task.labels ?? {}).sort()) {
    placed(put, `labels.${name}`, name);
    if (name === '') put('bad_name', 'labels', 'no_label_name');
  }
  oneOf(put, 'rule', task.rule, RULES);
  between(put, 'priority', task.priority, 1, 10);
  lasting(put, 'timeout', task.timeout);
  if (lasting(put, 'killGrace', task.killGrace) === 0) put('out_of_range', 'killGrace', 'zero_grace');
  retry(put, task.retry ?? {});
  oneOf(put, 'onLost.do', task.onLost?.do, ['retry', 'hold', 'fail']);
  between(put, 'onLost.max', task.onLost?.max, 0, MAX.retry);
  checked.set(task, out);
  return out;
}

function retry(put: Put, { max, delay, backoff, maxDelay }: NonNullable<Task['retry']>): void {
  between(put, 'retry.max', max, 0, MAX.retry);
  const shortest = lasting(put, 'retry.delay', delay) ?? 0;
  const longest = lasting(put, 'retry.maxDelay', maxDelay) ?? 0;
  if (backoff !== undefined && !(backoff >= 1 && backoff <= MAX.retry)) {
    put('out_of_range', 'retry.backoff', 'out_of_range', { value: backoff, low: 1, high: MAX.retry });
  }
  if (longest > 0 && longest < shortest)
    put('out_of_range', 'retry.maxDelay', 'short_max_delay', { value: maxDelay ?? '', low: delay ?? '' });
}

type Put = (code: string, field: string, say: FieldFault['say'], params?: FieldFault['params']) => void;

const putter =
  (out: FieldFault[]): Put =>
  (code, field, say, params) =>
    out.push({ code, field, say, ...(params ? { params } : {}) });

/** A value as text; in a document that was written by hand it may be anything. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

function keyed(put: Put, key: string | undefined): void {
  if (!key) put('missing_field', 'key', 'no_key');
  else if (!isKey(key)) put('bad_key', 'key', 'bad_key', { value: key });
}

function titled(put: Put, title: string | undefined): void {
  if (title !== undefined && title.length > MAX.title && [...title].length > MAX.title)
    put('out_of_range', 'title', 'title_too_long', { high: MAX.title });
  const [turns] = /\p{Bidi_Control}/u.exec(title ?? '') ?? [];
  if (turns)
    put('bad_title', 'title', 'title_direction', {
      char: `U+${(turns.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
    });
}

function placed(put: Put, field: string, name: string | undefined): void {
  if (name && !isSite(name)) put('bad_name', field, 'bad_site', { value: name });
}

function oneOf(put: Put, field: string, value: string | undefined, words: readonly string[]): void {
  if (value && !words.includes(value)) put('unknown_value', field, 'unknown_value', { value, known: words.join(', ') });
}

function between(put: Put, field: string, value: number | undefined, low: number, high: number): void {
  if (value === undefined) return;
  if (!Number.isInteger(value)) put('wrong_type', field, 'not_whole', { value: text(value) });
  else if (value < low || value > high) put('out_of_range', field, 'out_of_range', { value, low, high });
}

/** Checks a duration; answers it in milliseconds, or undefined if it is missing or wrong. */
function lasting(put: Put, field: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const read = typeof value === 'string' ? parseDuration(value) : undefined;
  if (read === undefined) put('bad_duration', field, 'bad_duration', { value: text(value) });
  return read;
}

const NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const WHOLE = /^\+?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const MOST = 2 ** 63; // nanoseconds that the server can count

/**
 * Reads a duration such as `30s`, `1h30m`, `2d` or `1d12h`, as the server does: milliseconds, or undefined if it is
 * none.
 */
export function parseDuration(text: string): number | undefined {
  const [, days, rest = ''] = /^(?:(\+?\d{1,10})d)?(.*)$/s.exec(text) ?? [];
  if (days !== undefined && Number(days) > 36_500) return undefined;
  let ns = Number(days ?? 0) * 8.64e13;
  if (rest !== '' || Number(days ?? 0) === 0) {
    if (!WHOLE.test(rest)) return undefined;
    for (const [, amount, unit = ''] of rest.matchAll(PART)) ns += Number(amount) * (NS[unit] ?? 0);
  }
  return ns < MOST ? ns / 1e6 : undefined;
}
