import type { Conflict, Doc, DocumentStore } from '@/document';

/**
 * How far the draft is kept. `offline`: in this browser only, the server is out of reach or nobody is logged in; it goes on by
 * itself. `failed`: it cannot be loaded, or the server refuses it (`error` says why); it is tried again after the next change.
 */
export type DraftState = 'loading' | 'saved' | 'saving' | 'offline' | 'failed';

/** A person's draft of one schedule, kept in this browser at once and on the server a moment later. */
export interface Draft {
  state: DraftState;
  /** Why it cannot be loaded (while `store` is undefined), or what the server refuses. */
  error?: unknown;
  /** There is neither a schedule nor a draft of this name. */
  missing: boolean;
  /** When it was kept on the server last, in milliseconds since 1970; undefined if there is no draft there. */
  savedAt?: number;
  /** What is not on the server yet is kept in this browser. False if it has no room or is not allowed to. */
  kept: boolean;
  /** Version of the draft on the server; 0: there is none. */
  version: number;
  /** The revision that it stands on; undefined for a schedule that has none yet. */
  base?: { revision: number; doc: Doc };
  /** The document as it was opened: published, draft and what this browser kept, joined. Undefined while loading. */
  doc?: Doc;
  /** The store of the document: made once, when it is loaded. */
  store?: DocumentStore;
  /** What two sides changed differently, until it is settled. The document holds mine. */
  conflicts: readonly Conflict[];
}

/** What can be done with a draft. */
export interface DraftActions {
  /** Settles a conflict for one side. */
  settle: (conflict: Conflict, side: 'mine' | 'theirs') => void;
  /** Tells that a document was published as this revision: the draft stands on it now, and is gone if nothing was changed since. */
  published: (revision: number, doc: Doc) => void;
  /** Joins a revision published by somebody else into the draft, as one command that can be undone; the draft stands on it then. */
  rebase: (revision: number, doc: Doc) => void;
  /** Throws the draft away, here and on the server, and shows what is published. It can be undone. */
  discard: () => Promise<void>;
  /** Tries now what could not be done. */
  retry: () => void;
}

/** A draft as the server keeps it. */
export interface ServerDraft {
  version: number;
  base: number;
  doc: Doc;
  savedAt: number;
}

/** What a keeper of drafts needs of the server. Calls throw ApiError and OfflineError. */
export interface DraftServer {
  /** The newest revision; undefined if there is none. */
  published: () => Promise<{ revision: number; doc: Doc } | undefined>;
  revision: (number: number) => Promise<Doc>;
  draft: () => Promise<ServerDraft | undefined>;
  /** Puts the draft in the place of that version; an ApiError of 409 if another one is there by now. */
  put: (draft: { version: number; base: number; doc: Doc }) => Promise<{ version: number; savedAt: number }>;
  remove: (version: number) => Promise<void>;
}
