import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import type { Definition } from '@/api/definition';
import { convert, documentOf, draftsQuery, namesQuery, start, type Taken } from './calls';
import { copyOf, emptyDocument, nameFault, nameFrom } from './name';

/** What a new schedule may be made from. */
export const WAYS = ['empty', 'copy', 'text'] as const;
type Way = (typeof WAYS)[number];

/** The values with which the dialog opens. */
export interface Initial {
  name?: string;
  /** The name of the schedule to copy. */
  copy?: string;
}

interface Values {
  way: Way;
  name: string;
  title: string;
  /** The name of the schedule to copy. */
  source: string | null;
  /** The document as YAML or JSON. */
  text: string;
}

/** The dialog's values, what is wrong with them, and the command that makes the schedule. */
export function useCreate(initial: Initial, opened: boolean, done: () => void) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const names = useQuery({ ...namesQuery, enabled: opened });
  const [values, setValues] = useState<Values>({
    way: initial.copy === undefined ? 'empty' : 'copy',
    name: initial.name ?? '',
    title: '',
    source: initial.copy ?? null,
    text: '',
  });
  const [nameTyped, setNameTyped] = useState(initial.name !== undefined);
  const [submitted, setSubmitted] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ name: string; taken: Taken }>();
  const [textFaults, setTextFaults] = useState<readonly Schemas['Fault'][]>([]);
  const [error, setError] = useState<unknown>();

  const { name } = values;
  const fault = nameFault(name);
  const inList = names.data?.some((one) => one.name === name) ? ('schedule' as const) : undefined;
  const taken = inList ?? (refused?.name === name ? refused.taken : undefined);
  const missing = missingOf(values);

  const make = async () => {
    const { definition, faults } = await documentFrom(values);
    if (!definition) {
      setTextFaults(faults);
      return;
    }
    const by = await start(definition, client);
    if (by) {
      setRefused({ name, taken: by });
      return;
    }
    void client.invalidateQueries({ queryKey: draftsQuery.queryKey });
    done();
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
    schedules: names.data ?? [],
    /** What is wrong with the name, apart from being taken; an empty one only after the first attempt. */
    nameFault: fault === 'empty' && !submitted ? undefined : fault,
    /** What has the name already. */
    taken,
    missing: { source: submitted && missing.source, text: submitted && missing.text },
    textFaults,
    error,
    busy,
    /** Makes the schedule. False if something is missing or wrong, which is shown from now on. */
    submit: (): boolean => {
      setSubmitted(true);
      if (busy) return true;
      if (fault || taken || missing.source || missing.text) return false;
      setBusy(true);
      setError(undefined);
      setTextFaults([]);
      make()
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

/** Which values the picked way needs and does not have. */
const missingOf = ({ way, source, text }: Values) => ({
  source: way === 'copy' && source === null,
  text: way === 'text' && text.trim() === '',
});

/** The first document of the schedule; without a definition if the text has faults. */
async function documentFrom({ way, name, title, source, text }: Values): Promise<{
  definition?: Definition;
  faults: readonly Schemas['Fault'][];
}> {
  if (way === 'text') {
    const { definition, faults } = await convert(text);
    return { definition: definition && copyOf(definition as unknown as Definition, name, title), faults };
  }
  if (way === 'copy' && source !== null)
    return { definition: copyOf(await documentOf(source), name, title), faults: [] };
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return { definition: emptyDocument(name, title.trim(), zone), faults: [] };
}
