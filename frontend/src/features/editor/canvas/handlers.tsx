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

/** The kinds of handlers that have an icon and a colour; `custom` is every other one. */
export type HandlerKind = 'http' | 'shell' | 'sql' | 'python' | 'custom';

const KINDS: Readonly<Record<string, HandlerKind>> = {
  http: 'http',
  https: 'http',
  rest: 'http',
  webhook: 'http',
  shell: 'shell',
  bash: 'shell',
  sh: 'shell',
  ssh: 'shell',
  powershell: 'shell',
  sql: 'sql',
  mysql: 'sql',
  postgres: 'sql',
  postgresql: 'sql',
  sqlite: 'sql',
  python: 'python',
  py: 'python',
};

/** The kind of a handler by its name. */
export const handlerKind = (handler: string): HandlerKind => KINDS[handler.toLowerCase()] ?? 'custom';

/** The paths of icons in a view box of 16 by 16, all drawn with the same stroke. */
const ICONS: Readonly<Record<HandlerKind, string>> = {
  http: 'M8 2.2a5.8 5.8 0 1 0 .01 0M2.2 8h11.6M8 2.2c-3.3 3.5-3.3 8.1 0 11.6c3.3-3.5 3.3-8.1 0-11.6',
  shell: 'M3 4l4 4-4 4M8.5 12.3H13',
  sql: 'M3 4.3C3 1.7 13 1.7 13 4.3v7.4c0 2.6-10 2.6-10 0zM3 4.3c0 2.6 10 2.6 10 0M3 8c0 2.6 10 2.6 10 0',
  python:
    'M10.4 6.3V4c0-1.2-.9-1.8-2.4-1.8S5.6 2.8 5.6 4v1.8H8M5.6 9.7V12c0 1.2.9 1.8 2.4 1.8s2.4-.6 2.4-1.8v-1.8H8' +
    'M8 5.8H4.2c-1.3 0-2 .8-2 2.2s.7 2.2 2 2.2h1.4M8 10.2h3.8c1.3 0 2-.8 2-2.2s-.7-2.2-2-2.2h-1.4',
  custom: 'M8 1.6l5.6 3.2v6.4L8 14.4l-5.6-3.2V4.8z',
};

/** The icon of a handler: a drawing of its kind, or a hexagon with the first letter of its name. */
export function HandlerBadge({ handler }: { handler: string }) {
  const kind = handlerKind(handler);
  return (
    <svg className={styles.badge} data-kind={kind} viewBox="-4 -4 24 24" aria-hidden="true">
      <path d={ICONS[kind]} />
      {kind === 'custom' && (
        <text x="8" y="10.6" textAnchor="middle">
          {[...handler][0]?.toUpperCase()}
        </text>
      )}
    </svg>
  );
}
