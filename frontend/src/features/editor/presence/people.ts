import type { Schemas } from '@/api/client';

/** Somebody who has the schedule open, beside this window. */
export interface Other {
  name: string;
  /** The user of this window, in another window. */
  self: boolean;
  /** Changes of their draft. */
  changes: number;
  /** The keys of the tasks that they have chosen; empty for the user of this window. */
  tasks: readonly string[];
}

/** The people who have the schedule open, without this window. */
export function othersOf(
  people: readonly Schemas['LivePerson'][],
  me: string | undefined,
  window: number,
): readonly Other[] {
  if (me === undefined) return [];
  return people
    .filter(({ name, windows }) => name !== me || windows.some((other) => other !== window))
    .map(({ name, changes, tasks }) => ({ name, self: name === me, changes, tasks: name === me ? [] : tasks }));
}

/** One or two letters for a name: `ada` and `ada.lovelace@example.com` become AD and AL. */
export function initials(name: string): string {
  const [first = '', second] = (name.split('@')[0] ?? '').split(/[._-]+/).filter(Boolean);
  const letters = second ? `${first.charAt(0)}${second.charAt(0)}` : first.slice(0, 2);
  return (letters || name.slice(0, 2)).toUpperCase();
}

/** The names of those who have chosen a task, by its key: one name a line, so that equal values are the same. */
export function namesByTask(others: readonly Other[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, tasks } of others)
    for (const key of tasks) {
      const before = names.get(key);
      names.set(key, before === undefined ? name : `${before}\n${name}`);
    }
  return names;
}

/** The names of those who have chosen at least one of some tasks, from `namesByTask`; undefined if nobody has. */
export function namesOfAny(chosenBy: ReadonlyMap<string, string>, tasks: ReadonlySet<string>): string | undefined {
  const names = new Set([...chosenBy].flatMap(([task, some]) => (tasks.has(task) ? some.split('\n') : [])));
  return names.size > 0 ? [...names].join('\n') : undefined;
}

/** How many of some people are shown where `room` have a place. The last one takes the place of "+1". */
export const shownCount = (people: number, room: number): number =>
  people === room + 1 ? people : Math.min(people, room);

/** How many initials have room on a card. */
const ON_CARD = 2;

/** The initials for a card: two at most, and how many more there are. */
export function cardInitials(names: readonly string[]): string[] {
  const shown = names.slice(0, ON_CARD).map(initials);
  return names.length > ON_CARD ? [...shown, `+${String(names.length - ON_CARD)}`] : shown;
}

const KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;
/** The server takes so many keys. */
const MAX_TASKS = 20;

/** The chosen tasks that are sent to the server. Invalid keys of the draft are left out. */
export const validTasks = (keys: readonly string[]): string[] =>
  keys.filter((key) => KEY.test(key)).slice(0, MAX_TASKS);
