import type { TaskGraph } from '@/graph';

/**
 * The short names of tasks, for tiles: without the beginning that all tasks of a job share. Only whole words are left
 * out, so that `load_us_1` and `load_us_2` are `us_1` and `us_2` beside `load_de_1`.
 */
export function shortNames(graph: TaskGraph): ReadonlyMap<string, string> {
  return new Map(
    graph.jobs.flatMap(({ tasks }) => {
      const names = tasks.map(({ key, title }) => title ?? key);
      const shared = sharedWords(names);
      return tasks.map(({ key }, i): [string, string] => [key, (names[i] ?? key).slice(shared) || key]);
    }),
  );
}

/** The length of the words that all names begin with. */
function sharedWords(names: readonly string[]): number {
  const [first = '', ...others] = names;
  if (others.length === 0) return 0;
  let length = first.length;
  for (const name of others) {
    let same = 0;
    while (same < length && name[same] === first[same]) same++;
    length = same;
  }
  return first.slice(0, length).search(/[^_\-./ :]*$/);
}

/** A name in the room of so many letters. A name that ends with a digit keeps its end, others their beginning. */
export function cutName(name: string, letters: number): string {
  if (name.length <= letters) return name;
  if (letters < 3) return '';
  return /\d$/.test(name) ? `…${name.slice(1 - letters)}` : `${name.slice(0, letters - 1)}…`;
}
