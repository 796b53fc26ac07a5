import { createStore, type StoreApi } from 'zustand/vanilla';
import { ApiError, OfflineError } from '@/api/client';
import {
  type Conflict,
  type Doc,
  merge,
  type Merged,
  newDocumentStore,
  type Op,
  ordered,
  replaceAll,
  resolve,
} from '@/document';
import type { Journal, Notes } from './journal';
import { recover } from './recover';
import type { Draft, DraftActions, DraftServer, ServerDraft } from './types';

/** Milliseconds without a change after which the draft is sent, and after which it is sent although changes go on. */
const CALM = 1_000;
const AT_LATEST = 5_000;
/** Milliseconds to the next try when the server is out of reach: twice as many each time. */
const FIRST_TRY = 2_000;
const SLOWEST_TRY = 30_000;

export interface KeeperPorts {
  server: DraftServer;
  journal: Journal;
  /** A schedule of this name without anything in it. */
  empty: Doc;
  /** A text that nobody made before. */
  newId: () => string;
}

/** What the server is known to have. Version 0: no draft; the document is then what is published. */
interface Synced {
  version: number;
  doc: Doc;
}
interface Noted {
  id: string;
  steps: number;
}

/**
 * Keeps one draft: opens it, notes each step in this browser at once, and sends it to the server a moment later. What others
 * made of it meanwhile (another page, another device, a publication) is merged into the document as one command.
 */
export class DraftKeeper implements DraftActions {
  readonly state: StoreApi<Draft> = createStore<Draft>(() => ({
    state: 'loading',
    missing: false,
    kept: true,
    version: 0,
    conflicts: [],
  }));
  private readonly page: string;
  private synced: Synced;
  /** Documents that were sent, and of which it is not known whether they arrived. */
  private inDoubt: Doc[] = [];
  /** The notes of this page; undefined just if the server has the document as it is. */
  private notes?: Noted;
  /** Notes of other pages that are in the document: thrown away when it is on the server. */
  private adopted: Noted[] = [];
  private active = false;
  private unsubscribe?: () => void;
  private timer?: ReturnType<typeof setTimeout>;
  private unsavedSince?: number;
  private tries = 0;
  /** What talks to the server does so one after the other. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: KeeperPorts) {
    this.page = ports.newId();
    this.synced = { version: 0, doc: ports.empty };
  }

  /** Opens the draft and keeps it until what is answered is called, which sends what is unsaved. */
  start(): () => void {
    this.active = true;
    if (this.state.getState().store) this.watch();
    else void this.serially(() => this.open());
    return () => {
      this.active = false;
      this.unsubscribe?.();
      void this.save();
    };
  }

  retry = (): void => {
    this.tries = 0;
    void (this.state.getState().store ? this.save() : this.serially(() => this.open()));
  };

  settle = (conflict: Conflict, side: 'mine' | 'theirs'): void => {
    const { store, conflicts } = this.state.getState();
    if (!store) return;
    store.getState().apply(resolve(store.getState().doc, conflict, side));
    this.setConflicts(conflicts.filter((other) => other !== conflict));
  };

  published = (revision: number, doc: Doc): void => {
    this.state.setState({ base: { revision, doc } });
    this.setConflicts([]);
    void this.serially(async () => {
      const { store, base } = this.state.getState();
      if (!store || base?.doc !== doc) return;
      if (!same(store.getState().doc, doc)) {
        this.noteAll(); // there is more than was published: it goes on as a draft of this revision
        this.schedule();
        return;
      }
      this.clean();
      // Where it cannot be removed it is what is published: opened again, there is nothing in it to merge.
      await this.remove().then(
        () => {
          this.gone(doc);
        },
        () => undefined,
      );
    });
  };

  rebase = (revision: number, doc: Doc): void => {
    const { store, base } = this.state.getState();
    if (!store) return;
    this.state.setState({ base: { revision, doc } });
    this.bring(merge(base?.doc ?? this.ports.empty, store.getState().doc, doc));
    this.noteAll();
    this.schedule();
  };

  discard = (): Promise<void> =>
    this.serially(async () => {
      const { store, base } = this.state.getState();
      if (!store) return;
      await this.remove();
      const doc = base?.doc ?? this.ports.empty;
      this.setConflicts([]);
      this.unsubscribe?.();
      store.getState().apply(replaceAll(doc, 'discard'));
      this.gone(doc);
      this.clean();
      if (this.active) this.watch();
    });

  /** Sends the document now, if there is anything to send. */
  save = (): Promise<void> => {
    this.stopTimer();
    return this.serially(() => this.send());
  };

  private serially(task: () => Promise<void>): Promise<void> {
    const next = this.last.then(task);
    this.last = next.catch(() => undefined);
    return next;
  }

  private async open(): Promise<void> {
    if (this.state.getState().store || !this.active) return;
    this.state.setState({ state: 'loading', error: undefined, missing: false });
    const { server, journal } = this.ports;
    try {
      const [published, draft] = await Promise.all([server.published(), server.draft()]);
      const left = journal.left();
      if (!published && !draft && left.every((notes) => notes.steps.length === 0)) {
        this.state.setState({ state: 'failed', missing: true });
        return;
      }
      const revision = Math.max(
        draft?.base ?? published?.revision ?? 0,
        ...left.map((notes) => (notes.steps.length > 0 ? notes.base : 0)),
      );
      this.begin(draft, published, await this.baseAt(revision, published), left);
    } catch (error) {
      this.state.setState({ state: isAway(error) ? 'offline' : 'failed', error });
    }
  }

  /** A revision with its document; undefined if it is not there any more. */
  private async baseAt(revision: number, published: Draft['base']): Promise<Draft['base']> {
    if (revision === 0 || published?.revision === revision) return revision === 0 ? undefined : published;
    try {
      return { revision, doc: await this.ports.server.revision(revision) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  private begin(
    draft: ServerDraft | undefined,
    published: Draft['base'],
    base: Draft['base'],
    left: readonly Notes[],
  ): void {
    this.synced = { version: draft?.version ?? 0, doc: ordered(draft?.doc ?? base?.doc ?? this.ports.empty) };
    let { doc } = this.synced;
    const conflicts = this.ports.journal.conflicts();
    for (const notes of left) {
      if (notes.steps.length === 0) continue;
      const joined = recover(notes, this.synced.doc, doc);
      doc = joined.doc;
      conflicts.push(...joined.conflicts);
    }
    const store = newDocumentStore(doc);
    this.adopted = left.map(({ id, steps }) => ({ id, steps: steps.length }));
    this.state.setState({ state: 'saved', store, base, version: this.synced.version, savedAt: draft?.savedAt });
    this.setConflicts(conflicts, true);
    if (published && published.revision > (base?.revision ?? 0)) {
      this.state.setState({ base: published });
      this.bring(merge(base?.doc ?? this.ports.empty, doc, published.doc));
    }
    this.state.setState({ doc: store.getState().doc });
    if (same(store.getState().doc, this.synced.doc)) this.clean();
    else this.noteAll();
    if (this.active) this.watch();
  }

  private watch(): void {
    this.unsubscribe?.();
    const { store } = this.state.getState();
    this.unsubscribe = store?.subscribe((now, before) => {
      if (now.doc === before.doc) return;
      this.note(now.step);
      this.schedule();
    });
    if (this.notes) this.schedule();
  }

  /** Notes a step in this browser. */
  private note(step: readonly Op[]): void {
    const { journal } = this.ports;
    const at = this.notes ?? this.newNotes();
    if (!this.state.getState().kept || !at || !journal.note(at.id, at.steps + 1, step)) {
      this.noteAll();
      return;
    }
    at.steps++;
    this.notes = at;
  }

  /** Empty notes of what the server has; undefined if there is no room for them. */
  private newNotes(): Noted | undefined {
    const { journal, newId } = this.ports;
    const id = newId();
    const head = {
      version: this.synced.version,
      base: this.state.getState().base?.revision ?? 0,
      doc: this.synced.doc,
    };
    return journal.begin(id, head, Date.now()) ? { id, steps: 0 } : undefined;
  }

  /** Notes everything that the server does not have, anew. Notes before are thrown away only then. */
  private noteAll(): void {
    const { store } = this.state.getState();
    if (!store) return;
    const { journal, newId } = this.ports;
    const before = this.notes;
    const made = this.newNotes();
    const kept = made !== undefined && journal.note(made.id, 1, [{ op: 'all', value: store.getState().doc }]);
    if (kept && before) journal.drop(before.id);
    if (!kept && made) journal.drop(made.id);
    this.notes = kept ? { ...made, steps: 1 } : (before ?? { id: newId(), steps: 0 });
    this.state.setState({ kept });
  }

  private schedule(delay = CALM): void {
    this.stopTimer();
    if (!this.active) return;
    this.unsavedSince ??= Date.now();
    const latest = this.unsavedSince + AT_LATEST - Date.now();
    this.timer = setTimeout(() => void this.save(), this.tries > 0 ? delay : Math.max(0, Math.min(delay, latest)));
    if (this.state.getState().state !== 'offline') this.state.setState({ state: 'saving' });
  }

  private async send(): Promise<void> {
    const { store, base } = this.state.getState();
    if (!store || !this.notes) return;
    const { doc } = store.getState();
    this.inDoubt.push(doc);
    this.ports.journal.sending(this.notes.id, this.notes.steps);
    try {
      const { version, savedAt } = await this.ports.server.put({
        version: this.synced.version,
        base: base?.revision ?? 0,
        doc,
      });
      this.arrived({ version, doc }, savedAt);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        await this.catchUp(error).catch((failed: unknown) => {
          this.failed(failed);
        });
      else this.failed(error);
    }
  }

  /** The server has this document as a version. */
  private arrived(synced: Synced, savedAt: number): void {
    this.synced = synced;
    this.inDoubt = [];
    this.tries = 0;
    this.unsavedSince = undefined;
    this.state.setState({ version: synced.version, savedAt, error: undefined, state: 'saved' });
    const { store } = this.state.getState();
    if (!store || same(store.getState().doc, synced.doc)) {
      this.clean();
      return;
    }
    this.noteAll();
    this.dropAdopted();
    this.schedule();
  }

  /** The server has everything: the notes have done their duty. */
  private clean(): void {
    this.dropAdopted();
    if (this.notes) this.ports.journal.drop(this.notes.id);
    this.notes = undefined;
    this.unsavedSince = undefined;
    this.tries = 0;
    this.stopTimer();
    this.state.setState({ state: 'saved', kept: true, error: undefined });
  }

  private dropAdopted(): void {
    for (const { id, steps } of this.adopted) this.ports.journal.drop(id, steps);
    this.adopted = [];
  }

  /** Another version is on the server: what was made of it there is merged into the document, and it goes on from there. */
  private async catchUp(refusal: ApiError): Promise<void> {
    const { server, empty } = this.ports;
    const [draft, published] = [await server.draft(), await server.published()];
    if ((draft?.version ?? 0) === this.synced.version) {
      this.failed(refusal); // it is not the version that it minds
      return;
    }
    const { base, store } = this.state.getState();
    const newest = Math.max(base?.revision ?? 0, draft ? draft.base : (published?.revision ?? 0));
    const now = newest === base?.revision ? base : await this.baseAt(newest, published);
    if (!store) return;
    // A draft that is gone was published, or thrown away, on another page: what is published counts then.
    const doc = ordered(draft?.doc ?? published?.doc ?? empty);
    const common = this.inDoubt.find((sent) => same(sent, doc)) ?? this.synced.doc;
    this.synced = { version: draft?.version ?? 0, doc };
    this.inDoubt = [];
    this.tries = 0;
    this.state.setState({ base: now, version: this.synced.version, savedAt: draft?.savedAt });
    this.bring(merge(common, store.getState().doc, doc));
    if (same(store.getState().doc, doc)) {
      this.clean();
      return;
    }
    this.noteAll();
    this.schedule(0);
  }

  /** Puts a merged document into the store, if it is another one, and shows what could not be merged. */
  private bring({ doc, conflicts }: Merged): void {
    const { store, conflicts: known } = this.state.getState();
    store?.getState().seal();
    if (store && !same(store.getState().doc, doc)) store.getState().apply(replaceAll(doc, 'merge'));
    this.setConflicts([...known, ...conflicts]);
  }

  private failed(error: unknown): void {
    this.tries++;
    const away = isAway(error);
    this.state.setState({ state: away ? 'offline' : 'failed', error });
    if (away) this.schedule(Math.min(SLOWEST_TRY, FIRST_TRY * 2 ** (this.tries - 1)));
  }

  /** Takes the draft from the server, whatever version it is by now. */
  private async remove(): Promise<void> {
    const { server } = this.ports;
    if (this.synced.version === 0 && this.inDoubt.length === 0) return;
    try {
      await server.remove(this.synced.version);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      const draft = await server.draft();
      if (draft) await server.remove(draft.version);
    }
  }

  private gone(doc: Doc): void {
    this.synced = { version: 0, doc };
    this.inDoubt = [];
    this.state.setState({ version: 0, savedAt: undefined, error: undefined });
  }

  private setConflicts(conflicts: readonly Conflict[], alone = false): void {
    const once = [
      ...new Map(
        conflicts.map((conflict) => [JSON.stringify([conflict.path, conflict.mine, conflict.theirs]), conflict]),
      ).values(),
    ];
    this.state.setState({ conflicts: once });
    this.ports.journal.keepConflicts(this.page, once, alone);
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

const same = (a: Doc, b: Doc): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The server is out of reach, too busy, or wants a login first: it is worth trying again. */
function isAway(error: unknown): boolean {
  return (
    error instanceof OfflineError ||
    (error instanceof ApiError && (error.status === 401 || error.status === 429 || error.status >= 500))
  );
}
