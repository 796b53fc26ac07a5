import type { OfferedHandler } from '../context';

/** What a typed text means: handlers that fit, and the key that the task is given, if a part of it is no handler. */
export interface Meant {
  handlers: readonly OfferedHandler[];
  key?: string;
}

/** A text is a handler, or the key of the task, or both: `load`, `sql`, `load sql`. Usual handlers come first. */
export function meant(text: string, handlers: readonly OfferedHandler[], usual: readonly string[] = []): Meant {
  const sorted = [...handlers].sort((a, b) => rank(usual, a.name) - rank(usual, b.name));
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (words.length === 0) return { handlers: sorted };
  const whole = fitting(sorted, text.trim());
  if (whole.length > 0) return { handlers: whole, key: undefined };
  const last = words.length > 1 ? fitting(sorted, words.at(-1) ?? '') : [];
  if (last.length > 0) return { handlers: last, key: keyOf(words.slice(0, -1)) };
  return { handlers: sorted, key: keyOf(words) };
}

const rank = (usual: readonly string[], name: string) => {
  const at = usual.indexOf(name);
  return at < 0 ? usual.length : at;
};

function fitting(handlers: readonly OfferedHandler[], text: string): OfferedHandler[] {
  const low = text.toLowerCase();
  const begins = (one: OfferedHandler) =>
    one.name.toLowerCase().startsWith(low) || Boolean(one.title?.toLowerCase().startsWith(low));
  const holds = (one: OfferedHandler) =>
    low.length > 1 && (one.name.toLowerCase().includes(low) || Boolean(one.title?.toLowerCase().includes(low)));
  return [...handlers.filter(begins), ...handlers.filter((one) => !begins(one) && holds(one))];
}

/** Words as a key: letters, digits, `_` and `-`, beginning with a letter or digit; undefined if nothing is left of them. */
function keyOf(words: readonly string[]): string | undefined {
  return (
    words
      .join('_')
      .replace(/[^A-Za-z0-9_-]+/g, '')
      .replace(/^[_-]+/, '')
      .slice(0, 63) || undefined
  );
}

/** How many executors offer a handler that can be reached. */
export const offeredBy = ({ groups }: OfferedHandler): number => Object.values(groups).reduce((sum, n) => sum + n, 0);

/** The handlers of a document, those of most tasks first. */
export function usualIn(handlers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of handlers) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}
