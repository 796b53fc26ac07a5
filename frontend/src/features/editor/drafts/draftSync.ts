import { createStore, type StoreApi } from 'zustand/vanilla';
import { ApiError } from '@/api/client';
import { isTransient } from '@/api/problem';
import {
  type Conflict,
  type Doc,
  merge,
  type Merged,
  newDocumentStore,
  ordered,
  replaceAll,
  resolve,
} from '@/document';
import { type Journal, type Notes, PageNotes, recoverAll } from './journal';
import type { Draft, DraftActions, DraftServer, ServerDraft } from './types';

/** The draft is sent after so many milliseconds without a change. */
const SAVE_DELAY = 1_000;
/** It is sent after so many milliseconds at the latest, although changes go on. */
const LONGEST_DELAY = 5_000;
/** Milliseconds to the first retry when the server is out of reach; each further one waits twice as long. */
const FIRST_RETRY = 2_000;
const SLOWEST_RETRY = 30_000;

/** The ports of a DraftSync: the server and the storage. */
export interface DraftPorts {
  server: DraftServer;
  journal: Journal;
  /** The document of a new schedule of this name. */
  empty: Doc;
  /** Returns a text that is unique among all pages. */
  newId: () => string;
}

/** The server's document, as far as this page knows. Version 0 means no draft: `doc` is the published document then. */
interface Synced {
  version: number;
  doc: Doc;
}

/**
 * Keeps one draft in step with the server: opens it, notes each change in this browser at once, and sends the document
 * a moment later. Changes from other pages, other devices and publications are merged into the document as one command.
 */
export class DraftSync implements DraftActions {
  readonly state: StoreApi<Draft> = createStore<Draft>(() => ({
    state: 'loading',
    missing: false,
    storedLocally: true,
    version: 0,
    conflicts: [],
  }));
  private readonly page: string;
  private synced: Synced;
  /** Documents that were sent without an answer: the server may have any of them. */
  private unconfirmed: Doc[] = [];
  private readonly notes: PageNotes;
  private active = false;
  private unsubscribe?: () => void;
  private timer?: ReturnType<typeof setTimeout>;
  private unsavedSince?: number;
  private retries = 0;
  /** The end of the queue of calls to the server: one runs after the other. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: DraftPorts) {
    this.page = ports.newId();
    this.notes = new PageNotes(ports.journal, ports.newId);
    this.synced = { version: 0, doc: ports.empty };
  }

  /** Opens the draft, and syncs it until the returned function is called, which sends unsaved changes. */
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
    this.retries = 0;
    void (this.state.getState().store ? this.save() : this.serially(() => this.open()));
  };

  resolveConflict = (conflict: Conflict, side: 'mine' | 'theirs'): void => {
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
      if (!isSameDoc(store.getState().doc, doc)) {
        this.noteAll(); // changes made since the publication become a draft of the new revision
        this.schedule();
        return;
      }
      this.allSaved();
      // A draft that cannot be removed equals the publication: opening it again merges nothing.
      await this.deleteDraft().then(
        () => {
          this.draftDeleted(doc);
        },
        () => undefined,
      );
    });
  };

  rebase = (revision: number, doc: Doc): void => {
    const { store, base } = this.state.getState();
    if (!store) return;
    this.state.setState({ base: { revision, doc } });
    this.applyMerge(merge(base?.doc ?? this.ports.empty, store.getState().doc, doc));
    this.noteAll();
    this.schedule();
  };

  discard = (): Promise<void> =>
    this.serially(async () => {
      const { store, base } = this.state.getState();
      if (!store) return;
      await this.deleteDraft();
      const doc = base?.doc ?? this.ports.empty;
      this.setConflicts([]);
      this.unsubscribe?.();
      store.getState().apply(replaceAll(doc, 'discard'));
      this.draftDeleted(doc);
      this.allSaved();
      if (this.active) this.watch();
    });

  /** Sends the document now, if the server does not have it. */
  save = (): Promise<void> => {
    this.stopTimer();
    return this.serially(() => this.send());
  };

  private serially(task: () => Promise<void>): Promise<void> {
    const next = this.queue.then(task);
    this.queue = next.catch(() => undefined);
    return next;
  }

  private async open(): Promise<void> {
    if (this.state.getState().store || !this.active) return;
    this.state.setState({ state: 'loading', error: undefined, missing: false });
    const { server, journal } = this.ports;
    try {
      const [published, draft] = await Promise.all([server.published(), server.draft()]);
      const noted = journal.all();
      if (!published && !draft && noted.every((notes) => notes.steps.length === 0)) {
        this.state.setState({ state: 'failed', missing: true });
        return;
      }
      const revision = Math.max(
        draft?.base ?? published?.revision ?? 0,
        ...noted.map((notes) => (notes.steps.length > 0 ? notes.base : 0)),
      );
      this.createDocument(draft, published, await this.baseAt(revision, published), noted);
    } catch (error) {
      this.state.setState({ state: isOffline(error) ? 'offline' : 'failed', error });
    }
  }

  /** A revision with its document; undefined for 0, and for one that was deleted. */
  private async baseAt(revision: number, published: Draft['base']): Promise<Draft['base']> {
    if (revision === 0 || published?.revision === revision) return revision === 0 ? undefined : published;
    try {
      return { revision, doc: await this.ports.server.revision(revision) };
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Makes the document of the server's draft, the notes of pages, and the revision that was published meanwhile. */
  private createDocument(
    draft: ServerDraft | undefined,
    published: Draft['base'],
    base: Draft['base'],
    noted: readonly Notes[],
  ): void {
    const doc = ordered(draft?.doc ?? base?.doc ?? this.ports.empty);
    this.synced = { version: draft?.version ?? 0, doc };
    const recovered = recoverAll(noted, doc);
    const store = newDocumentStore(recovered.doc);
    this.notes.adopt(noted);
    this.state.setState({ state: 'saved', store, base, version: this.synced.version, savedAt: draft?.savedAt });
    this.setConflicts([...this.ports.journal.conflicts(), ...recovered.conflicts], true);
    this.mergePublished(published, base, recovered.doc);
    this.state.setState({ doc: store.getState().doc });
    if (isSameDoc(store.getState().doc, doc)) this.allSaved();
    else this.noteAll();
    if (this.active) this.watch();
  }

  /** Merges a revision that is newer than the base of the draft. */
  private mergePublished(published: Draft['base'], base: Draft['base'], doc: Doc): void {
    if (!published || published.revision <= (base?.revision ?? 0)) return;
    this.state.setState({ base: published });
    this.applyMerge(merge(base?.doc ?? this.ports.empty, doc, published.doc));
  }

  private watch(): void {
    this.unsubscribe?.();
    const { store } = this.state.getState();
    this.unsubscribe = store?.subscribe((now, before) => {
      if (now.doc === before.doc) return;
      if (!this.state.getState().storedLocally || !this.notes.add(this.notesHead(), now.step)) this.noteAll();
      this.schedule();
    });
    if (this.notes.pending) this.schedule();
  }

  /** The head of notes that begin now. */
  private notesHead(): Pick<Notes, 'version' | 'base' | 'doc'> {
    return { ...this.synced, base: this.state.getState().base?.revision ?? 0 };
  }

  /** Notes the whole document instead of the steps so far. */
  private noteAll(): void {
    const { store } = this.state.getState();
    if (store) this.state.setState({ storedLocally: this.notes.rewrite(this.notesHead(), store.getState().doc) });
  }

  /** Sends the document after a delay in milliseconds. */
  private schedule(delay = SAVE_DELAY): void {
    this.stopTimer();
    if (!this.active) return;
    this.unsavedSince ??= Date.now();
    const latest = this.unsavedSince + LONGEST_DELAY - Date.now();
    this.timer = setTimeout(() => void this.save(), this.retries > 0 ? delay : Math.max(0, Math.min(delay, latest)));
    if (this.state.getState().state !== 'offline') this.state.setState({ state: 'saving' });
  }

  private async send(): Promise<void> {
    const { store, base, conflicts } = this.state.getState();
    if (!store || !this.notes.pending) return;
    const { doc } = store.getState();
    const unchanged = base && conflicts.length === 0 && isSameDoc(doc, base.doc);
    if (!unchanged) this.unconfirmed.push(doc);
    this.notes.sending();
    try {
      if (unchanged) {
        await this.dropUnchanged(doc);
        return;
      }
      const { version, savedAt } = await this.ports.server.put({
        version: this.synced.version,
        base: base?.revision ?? 0,
        doc,
      });
      this.saved({ version, doc }, savedAt);
    } catch (error) {
      if (error instanceof ApiError && error.status === 409)
        await this.rebaseOnConflict(error).catch((failed: unknown) => {
          this.failed(failed);
        });
      else this.failed(error);
    }
  }

  /** Deletes a draft without changes, so that it is listed no longer. */
  private async dropUnchanged(doc: Doc): Promise<void> {
    await this.deleteDraft();
    this.draftDeleted(doc);
    if (this.state.getState().store?.getState().doc === doc) this.allSaved();
    else this.schedule();
  }

  /** Records that the server has this document as a version, and sends later changes. */
  private saved(synced: Synced, savedAt: number): void {
    this.synced = synced;
    this.unconfirmed = [];
    this.retries = 0;
    this.unsavedSince = undefined;
    this.state.setState({ version: synced.version, savedAt, error: undefined, state: 'saved' });
    const { store } = this.state.getState();
    if (!store || isSameDoc(store.getState().doc, synced.doc)) {
      this.allSaved();
      return;
    }
    this.noteAll();
    this.notes.dropAdopted();
    this.schedule();
  }

  /** Drops all notes, since the server has the document. */
  private allSaved(): void {
    this.notes.clear();
    this.unsavedSince = undefined;
    this.retries = 0;
    this.stopTimer();
    this.state.setState({ state: 'saved', storedLocally: true, error: undefined });
  }

  /** After a refusal: merges the other version that the server has by now into the document, and sends the result. */
  private async rebaseOnConflict(refusal: ApiError): Promise<void> {
    const { server } = this.ports;
    const [draft, published] = [await server.draft(), await server.published()];
    if ((draft?.version ?? 0) === this.synced.version) {
      this.failed(refusal); // the server refuses something else than the version
      return;
    }
    const base = await this.newestBase(draft, published);
    const { store } = this.state.getState();
    if (!store) return;
    // A deleted draft was published, or discarded, on another page: the published document counts then.
    const theirs = ordered((draft ?? published)?.doc ?? this.ports.empty);
    const common = this.unconfirmed.find((sent) => isSameDoc(sent, theirs)) ?? this.synced.doc;
    this.synced = { version: draft?.version ?? 0, doc: theirs };
    this.unconfirmed = [];
    this.retries = 0;
    this.state.setState({ base, version: this.synced.version, savedAt: draft?.savedAt });
    this.applyMerge(merge(common, store.getState().doc, theirs));
    if (isSameDoc(store.getState().doc, theirs)) {
      this.allSaved();
      return;
    }
    this.noteAll();
    this.schedule(0);
  }

  /**
   * The newer revision of two: the base of this draft, and the base of the server's draft or, without one, the
   * published revision.
   */
  private async newestBase(draft: ServerDraft | undefined, published: Draft['base']): Promise<Draft['base']> {
    const { base } = this.state.getState();
    const newest = Math.max(base?.revision ?? 0, draft ? draft.base : (published?.revision ?? 0));
    return newest === base?.revision ? base : this.baseAt(newest, published);
  }

  /** Puts a merged document into the store as one command, and adds its conflicts to the shown ones. */
  private applyMerge({ doc, conflicts }: Merged): void {
    const { store, conflicts: earlier } = this.state.getState();
    store?.getState().endGesture();
    if (store && !isSameDoc(store.getState().doc, doc)) store.getState().apply(replaceAll(doc, 'merge'));
    this.setConflicts([...earlier, ...conflicts]);
  }

  private failed(error: unknown): void {
    this.retries++;
    const offline = isOffline(error);
    this.state.setState({ state: offline ? 'offline' : 'failed', error });
    if (offline) this.schedule(Math.min(SLOWEST_RETRY, FIRST_RETRY * 2 ** (this.retries - 1)));
  }

  /** Deletes the draft on the server, also if its version has changed. */
  private async deleteDraft(): Promise<void> {
    const { server } = this.ports;
    if (this.synced.version === 0 && this.unconfirmed.length === 0) return;
    try {
      await server.remove(this.synced.version);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      const draft = await server.draft();
      if (draft) await server.remove(draft.version);
    }
  }

  /** Records that the server has no draft: `doc` is the published document. */
  private draftDeleted(doc: Doc): void {
    this.synced = { version: 0, doc };
    this.unconfirmed = [];
    this.state.setState({ version: 0, savedAt: undefined, error: undefined });
  }

  /** Shows conflicts and notes them; with `replaceAll`, they replace the noted conflicts of all pages. */
  private setConflicts(conflicts: readonly Conflict[], replaceAll = false): void {
    const unique = [
      ...new Map(
        conflicts.map((conflict) => [JSON.stringify([conflict.path, conflict.mine, conflict.theirs]), conflict]),
      ).values(),
    ];
    this.state.setState({ conflicts: unique });
    this.ports.journal.setConflicts(this.page, unique, replaceAll);
  }

  private stopTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

const isSameDoc = (a: Doc, b: Doc): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Whether the sync retries by itself: the server is out of reach or too busy, or requires a login first. */
const isOffline = (error: unknown): boolean =>
  isTransient(error) || (error instanceof ApiError && error.status === 401);
