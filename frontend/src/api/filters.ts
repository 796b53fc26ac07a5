/** What starts batches, beside a person with a name: values of the filter `by`. */
export const STARTERS = ['cron', 'schedule', 'webhook', 'backfill', 'person'] as const;

/** Splits the parameters of a filter, `a=1,b=2`, where `\` stands before a comma or a backslash of a value. */
export function splitParams(text: string | undefined): string[] {
  return (text ?? '').match(/(\\.|[^,\\])+/g)?.map((part) => part.replace(/\\(.)/g, '$1')) ?? [];
}

/** Joins `name=value` texts into one filter. */
export function joinParams(params: readonly string[]): string | undefined {
  return params.map((p) => p.replace(/[\\,]/g, '\\$&')).join(',') || undefined;
}

/** Reads `name=value` texts that a person has separated by `;`. Undefined if one of them is something else. */
export function readParams(text: string): string[] | undefined {
  const params = text
    .split(';')
    .map((p) => p.trim())
    .filter(Boolean);
  return params.every((p) => /^[^=]+=/.test(p)) ? params : undefined;
}
