import type { OfferedHandler } from '../context';
import styles from './handlers.module.css';

/** The meaning of a typed text: the matching handlers, and a task key if a part of the text names no handler. */
interface HandlerQuery {
  handlers: readonly OfferedHandler[];
  key?: string;
}

/** A text names the key of a task, a handler, or both: `load`, `sql`, `load sql`. Handlers in `usual` come first. */
export function searchHandlers(
  text: string,
  handlers: readonly OfferedHandler[],
  usual: readonly string[] = [],
): HandlerQuery {
  const sorted = [...handlers].sort((a, b) => rank(usual, a.name) - rank(usual, b.name));
  const parts = text.trim().split(/\s+/).filter(Boolean);
  if (parts.length === 0) return { handlers: sorted };
  const matches = matching(sorted, text.trim());
  if (matches.length > 0) return { handlers: matches, key: undefined };
  const lastMatches = parts.length > 1 ? matching(sorted, parts.at(-1) ?? '') : [];
  if (lastMatches.length > 0) return { handlers: lastMatches, key: keyOf(parts.slice(0, -1)) };
  return { handlers: sorted, key: keyOf(parts) };
}

const rank = (usual: readonly string[], name: string) => {
  const at = usual.indexOf(name);
  return at < 0 ? usual.length : at;
};

/** Handlers that begin with a text, then those that contain it. */
function matching(handlers: readonly OfferedHandler[], text: string): OfferedHandler[] {
  const low = text.toLowerCase();
  const startsWithText = (one: OfferedHandler) =>
    one.name.toLowerCase().startsWith(low) || Boolean(one.title?.toLowerCase().startsWith(low));
  const contains = (one: OfferedHandler) =>
    low.length > 1 && (one.name.toLowerCase().includes(low) || Boolean(one.title?.toLowerCase().includes(low)));
  return [...handlers.filter(startsWithText), ...handlers.filter((one) => !startsWithText(one) && contains(one))];
}

/**
 * Joins parts of a text to a key: letters, digits, `_` and `-`, beginning with a letter or digit. Undefined if nothing
 * remains.
 */
function keyOf(parts: readonly string[]): string | undefined {
  return (
    parts
      .join('_')
      .replace(/[^A-Za-z0-9_-]+/g, '')
      .replace(/^[_-]+/, '')
      .slice(0, 63) || undefined
  );
}

/** How many reachable executors offer a handler. */
export const executorCount = ({ groups }: OfferedHandler): number =>
  Object.values(groups).reduce((sum, n) => sum + n, 0);

/** The different handlers of a list, the most frequent first. */
export function byUse(handlers: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of handlers) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** The badges of common handlers for which the first letters of the name are less clear. */
const BADGES: Readonly<Record<string, string>> = { shell: 'sh', http: 'web', python: 'py', javascript: 'js' };

/** The badge of a handler: three letters at most, usually the beginning of its name. */
export function HandlerBadge({ handler }: { handler: string }) {
  const text = BADGES[handler] ?? [...handler].slice(0, 3).join('');
  // Three full-width letters do not fit, so they are clipped. Other badges get no clip, because each clip costs time.
  return (
    <span className={styles.badge} data-cut={/[^ -~]/.test(text) || undefined} aria-hidden="true">
      {text}
    </span>
  );
}
