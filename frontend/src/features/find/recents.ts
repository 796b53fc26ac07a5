/** A schedule or a batch that was visited. */
export type Visit = { kind: 'schedule'; name: string } | { kind: 'batch'; id: number; schedule: string };

const STORAGE_KEY = 'hivego.recents';
/** How many visits are kept. */
export const MAX_RECENTS = 12;

/** The latest visits of a user in this browser, the latest first. Those of another user are not shown. */
export function readRecents(user: string): Visit[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '');
    if (!isRecord(stored) || stored.user !== user || !Array.isArray(stored.list)) return [];
    return stored.list.filter(isVisit).slice(0, MAX_RECENTS);
  } catch {
    return []; // there are none, or somebody else wrote them
  }
}

/** Notes a visit. */
export function noteVisit(user: string, visit: Visit): void {
  const list = [visit, ...readRecents(user).filter((other) => visitId(other) !== visitId(visit))];
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ user, list: list.slice(0, MAX_RECENTS) }));
  } catch {
    // The storage is full: nothing depends on this list.
  }
}

/** The schedule that a user visited last, other than one; undefined if there is none. */
export function lastSchedule(user: string, except: string): string | undefined {
  const names = readRecents(user).flatMap((visit) => (visit.kind === 'schedule' ? visit.name : []));
  return names.find((name) => name !== except);
}

/** Identifies what was visited. */
export function visitId(visit: Visit): string {
  return visit.kind === 'schedule' ? `schedule ${visit.name}` : `batch ${String(visit.id)}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isVisit(value: unknown): value is Visit {
  if (!isRecord(value)) return false;
  if (value.kind === 'schedule') return typeof value.name === 'string' && value.name !== '';
  return value.kind === 'batch' && Number.isSafeInteger(value.id) && typeof value.schedule === 'string';
}
