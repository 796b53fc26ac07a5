/** Milliseconds between the two keys of a sequence. */
export const SEQUENCE_TIME = 1500;

/** The rows of the lists of a page: in each, what opens it. */
function rowTargets(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('#content tbody tr')].flatMap((row) => {
    const target =
      row.querySelector<HTMLElement>('th[scope="row"] :is(a, button)') ??
      row.querySelector<HTMLElement>('td button[aria-pressed]');
    return target ? [target] : [];
  });
}

/** Whether the page shows a list whose rows can be opened. */
export function hasRows(): boolean {
  return rowTargets().length > 0;
}

/** Focuses the row after or before the one that has the focus; without one, the first row. Enter then opens it. */
export function stepRow(by: 1 | -1): boolean {
  const targets = rowTargets();
  const row = document.activeElement?.closest('tr');
  const at = row ? targets.findIndex((target) => row.contains(target)) : -1;
  const next = targets[at < 0 ? 0 : at + by];
  if (!next) return targets.length > 0;
  next.focus({ preventScroll: true });
  next.closest('tr')?.scrollIntoView({ block: 'nearest' });
  return true;
}
