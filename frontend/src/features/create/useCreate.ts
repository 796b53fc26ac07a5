import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { proposedQuery } from '@/api/queries';
import { convert, createDraft, draftsQuery, fetchDefinition, type NameOwner, takenQuery } from './calls';
import { copyOf, emptyDocument, nameFault, nameFrom } from './name';

/** Milliseconds after the last letter until the server searches. */
const SEARCH_DELAY = 150;
/** The sources of a new schedule. */
export const SOURCES = ['empty', 'copy', 'text'] as const;
type Source = (typeof SOURCES)[number];

/** The values with which the dialog opens. */
export interface Initial {
  name?: string;
  /** The name of the schedule to copy. */
  copy?: string;
}

interface Values {
  source: Source;
  name: string;
  title: string;
  /** The name of the schedule to copy. */
  copyOf: string | null;
  /** The document as YAML or JSON. */
  text: string;
}

/** The values of the dialog, their faults, and the function that creates the schedule. */
export function useCreate(initial: Initial, opened: boolean, onCreated: () => void) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [values, setValues] = useState<Values>({
    source: initial.copy === undefined ? 'empty' : 'copy',
    name: initial.name ?? '',
    title: '',
    copyOf: initial.copy ?? null,
    text: '',
  });
  const [nameTyped, setNameTyped] = useState(initial.name !== undefined);
  const [submitted, setSubmitted] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ name: string; owner: NameOwner }>();
  const [textFaults, setTextFaults] = useState<readonly Schemas['Fault'][]>([]);
  const [error, setError] = useState<unknown>();

  const { name } = values;
  const fault = nameFault(name);
  const inList = useTaken(name, opened) ? ('schedule' as const) : undefined;
  const copies = useCopies(values, opened);
  const nameOwner = inList ?? (refused?.name === name ? refused.owner : undefined);
  const missing = missingOf(values);

  const create = async () => {
    const { definition, faults } = await documentFrom(values);
    if (!definition) {
      setTextFaults(faults);
      return;
    }
    const owner = await createDraft(definition, client);
    if (owner) {
      setRefused({ name, owner });
      return;
    }
    void client.invalidateQueries({ queryKey: draftsQuery.queryKey });
    onCreated();
    await navigate({ to: '/schedules/$name', params: { name }, search: {} });
  };
  return {
    values,
    set: (fields: Partial<Values>) => {
      setValues((before) => ({ ...before, ...fields }));
      if (fields.name !== undefined) setNameTyped(fields.name !== '');
      if (fields.text !== undefined) setTextFaults([]);
    },
    /** Sets the name that a text suggests, unless the author has typed one. */
    propose: (from: string) => {
      if (!nameTyped) setValues((before) => ({ ...before, name: nameFrom(from) }));
    },
    copies,
    /** The fault of the name. An empty name counts as a fault only after the first attempt to submit. */
    nameFault: fault === 'empty' && !submitted ? undefined : fault,
    /** The object that already has the name. */
    nameOwner,
    missing: { copyOf: submitted && missing.copyOf, text: submitted && missing.text },
    textFaults,
    error,
    busy,
    /** Creates the schedule. Returns false if a value is missing or invalid; the dialog then shows its faults. */
    submit: (): boolean => {
      setSubmitted(true);
      if (busy) return true;
      if (fault || nameOwner || missing.copyOf || missing.text) return false;
      setBusy(true);
      setError(undefined);
      setTextFaults([]);
      create()
        .catch((failed: unknown) => {
          setError(failed);
        })
        .finally(() => {
          setBusy(false);
        });
      return true;
    },
  };
}

/** Whether a schedule has a name. While the name is typed, it is not known. */
function useTaken(name: string, opened: boolean): boolean {
  const [settled] = useDebouncedValue(name, SEARCH_DELAY);
  const taken = useQuery({ ...takenQuery(settled), enabled: opened && nameFault(settled) === undefined });
  return settled === name && !taken.isPlaceholderData && taken.data === true;
}

/** The schedules that match the search for the one to copy. */
function useCopies({ source, copyOf: chosen }: Values, opened: boolean) {
  const [search, setSearch] = useState('');
  // The field has the name and the title of the chosen schedule; the others are proposed then, too.
  const searched = search.split(' · ')[0]?.trim() ?? '';
  const [words] = useDebouncedValue(searched === chosen ? '' : searched, SEARCH_DELAY);
  const proposed = useQuery({ ...proposedQuery(words), enabled: opened && source === 'copy' });
  return { schedules: proposed.data ?? [], search, setSearch };
}

/** Which values the chosen source needs and does not have. */
const missingOf = ({ source, copyOf: original, text }: Values) => ({
  copyOf: source === 'copy' && original === null,
  text: source === 'text' && text.trim() === '',
});

/** The first document of the schedule; without a definition if the text has faults. */
async function documentFrom({ source, name, title, copyOf: original, text }: Values): Promise<{
  definition?: Definition;
  faults: readonly Schemas['Fault'][];
}> {
  if (source === 'text') {
    const { definition, faults } = await convert(text);
    return { definition: definition && copyOf(definition as unknown as Definition, name, title), faults };
  }
  if (source === 'copy' && original !== null)
    return { definition: copyOf(await fetchDefinition(original), name, title), faults: [] };
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { definition: emptyDocument(name, title.trim(), zone), faults: [] };
}
