import { createContext, useContext } from 'react';
import type { Schemas } from '@/api/client';
import { diff, type Doc } from '@/document';
import type { Draft, DraftActions } from '../drafts/types';

/** The document as a draft: its base, its changes, and the publications. */
export interface Session {
  name: string;
  draft: Draft & DraftActions;
  /** Whether the document differs from its base; always true for a schedule without a revision. */
  changed: boolean;
  /** The number of changes since the base. */
  changes: number;
  /** The newest revision on the server, as far as this page knows. */
  newest?: Schemas['Revision'];
  /** The last revision that was published from this page. */
  publishedHere?: number;
  /** Sets `publishedHere`. */
  onPublished: (revision: number) => void;
}

/** Provides the session to the parts of the editor. */
export const SessionContext = createContext<Session | null>(null);

/** The session of the editor that contains the component. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('this needs an EditorPage');
  return session;
}

/** The number that the next revision will have, as far as this page knows. */
export const nextNumber = ({ newest, draft }: Session): number =>
  Math.max(newest?.number ?? 0, draft.base?.revision ?? 0) + 1;

/** Whether two documents are equal. */
export const isSame = (a: Doc, b: Doc): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The number of changes between two documents that differ: at least 1, also for a comment or an order. */
export const countChanges = (from: Doc, to: Doc): number => Math.max(1, diff(from, to).count);
