import { useEffect, useState } from 'react';
import { api, data, type Schemas } from '@/api/client';
import type { Doc } from '@/document';

/** The server is asked after so many milliseconds without a change. */
const DELAY = 600;

/** The server's faults of a document, with the document that it was asked about. */
export interface ServerValidation {
  doc: Doc;
  valid: boolean;
  faults: readonly Schemas['Fault'][];
}

async function validate(doc: Doc, signal: AbortSignal): Promise<ServerValidation> {
  const { valid, faults } = await data(
    api.POST('/api/v1/validate', { body: doc as unknown as Record<string, never>, signal }),
  );
  return { doc, valid, faults };
}

/** Asks the server to validate the document, a moment after each change. Until it answers, the answer before stays. */
export function useServerValidation(doc: Doc): ServerValidation | undefined {
  const [validation, setValidation] = useState<ServerValidation>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      validate(doc, stop.signal).then(setValidation, () => undefined); // the header shows whether the server is there
    }, DELAY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [doc]);
  return validation;
}
