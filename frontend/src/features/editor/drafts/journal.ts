import type { Conflict, Doc, Op } from '@/document';

// What is not on the server yet is noted here at once. localStorage and not IndexedDB, because it is written before the call
// returns: there is no moment in which a crash of the page could lose a command that was seen to be done. It has room for
// about five million characters, so a command is noted by its operations alone, and the document that they begin with is
// noted only while something is unsaved. Each page has notes of its own, so that two of them never write the same.

/** What a page noted: the document that the server has as a version, and the steps since. */
export interface Notes {
  id: string;
  version: number;
  base: number;
  /** Left out if there was no room for it. */
  doc?: Doc;
  steps: (readonly Op[])[];
  /** After how many steps the document was sent to the server, perhaps without an answer. */
  sent: number[];
}

export type Room = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** The notes of one person about one schedule. */
export class Journal {
  private readonly prefix: string;

  constructor(
    private readonly room: Room,
    user: string,
    name: string,
  ) {
    this.prefix = `hivego.draft/${encodeURIComponent(user)}/${name}/`;
  }

  /** All notes that are there, also those of other pages that are still open; the oldest first. */
  left(): Notes[] {
    const heads = this.keys().filter((key) => key.endsWith('/head'));
    return heads
      .flatMap((key) => this.read(key.slice(this.prefix.length, -'/head'.length)) ?? [])
      .sort((a, b) => a.at - b.at);
  }

  /** Begins notes, in the place of earlier ones of this page. False if there is no room. */
  begin(id: string, { version, base, doc }: Pick<Notes, 'version' | 'base' | 'doc'>, at: number): boolean {
    const kept = doc !== undefined && this.write(`${id}/doc`, JSON.stringify(doc));
    return this.write(`${id}/head`, JSON.stringify({ version, base, at, ...(kept ? { doc: true } : {}) }));
  }

  /** Notes a step. False if it could not be noted, or the notes are gone: another page has saved what was in them. */
  note(id: string, step: number, ops: readonly Op[]): boolean {
    return this.has(id) && this.write(`${id}/step/${String(step).padStart(6, '0')}`, JSON.stringify(ops));
  }

  /** Notes that the document is sent as it is after so many steps. */
  sending(id: string, steps: number): void {
    const before = this.get(`${id}/sent`);
    this.write(`${id}/sent`, before ? `${before},${String(steps)}` : String(steps));
  }

  has(id: string): boolean {
    return this.get(`${id}/head`) !== null;
  }

  /** Throws notes away; those of another page only if it has noted nothing more since they were read. */
  drop(id: string, steps?: number): void {
    const keys = this.keys().filter((key) => key.startsWith(`${this.prefix}${id}/`));
    if (steps !== undefined && keys.filter((key) => key.includes('/step/')).length !== steps) return;
    for (const key of keys) this.remove(key.slice(this.prefix.length));
  }

  /** Conflicts that are not settled, of all pages: a crash must not settle them. */
  conflicts(): Conflict[] {
    return this.keys()
      .filter((key) => key.endsWith('/conflicts'))
      .flatMap((key) => parsed<Conflict[]>(this.get(key.slice(this.prefix.length))) ?? []);
  }

  /** Notes the conflicts that a page shows, in the place of those that it noted before; with `alone`, of those of all pages. */
  keepConflicts(page: string, conflicts: readonly Conflict[], alone = false): void {
    if (conflicts.length > 0) this.write(`${page}/conflicts`, JSON.stringify(conflicts));
    else this.remove(`${page}/conflicts`);
    if (alone)
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
      return Array.from({ length: this.room.length }, (_, i) => this.room.key(i) ?? '').filter((key) =>
        key.startsWith(this.prefix),
      );
    } catch {
      return [];
    }
  }

  private get(key: string): string | null {
    try {
      return this.room.getItem(this.prefix + key);
    } catch {
      return null;
    }
  }

  private remove(key: string): void {
    try {
      this.room.removeItem(this.prefix + key);
    } catch {
      // A browser that keeps nothing has nothing to throw away.
    }
  }

  private write(key: string, text: string): boolean {
    try {
      this.room.setItem(this.prefix + key, text);
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
