import { applyOps, type Conflict, type Doc, merge, type Merged, type Op } from '@/document';
import { notesPrefix } from './moveNotes';

// The journal stores changes that are not on the server yet. It is in localStorage, not in IndexedDB, because
// localStorage is written before the call returns: a crash of the page never loses a command that the page has shown as
// done. It has room for about five million characters. Therefore a command is noted as operations, and the document
// before them is stored only while something is unsaved. Each page writes its own notes, so two pages never write the
// same key.

/** The notes of one page: a document that the server has as `version`, and the steps since. */
export interface Notes {
  id: string;
  version: number;
  base: number;
  /** Undefined if there was no room for it. */
  doc?: Doc;
  steps: (readonly Op[])[];
  /** The numbers of steps after which the document was sent to the server, perhaps without an answer. */
  sent: number[];
}

/** The part of localStorage that a journal needs. */
export type NoteStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** The notes of one person about one schedule. All methods also work in a browser that stores nothing. */
export class Journal {
  private readonly prefix: string;

  constructor(
    private readonly storage: NoteStorage,
    user: string,
    name: string,
  ) {
    this.prefix = notesPrefix(user, name);
  }

  /** All notes, the oldest first; also the notes of other pages that are still open. */
  all(): Notes[] {
    const heads = this.keys().filter((key) => key.endsWith('/head'));
    return heads
      .flatMap((key) => this.read(key.slice(this.prefix.length, -'/head'.length)) ?? [])
      .sort((a, b) => a.at - b.at);
  }

  /** Begins notes under an id, at a time in milliseconds since 1970. False if there is no room. */
  begin(id: string, { version, base, doc }: Pick<Notes, 'version' | 'base' | 'doc'>, at: number): boolean {
    const docStored = doc !== undefined && this.write(`${id}/doc`, JSON.stringify(doc));
    return this.write(`${id}/head`, JSON.stringify({ version, base, at, ...(docStored ? { doc: true } : {}) }));
  }

  /**
   * Adds a step. Returns false if there is no room, or if another page has dropped the notes because it saved their
   * content.
   */
  note(id: string, step: number, ops: readonly Op[]): boolean {
    return this.has(id) && this.write(`${id}/step/${String(step).padStart(6, '0')}`, JSON.stringify(ops));
  }

  /** Notes that the document is sent after so many steps. */
  sending(id: string, steps: number): void {
    const before = this.get(`${id}/sent`);
    this.write(`${id}/sent`, before ? `${before},${String(steps)}` : String(steps));
  }

  /** Whether there are notes of that id. */
  has(id: string): boolean {
    return this.get(`${id}/head`) !== null;
  }

  /** Drops notes. With `steps`, only if the page that writes them has not added any since they were read. */
  drop(id: string, steps?: number): void {
    const keys = this.keys().filter((key) => key.startsWith(`${this.prefix}${id}/`));
    if (steps !== undefined && keys.filter((key) => key.includes('/step/')).length !== steps) return;
    for (const key of keys) this.remove(key.slice(this.prefix.length));
  }

  /** The unresolved conflicts of all pages, which a crash must not lose. */
  conflicts(): Conflict[] {
    return this.keys()
      .filter((key) => key.endsWith('/conflicts'))
      .flatMap((key) => parsed<Conflict[]>(this.get(key.slice(this.prefix.length))) ?? []);
  }

  /** Replaces the noted conflicts of a page; with `replaceAll`, the noted conflicts of all pages. */
  setConflicts(page: string, conflicts: readonly Conflict[], replaceAll = false): void {
    if (conflicts.length > 0) this.write(`${page}/conflicts`, JSON.stringify(conflicts));
    else this.remove(`${page}/conflicts`);
    if (replaceAll)
      this.keys()
        .filter((key) => key.endsWith('/conflicts') && key !== `${this.prefix}${page}/conflicts`)
        .forEach((key) => {
          this.remove(key.slice(this.prefix.length));
        });
  }

  private read(id: string): (Notes & { at: number }) | undefined {
    const head = parsed<{ version: number; base: number; at: number; doc?: boolean }>(this.get(`${id}/head`));
    if (!head) return undefined;
    const doc = head.doc ? parsed<Doc>(this.get(`${id}/doc`)) : undefined;
    const steps: (readonly Op[])[] = [];
    for (const key of this.keys()
      .filter((one) => one.startsWith(`${this.prefix}${id}/step/`))
      .sort()) {
      const step = parsed<readonly Op[]>(this.get(key.slice(this.prefix.length)));
      if (step) steps.push(step);
    }
    const sent = (this.get(`${id}/sent`) ?? '').split(',').filter(Boolean).map(Number);
    return { id, version: head.version, base: head.base, at: head.at, doc, steps, sent };
  }

  private keys(): string[] {
    try {
      return Array.from({ length: this.storage.length }, (_, i) => this.storage.key(i) ?? '').filter((key) =>
        key.startsWith(this.prefix),
      );
    } catch {
      return [];
    }
  }

  private get(key: string): string | null {
    try {
      return this.storage.getItem(this.prefix + key);
    } catch {
      return null;
    }
  }

  private remove(key: string): void {
    try {
      this.storage.removeItem(this.prefix + key);
    } catch {
      // A browser without storage has no notes to remove.
    }
  }

  private write(key: string, text: string): boolean {
    try {
      this.storage.setItem(this.prefix + key, text);
      return true;
    } catch {
      return false; // full, or not allowed
    }
  }
}

function parsed<T>(text: string | null): T | undefined {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** The head of notes: the document of the server, its version, and the revision that the draft is based on. */
type Head = Pick<Notes, 'version' | 'base' | 'doc'>;

interface NotesCursor {
  id: string;
  steps: number;
}

/** The notes that one page writes of a draft, and the notes of other pages that are merged into its document. */
export class PageNotes {
  /** Undefined exactly if the server has the page's document. */
  private current?: NotesCursor;
  private adopted: NotesCursor[] = [];

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
    const newNotes = this.begin(head);
    const written = newNotes !== undefined && this.journal.note(newNotes.id, 1, [{ op: 'all', value: doc }]);
    if (written && before) this.journal.drop(before.id);
    if (!written && newNotes) this.journal.drop(newNotes.id);
    this.current = written ? { ...newNotes, steps: 1 } : (before ?? { id: this.newId(), steps: 0 });
    return written;
  }

  /** Notes that the document is sent to the server now. */
  sending(): void {
    if (this.current) this.journal.sending(this.current.id, this.current.steps);
  }

  /** Sets the notes of other pages that are in the document: they are dropped once the server has the document. */
  adopt(notes: readonly Notes[]): void {
    this.adopted = notes.map(({ id, steps }) => ({ id, steps: steps.length }));
  }

  /** Drops the notes of other pages, since the server has their content. */
  dropAdopted(): void {
    for (const { id, steps } of this.adopted) this.journal.drop(id, steps);
    this.adopted = [];
  }

  /** Drops all notes, since the server has their content. */
  clear(): void {
    this.dropAdopted();
    if (this.current) this.journal.drop(this.current.id);
    this.current = undefined;
  }

  /** Begins empty notes; undefined if there is no room for them. */
  private begin(head: Head): NotesCursor | undefined {
    const id = this.newId();
    return this.journal.begin(id, head, Date.now()) ? { id, steps: 0 } : undefined;
  }
}

/** Merges the notes of all pages into the server's document. Steps that cannot be applied become conflicts. */
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

/** Merges the notes of one page into a document, which has the notes of other pages already. */
function recover(notes: Notes, server: Doc, into: Doc): Merged {
  const states = [notes.doc ?? server];
  const lostSteps: Conflict[] = [];
  for (const step of notes.steps) {
    const last = states.at(-1) ?? server;
    const next = applied(last, step);
    states.push(next ?? last);
    if (!next)
      lostSteps.push({
        path: `notes.${notes.id}.${String(states.length)}`,
        at: [],
        base: undefined,
        mine: undefined,
        theirs: step,
      });
  }
  const mine = states.at(-1) ?? server;
  const { doc, conflicts } = merge(ancestor(states, notes.sent, server), mine, into);
  return { doc, conflicts: [...conflicts, ...lostSteps] };
}

/**
 * The common base of the notes and the server: the last sent state that the server has, or else the document in the
 * head of the notes.
 */
function ancestor(states: readonly Doc[], sent: readonly number[], server: Doc): Doc {
  const confirmed = sent
    .flatMap((count) => states[count] ?? [])
    .reverse()
    .find((state) => JSON.stringify(state) === JSON.stringify(server));
  return confirmed ?? states[0] ?? server;
}

/** A document after a step; undefined if the step does not fit, which happens only where notes lack their document. */
function applied(doc: Doc, step: readonly Op[]): Doc | undefined {
  try {
    return applyOps(doc, step).doc;
  } catch {
    return undefined;
  }
}
