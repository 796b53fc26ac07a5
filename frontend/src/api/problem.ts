import type { TFunction } from 'i18next';
import { ApiError, OfflineError, type Problem, type Schemas } from './client';

interface ProblemText {
  title: string;
  detail: string;
  faults: string[];
}

/**
 * The texts for an error, in the language of the user. The detail is the text for the reason of the problem, or else
 * the untranslated sentence of the server.
 */
export function problemText(error: unknown, t: TFunction<'problems'>): ProblemText {
  if (error instanceof OfflineError) return { title: t('offline.title'), detail: t('offline.detail'), faults: [] };
  if (!(error instanceof ApiError)) {
    return { title: t('title.page'), detail: error instanceof Error ? error.message : String(error), faults: [] };
  }
  const { code, detail, instance, faults = [] } = error.problem;
  const text = reasonText(error.problem, t) || (code === 'internal' && instance ? t('internal', { instance }) : detail);
  return {
    title: t(`title.${code}`, { defaultValue: t('title.invalid') }),
    detail: error.retryAfter ? `${text} ${t('wait', { count: error.retryAfter })}` : text,
    faults: faults.map((f) =>
      [f.line ? `${String(f.line)}:${String(f.column ?? 1)}` : f.path, faultText(f, t)].filter(Boolean).join(' · '),
    ),
  };
}

/**
 * The text for the reason of a problem. Empty if there is none, or if it needs a param that the problem does not have.
 */
function reasonText(problem: Problem, t: TFunction<'problems'>): string {
  const { reason, params = {}, detail } = problem;
  if (!reason) return '';
  const values: Record<string, string> = { ...params, detail };
  if (params.state)
    values.state = String(t(params.state as never, { ns: 'states', defaultValue: params.state } as never));
  const textOf = (key: string) => (options: object) => String(t(key as never, options as never));
  if (reason === 'bad_body' && params.fault) values.detail = fillText(textOf(`body.${params.fault}`), params) || detail;
  return fillText(textOf(`reason.${reason}`), values);
}

/**
 * The text that `text` returns, with `values` in its placeholders. Empty if there is no such text, or if a placeholder
 * has no value.
 */
function fillText(text: (options: object) => string, values: Readonly<Record<string, string | number>>): string {
  const placeholders = text({ defaultValue: '', skipInterpolation: true }).matchAll(/\{\{(\w+)\}\}/g);
  for (const [, name = ''] of placeholders) if (!Object.hasOwn(values, name) || values[name] === '') return '';
  return text({ defaultValue: '', ...values });
}

/**
 * The message and the remedy of a fault as one text, in the language of the user: the text for its reason, or else for
 * its code. If neither has a text, the untranslated message of the server.
 */
export function faultText(fault: Schemas['Fault'], t: TFunction<'problems'>): string {
  return (
    joinSentences(...faultAndRemedy(t, fault)) ||
    String(t(`fault.${fault.code}` as never, { defaultValue: '' } as never)) ||
    joinSentences(fault.message, fault.remedy)
  );
}

/**
 * Joins a message and its remedy: with a space after a sentence, without one after a Chinese sentence, else with a dot.
 */
export function joinSentences(message: string, remedy = ''): string {
  const between = /[。！？]$/.test(message) ? '' : /[.!?]$/.test(message) ? ' ' : ' · ';
  return [message, remedy].filter(Boolean).join(between);
}

/** The message and the remedy for the reason of a fault; both are empty without a text. `t` may be of any namespace. */
export function faultAndRemedy(
  t: unknown,
  { reason, params = {} }: Pick<Schemas['Fault'], 'reason'> & { params?: Readonly<Record<string, string | number>> },
): [string, string] {
  const translate = t as (key: string, options: object) => unknown;
  const text = (key: string, options: object) => String(translate(key, { ...options, ns: 'document' }));
  const values: Record<string, string | number> = { ...params, open: '${{', close: '}}' };
  if (values.got !== undefined)
    values.got = text(`got.${String(values.got)}`, { ...params, defaultValue: String(values.got) });
  if (values.field !== undefined)
    values.field = text(`cronField.${String(values.field)}`, { defaultValue: String(values.field) });
  const part = (name: 'fault' | 'remedy') =>
    reason ? fillText((options) => text(`${name}.${reason}`, options), values) : '';
  const [message, remedy] = [part('fault'), part('remedy')];
  return message && remedy ? [message, remedy] : ['', ''];
}

/**
 * Translates a sentence of the server by its reason. Returns the sentence itself if there is no text for the reason, as
 * for the errors of a database driver. `t` may be of any namespace.
 */
export function translateSentence(sentence: string, why: Schemas['TextReason'] | undefined, t: unknown): string {
  const { reason, params = {} } = why ?? {};
  if (!sentence || !reason) return sentence;
  const quoted = params.because && sentenceText(params.because, params, t);
  return sentenceText(reason, quoted ? { ...params, words: quoted } : params, t) || sentence;
}

/** The text for the reason of a sentence or of a fault; empty if there is none. */
function sentenceText(reason: string, params: Readonly<Record<string, string>>, t: unknown): string {
  const find = t as (key: string, options: object) => unknown;
  const text = fillText((options) => String(find(reason, { ...options, ns: 'sentences' })), params);
  return text || joinSentences(...faultAndRemedy(t, { reason, params }));
}

/** Why a run or an attempt failed, in the language of the user. */
export function errorText(
  { error, errorReason }: { error?: string; errorReason?: Schemas['TextReason'] },
  t: unknown,
): string {
  return translateSentence(error ?? '', errorReason, t);
}

/** Whether the same call may succeed later: the server did not answer, or could not serve the call. */
export function isTransient(error: unknown): boolean {
  return error instanceof OfflineError || (error instanceof ApiError && (error.status >= 500 || error.status === 429));
}
