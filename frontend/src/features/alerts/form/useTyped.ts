import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys } from '@/api/queries';
import { convertDocument, type DocumentKind, readDocument, type Source } from '../calls';

/** Milliseconds without typing after which the server checks what was typed. */
const CHECK_DELAY = 300;

/** The view of a document in its dialog. */
export type View = 'form' | 'yaml';

/** What is typed in the dialog of a rule or a channel. A new one begins with `initial`. */
export function useTyped<D extends object>(kind: DocumentKind, name: string | undefined, initial: D) {
  const stored = useQuery({
    queryKey: [...keys.alerts, 'document', kind, name],
    queryFn: async () => {
      const { document, revision } = await readDocument(kind, name ?? '');
      const { definition } = await convertDocument(kind, { yaml: document });
      return { revision, document, doc: definition as unknown as D | undefined };
    },
    enabled: name !== undefined,
    staleTime: Infinity, // what is typed belongs to the revision that was read when the dialog opened
    gcTime: 0,
  });
  const [typedDoc, setDoc] = useState<D>();
  const [typedText, setText] = useState<string>();
  const [chosen, setView] = useState<View>();
  // A document that a former version has accepted may have no form.
  const view = chosen ?? (stored.data && !stored.data.doc ? 'yaml' : 'form');
  const doc = typedDoc ?? stored.data?.doc ?? initial;
  const text = typedText ?? stored.data?.document ?? '';
  const source: Source = view === 'form' ? { doc } : { yaml: text };
  return { stored, ready: name === undefined || stored.isSuccess, view, setView, doc, setDoc, text, setText, source };
}

/** The key of the verdict of the server on what is typed. */
export const checkKey = (kind: DocumentKind, source: string) => [...keys.alerts, 'document', 'check', kind, source];

/** What the server says of what is typed, a moment after each change. */
export function useCheck(kind: DocumentKind, source: Source, enabled: boolean) {
  const settled = useSettled(JSON.stringify(source));
  return useQuery({
    queryKey: checkKey(kind, settled),
    queryFn: () => convertDocument(kind, JSON.parse(settled) as Source),
    enabled,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
}

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value);
    }, CHECK_DELAY);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return settled;
}
