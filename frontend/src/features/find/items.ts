import type { ShownState } from '@/ui';
import { scoreOf } from './match';

/** The kinds of results, in the order in which they are shown for equal matches. */
export const GROUPS = ['recent', 'action', 'schedule', 'batch', 'task', 'page', 'setting'] as const;
/** The kind of a result. */
export type Group = (typeof GROUPS)[number];

/** A result of the command bar. */
export interface Item {
  id: string;
  group: Group;
  label: string;
  /** Grey, behind the label. */
  detail?: string;
  keys?: string;
  state?: ShownState;
  /** What it is found by, from searchTexts. */
  texts: readonly string[];
  /** The server has found it, so it is shown whatever its texts are. */
  found?: boolean;
  /** It comes after what is found as well as it. */
  secondary?: boolean;
  run: () => void;
}

/** The results of one kind. */
export interface Section {
  group: Group;
  items: readonly Item[];
}

/** How many items of a group are shown. */
const MOST: Readonly<Record<Group, number>> = {
  recent: 6,
  action: 12,
  schedule: 8,
  batch: 6,
  task: 8,
  page: 12,
  setting: 12,
};
/** Without a query, these groups are shown. */
const INITIAL: ReadonlySet<Group> = new Set<Group>(['recent', 'action', 'page']);
/** With a query, visits are found as schedules and batches. */
const ONLY_INITIAL: ReadonlySet<Group> = new Set<Group>(['recent']);

/** The items that a query finds, by group; the group with the best item first, and the best item of each first. */
export function sectionsOf(query: string, items: readonly Item[]): Section[] {
  const text = query.trim();
  const scored = new Map<Group, { item: Item; score: number }[]>();
  for (const item of items) {
    if (text === '' ? !INITIAL.has(item.group) : ONLY_INITIAL.has(item.group)) continue;
    const score = text === '' ? 0 : (scoreOf(text, item.texts) ?? (item.found ? 1 : undefined));
    if (score === undefined) continue;
    const group = scored.get(item.group) ?? [];
    group.push({ item, score: item.secondary ? score - 1 : score });
    scored.set(item.group, group);
  }
  const groups = GROUPS.flatMap((group) => {
    const list = scored.get(group);
    if (!list) return [];
    list.sort((a, b) => b.score - a.score);
    return [{ group, best: list[0]?.score ?? 0, items: list.slice(0, MOST[group]).map(({ item }) => item) }];
  });
  return groups.sort((a, b) => b.best - a.best).map(({ group, items: shown }) => ({ group, items: shown }));
}

/** The number of a batch that a query names, as in `#42` or `42`. */
export function batchNumber(query: string): number | undefined {
  const digits = /^#?([1-9]\d{0,14})$/.exec(query.trim())?.[1];
  return digits === undefined ? undefined : Number(digits);
}
