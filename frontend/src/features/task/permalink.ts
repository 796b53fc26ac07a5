/** The address of a line of a log: the page's own, with the task, the attempt and the place of the line in it. */
export function permalink(
  here: { pathname: string; search: string },
  task: string,
  attempt: number,
  offset: number,
): string {
  const search = new URLSearchParams(here.search);
  search.delete('tab');
  search.set('task', asText(task));
  search.set('attempt', String(attempt));
  search.set('at', String(offset));
  return `${here.pathname}?${search.toString()}`;
}

/** The router reads values as JSON where it can: a key that looks like a number must say that it is a text. */
function asText(value: string): string {
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}
