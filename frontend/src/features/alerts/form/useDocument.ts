import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, api, data, type Schemas } from '@/api/client';
import { faultText, problemText } from '@/api/problem';
import { keys } from '@/api/queries';
import { toast } from '@/ui';
import { convertDocument, type DocumentKind, saveDocument } from '../calls';
import { within } from './document';
import { checkKey, useCheck, useTyped, type View } from './useTyped';

type Converted = Schemas['ConvertedAlert'];
type Fault = Schemas['Fault'];

/** A document in the form, and what is known of its faults. */
export interface Form<D> {
  doc: D;
  /** Replaces the document, because the field of a path was changed. */
  change: (next: D, path: string) => void;
  /** What is wrong with a field, as far as it is to be shown. */
  faultOf: (path: string) => string | undefined;
  /** What the server warns of at a field. */
  warningOf: (path: string) => string | undefined;
}

interface Options<D> {
  kind: DocumentKind;
  /** The rule or channel to edit; undefined for a new one. */
  name?: string;
  /** The document with which a new one begins. */
  initial: D;
  /** What the form refuses itself, by path. */
  refuse?: (doc: D) => Refused;
  onSaved: (name: string) => void;
}

/** The state of the dialog of a rule or a channel: what is typed, as a form or as YAML, and its faults. */
export function useDocument<D extends object>({ kind, name, initial, refuse, onSaved }: Options<D>) {
  const typed = useTyped<D>(kind, name, initial);
  const { view, doc, source } = typed;
  const check = useCheck(kind, source, typed.ready);
  const refused = view === 'form' ? (refuse?.(doc) ?? {}) : {};
  const shown = useShownFaults(check.data?.faults ?? [], refused);
  const [secrets, setSecrets] = useState<Record<string, string>>({});
  const base = typed.stored.data?.revision ?? 0;
  const { save, test, turn } = useActions({ kind, name, base, source, secrets, refused, onSaved, ...shown });
  const convert = (to: View) => {
    turn.mutate(undefined, {
      onSuccess: (answer) => {
        if (!answer) return;
        if (to === 'yaml') typed.setText(answer.document);
        else typed.setDoc(answer.definition as unknown as D);
        typed.setView(to);
      },
    });
  };
  const changed = (path: string) => {
    shown.touch(path);
    test.reset();
    save.reset();
  };
  const form: Form<D> = {
    doc,
    change: (next, path) => {
      typed.setDoc(next);
      changed(path);
    },
    ...shown,
  };
  return {
    stored: typed.stored,
    ready: typed.ready,
    view,
    text: typed.text,
    setText: (next: string) => {
      typed.setText(next);
      changed('');
    },
    form,
    secrets: {
      known: check.data?.secrets ?? [],
      typed: secrets,
      set: (secret: string, value: string) => {
        setSecrets((before) => ({ ...before, [secret]: value }));
        changed(`secrets.${secret}`);
      },
      faultOf: useSecretFault(save.error ?? test.error),
    },
    check,
    save,
    test,
    turn,
    convert,
    textFaults: shown.textFaults,
    elsewhere: shown.elsewhere,
  };
}

/** What the form refuses itself, by path. */
type Refused = Partial<Record<string, string>>;

interface Actions extends Pick<Options<never>, 'kind' | 'name' | 'onSaved'> {
  base: number;
  source: Parameters<typeof convertDocument>[1];
  secrets: Record<string, string>;
  refused: Refused;
  showAll: () => void;
}

/** Saves what is typed, tests it, and converts it. With faults, each does nothing but show all of them. */
function useActions({ kind, name, base, source, secrets, refused, onSaved, showAll }: Actions) {
  const client = useQueryClient();
  const { t } = useTranslation('alerts');
  const { t: problems } = useTranslation('problems');
  const [saved, setSaved] = useState<number>(); // after the document is saved but its secrets are not
  const convert = async () => {
    const answer = await convertDocument(kind, source);
    client.setQueryData(checkKey(kind, JSON.stringify(source)), answer);
    const ok = Object.keys(refused).length === 0 && answer.document !== undefined;
    return ok ? answer : undefined;
  };
  const orShowAll = { onSuccess: (done: unknown) => void (done || showAll()) };
  const turn = useMutation({ mutationFn: convert, ...orShowAll });
  const test = useMutation({
    mutationFn: async () => {
      const answer = await convert();
      if (!answer?.definition || !answer.valid) return undefined;
      const body = { definition: answer.definition, secrets: filled(secrets, answer) };
      return data(api.POST('/api/v1/channel-tests', { body }));
    },
    ...orShowAll,
  });
  const save = useMutation({
    mutationFn: async () => {
      const answer = await convert();
      if (!answer?.document || !answer.valid) return undefined;
      const of = name ?? answer.name ?? '';
      const now = await saveDocument(kind, of, answer.document, saved ?? base);
      setSaved(now.revision);
      const given = filled(secrets, answer);
      if (Object.keys(given).length > 0)
        await api.PUT('/api/v1/channels/{name}/secrets', { params: { path: { name: of } }, body: { secrets: given } });
      return now;
    },
    onSuccess: (now) => {
      if (!now) {
        showAll();
        return;
      }
      toast(t('document.saved', { name: now.name }));
      for (const fault of now.faults) toast(faultText(fault, problems), { error: true });
      // The next dialog asks again, because now the secrets are set.
      client.removeQueries({ queryKey: [...keys.alerts, 'document', 'check'] });
      onSaved(now.name);
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.alerts, predicate: isNoDocument }),
  });
  return { save, test, turn };
}

/** While a dialog is open, its document is not read again. */
const isNoDocument = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[1] !== 'document';

/** The secrets that were typed and that the channel has. */
function filled(typed: Record<string, string>, { secrets }: Converted): Record<string, string> {
  return Object.fromEntries(
    secrets.flatMap(({ name }) => (typed[name] ? [[name, typed[name]] as [string, string]] : [])),
  );
}

/** Shows the faults of fields that were touched. After a try to save or test, it shows all faults. */
function useShownFaults(faults: readonly Fault[], refused: Refused) {
  const { t } = useTranslation('problems');
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [showsAll, setShowsAll] = useState(false);
  const isShown = (path: string) => showsAll || [...touched].some((one) => within(path, one) || within(one, path));
  const at = (path: string, warning: boolean) =>
    isShown(path)
      ? faults
          .filter((fault) => within(fault.path, path) && (fault.warning ?? false) === warning)
          .map((fault) => faultText(fault, t))
          .join(' ') || undefined
      : undefined;
  return {
    faultOf: (path: string) => (isShown(path) ? refused[path] : undefined) ?? at(path, false),
    warningOf: (path: string) => at(path, true),
    touch: (path: string) => {
      setTouched((before) => new Set(before).add(path));
    },
    showAll: () => {
      setShowsAll(true);
    },
    /** The faults without a field among these. */
    elsewhere: (fields: readonly string[]) =>
      showsAll
        ? faults
            .filter((fault) => !fault.warning && !fields.some((field) => within(fault.path, field)))
            .map((fault) => faultText(fault, t))
        : [],
    /** All faults, with their places in the text. */
    textFaults: faults.map((fault) => ({
      text: [place(fault), faultText(fault, t)].filter(Boolean).join(' · '),
      warning: fault.warning,
    })),
  };
}

/** Where a fault is in the text. */
const place = ({ line, column, path }: Fault) => (line ? `${String(line)}:${String(column ?? 1)}` : path);

/** What the server says of the secret that it has refused. */
function useSecretFault(error: unknown): (secret: string) => string | undefined {
  const { t } = useTranslation('problems');
  const refused =
    error instanceof ApiError && error.problem.reason === 'secret_form' ? error.problem.params?.secret : undefined;
  return (secret) => (secret === refused ? problemText(error, t).detail : undefined);
}
