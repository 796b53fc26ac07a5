import { applyOps, type Conflict, type Doc, type Merged, merge, type Op } from '@/document';
import type { Notes } from './journal';

const text = (doc: Doc): string => JSON.stringify(doc);

/** Joins what a page noted into a document: that of the server, and what other pages noted. */
export function recover(notes: Notes, server: Doc, into: Doc): Merged {
  const states = [notes.doc ?? server];
  const lost: Conflict[] = [];
  for (const step of notes.steps) {
    const last = states.at(-1) ?? server;
    const next = applied(last, step);
    states.push(next ?? last);
    if (!next)
      lost.push({
        path: `notes.${notes.id}.${String(states.length)}`,
        at: [],
        base: undefined,
        mine: undefined,
        theirs: step,
      });
  }
  const mine = states.at(-1) ?? server;
  const { doc, conflicts } = merge(ancestor(states, notes.sent, server), mine, into);
  return { doc, conflicts: [...conflicts, ...lost] };
}

/** What both have in common: the state that was sent and arrived, though the answer did not come back; else what was begun with. */
function ancestor(states: readonly Doc[], sent: readonly number[], server: Doc): Doc {
  const arrived = sent
    .flatMap((count) => states[count] ?? [])
    .reverse()
    .find((state) => text(state) === text(server));
  return arrived ?? states[0] ?? server;
}

/** The steps do not fit only where the document that they begin with could not be kept. */
function applied(doc: Doc, step: readonly Op[]): Doc | undefined {
  try {
    return applyOps(doc, step).doc;
  } catch {
    return undefined;
  }
}
