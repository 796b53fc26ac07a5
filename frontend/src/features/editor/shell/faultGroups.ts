import { type DocFault, faultKind, type FaultKind } from '@/document';

/** A fault with its texts. */
export interface FaultTexts {
  fault: DocFault;
  /** The label of its field. */
  at?: string;
  message: string;
  remedy?: string;
}

/** Equal faults of several tasks. */
export interface FaultGroup extends Omit<FaultTexts, 'fault'> {
  kind: FaultKind;
  faults: readonly DocFault[];
}

const ORDER: readonly FaultKind[] = ['wrong', 'empty', 'warning'];

/**
 * Groups the faults of tasks that say the same of the same field; each other fault is a group of its own. Wrong fields
 * come first, then empty ones, then warnings.
 */
export function groupFaults(all: readonly FaultTexts[]): FaultGroup[] {
  const groups = new Map<string, FaultGroup & { faults: DocFault[] }>();
  for (const { fault, ...texts } of all) {
    const kind = faultKind(fault);
    const shared = [kind, texts.at, texts.message, texts.remedy].join('\n');
    const key = fault.task === undefined ? `${shared}\n${fault.path}` : shared;
    const group = groups.get(key);
    if (group) group.faults.push(fault);
    else groups.set(key, { ...texts, kind, faults: [fault] });
  }
  return [...groups.values()].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

/** The number of faults of each kind. */
export function countKinds(faults: readonly DocFault[]): Record<FaultKind, number> {
  const counts = { wrong: 0, empty: 0, warning: 0 };
  for (const fault of faults) counts[faultKind(fault)]++;
  return counts;
}

/** A walk through equal faults of several tasks: the fields are filled in one after another. */
export interface Walk {
  /** The label of the field. */
  at?: string;
  faults: readonly DocFault[];
  /** The fault that the walk begins with. */
  start: number;
}

const idOf = ({ code, task, field }: DocFault) => `${code} ${task ?? ''} ${field ?? ''}`;

/**
 * The index of the next fault of a walk that is still in the document; `by` is 1 or -1 for the direction. Undefined if
 * all the others are gone.
 */
export function nextOfWalk(walk: Walk, at: number, by: 1 | -1, present: readonly DocFault[]): number | undefined {
  const left = new Set(present.map(idOf));
  const count = walk.faults.length;
  for (let step = 1; step < count; step++) {
    const index = (at + by * step + count * step) % count;
    const fault = walk.faults[index];
    if (fault && left.has(idOf(fault))) return index;
  }
  return undefined;
}

/** How many faults of a walk are still in the document. */
export function leftOfWalk(walk: Walk, present: readonly DocFault[]): number {
  const left = new Set(present.map(idOf));
  return walk.faults.filter((fault) => left.has(idOf(fault))).length;
}
