import { useEffect, useState } from 'react';
import { api, data, type Schemas } from '@/api/client';
import type { Doc } from '@/document';

/** Milliseconds without a change after which the server is asked. */
const CALM = 600;

/** What the server says about a document, and about which one it was asked. */
export interface ServerVerdict {
  doc: Doc;
  valid: boolean;
  faults: readonly Schemas['Fault'][];
}

/** Asks the server what is wrong with a document. */
const judge = async (doc: Doc, signal?: AbortSignal): Promise<ServerVerdict> => {
  const { valid, faults } = await data(
    api.POST('/api/v1/validate', { body: doc as unknown as Record<string, never>, signal }),
  );
  return { doc, valid, faults };
};

/** The server's verdict on the document, a moment after each change; the one before until then. */
export function useVerdict(doc: Doc): ServerVerdict | undefined {
  const [verdict, setVerdict] = useState<ServerVerdict>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      judge(doc, stop.signal).then(setVerdict, () => undefined); // whether the server is there is said elsewhere
    }, CALM);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [doc]);
  return verdict;
}
