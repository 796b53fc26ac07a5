import { createContext, useContext } from 'react';
import type { Schemas } from '@/api/client';
import type { Doc } from '@/document';
import type { Draft, DraftActions } from '../drafts';

/** What the frame of the editor knows beside the document: what it stands on, and how far it is kept. */
export interface Session {
  name: string;
  draft: Draft & DraftActions;
  /** Whether the document says something else than what it stands on; always so for a schedule without a revision. */
  changed: boolean;
  /** How many changes there are since the base. */
  changes: number;
  /** The newest revision on the server, as far as it is known. */
  newest?: Schemas['Revision'];
  /** The revision that was published here last, since the page was opened. */
  done?: number;
  /** Notes that. */
  onPublished: (revision: number) => void;
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('this needs an EditorPage');
  return session;
}

/** Number that the next revision will have, as far as it is known. */
export const nextNumber = ({ newest, draft }: Session): number =>
  Math.max(newest?.number ?? 0, draft.base?.revision ?? 0) + 1;

/** Whether two documents say the same. */
export const isSame = (a: Doc, b: Doc): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
