import { applyOps, type Conflict, type Doc, type Merged, merge, type Op } from '@/document';
import type { Journal, Notes } from './journal';

/** What notes begin with: the document of the server, its version, and the revision that the draft is based on. */
type Head = Pick<Notes, 'version' | 'base' | 'doc'>;

interface Written {
  id: string;
  steps: number;
}

/** The notes that one page writes of a draft, and the notes of other pages that it has taken into its document. */
export class PageNotes {
  /** Undefined exactly if the server has the document as the page has it. */
  private current?: Written;
  private adopted: Written[] = [];

  constructor(
    private readonly journal: Journal,
    private readonly newId: () => string,
  ) {}

  /** Whether the document has something that the server does not have. */
  get pending(): boolean {
    return this.current !== undefined;
  }

  /** Adds a step. False if it could not be written: then `rewrite` is needed. */
  add(head: Head, step: readonly Op[]): boolean {
    const notes = this.current ?? this.begin(head);
    if (!notes || !this.journal.note(notes.id, notes.steps + 1, step)) return false;
    notes.steps++;
    this.current = notes;
    return true;
  }

  /**
   * Writes new notes of the whole document, and drops the earlier ones only once the new ones are complete. Returns
   * false if there is no room; the earlier ones then stay.
   */
  rewrite(head: Head, doc: Doc): boolean {
    const before = this.current;
    const made = this.begin(head);
    const written = made !== undefined && this.journal.note(made.id, 1, [{ op: 'all', value: doc }]);
    if (written && before) this.journal.drop(before.id);
    if (!written && made) this.journal.drop(made.id);
    this.current = written ? { ...made, steps: 1 } : (before ?? { id: this.newId(), steps: 0 });
    return written;
  }

  /** Notes that the document is sent to the server now. */
  sending(): void {
    if (this.current) this.journal.sending(this.current.id, this.current.steps);
  }

  /** Remembers the notes that are in the document: they are dropped once the server has it. */
  adopt(notes: readonly Notes[]): void {
    this.adopted = notes.map(({ id, steps }) => ({ id, steps: steps.length }));
  }

  /** Drops the notes of other pages: the server has what was in them. */
  dropAdopted(): void {
    for (const { id, steps } of this.adopted) this.journal.drop(id, steps);
    this.adopted = [];
  }

  /** Drops all notes: the server has everything. */
  clear(): void {
    this.dropAdopted();
    if (this.current) this.journal.drop(this.current.id);
    this.current = undefined;
  }

  /** Begins empty notes; undefined if there is no room for them. */
  private begin(head: Head): Written | undefined {
    const id = this.newId();
    return this.journal.begin(id, head, Date.now()) ? { id, steps: 0 } : undefined;
  }
}

/** Merges what pages noted into the server's document. Notes whose steps cannot be applied become conflicts. */
export function recoverAll(all: readonly Notes[], server: Doc): Merged {
  let doc = server;
  const conflicts: Conflict[] = [];
  for (const notes of all) {
    if (notes.steps.length === 0) continue;
    const joined = recover(notes, server, doc);
    doc = joined.doc;
    conflicts.push(...joined.conflicts);
  }
  return { doc, conflicts };
}

/** Merges the notes of one page into a document: the server's, with what other pages noted. */
function recover(notes: Notes, server: Doc, into: Doc): Merged {
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

/**
 * The common base of the notes and the server: the last sent state that the server has, else the document that the
 * notes begin with.
 */
function ancestor(states: readonly Doc[], sent: readonly number[], server: Doc): Doc {
  const arrived = sent
    .flatMap((count) => states[count] ?? [])
    .reverse()
    .find((state) => JSON.stringify(state) === JSON.stringify(server));
  return arrived ?? states[0] ?? server;
}

/** A document after a step; undefined if the step does not fit, which happens only where notes lack their document. */
function applied(doc: Doc, step: readonly Op[]): Doc | undefined {
  try {
    return applyOps(doc, step).doc;
  } catch {
    return undefined;
  }
}
