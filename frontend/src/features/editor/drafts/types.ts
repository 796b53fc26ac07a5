import type { Conflict, Doc, DocumentStore } from '@/document';

/**
 * Where the draft is stored. `offline`: in this browser only, because the server cannot be reached or the session has
 * ended; the sync continues by itself. `failed`: the draft cannot be loaded, or the server refuses it (`error` says
 * why); the next change retries.
 */
export type DraftState = 'loading' | 'saved' | 'saving' | 'offline' | 'failed';

/** A person's draft of one schedule, stored in this browser at once and on the server a moment later. */
export interface Draft {
  state: DraftState;
  /** Why the draft cannot be loaded (while `store` is undefined), or why the server refuses it. */
  error?: unknown;
  /** There is neither a schedule nor a draft of this name. */
  missing: boolean;
  /** When the server stored it last, in milliseconds since 1970; undefined if the server has no draft. */
  savedAt?: number;
  /** Whether this browser stores unsent changes. False if it has no room, or is not allowed to. */
  storedLocally: boolean;
  /** Version of the draft on the server; 0 if there is none. */
  version: number;
  /** The revision that it is based on; undefined for a schedule that has none yet. */
  base?: { revision: number; doc: Doc };
  /**
   * The document at the time of opening: the published document, the draft and this browser's notes, merged. Undefined
   * while loading.
   */
  doc?: Doc;
  /** The store of the document, made once when it is loaded. */
  store?: DocumentStore;
  /** The unresolved conflicts. The document has the value of `mine`. */
  conflicts: readonly Conflict[];
}

/** The commands on a draft. */
export interface DraftActions {
  /** Resolves a conflict for one side. */
  resolveConflict: (conflict: Conflict, side: 'mine' | 'theirs') => void;
  /**
   * Bases the draft on a document that was just published as a revision, and deletes the draft if nothing has changed
   * since.
   */
  published: (revision: number, doc: Doc) => void;
  /** Merges a revision of somebody else as one command that can be undone, and bases the draft on it. */
  rebase: (revision: number, doc: Doc) => void;
  /** Deletes the draft, here and on the server, and shows the published document. It can be undone. */
  discard: () => Promise<void>;
  /** Retries a failed load or save at once. */
  retry: () => void;
}

/** A draft as the server stores it. */
export interface ServerDraft {
  version: number;
  base: number;
  doc: Doc;
  savedAt: number;
}

/** The calls to the server that a DraftSync makes. They throw ApiError and OfflineError. */
export interface DraftServer {
  /** The newest revision; undefined if there is none. */
  published: () => Promise<{ revision: number; doc: Doc } | undefined>;
  /** The document of a revision. */
  revision: (number: number) => Promise<Doc>;
  /** The reader's draft; undefined if there is none. */
  draft: () => Promise<ServerDraft | undefined>;
  /** Replaces that version of the draft; an ApiError of 409 if the server has another version by now. */
  put: (draft: { version: number; base: number; doc: Doc }) => Promise<{ version: number; savedAt: number }>;
  /** Deletes that version of the draft; with 0, whichever version there is. An ApiError of 409 as for `put`. */
  remove: (version: number) => Promise<void>;
}
