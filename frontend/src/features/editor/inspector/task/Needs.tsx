import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Command,
  connect,
  disconnect,
  note,
  noteText,
  redundantNeedsOf,
  refusalText,
  refuse,
  type Task,
} from '@/document';
import { useDoc, useEditor } from '../../context';
import { matching, Suggest } from '../fields/Suggest';
import { Field } from '../fields/Field';
import { Icon } from '../fields/Text';
import styles from '../Inspector.module.css';

/** The dependencies of a task: chips that lead to those tasks, and a field that adds one. */
export function Needs({ task }: { task: Task }) {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const { offers, add, remove, refusal, typed, setTyped } = useNeeds(task);
  const needs = task.needs ?? [];
  const redundant = redundantNeedsOf(doc, task);
  const inFirstJob = doc.jobs[0]?.tasks?.some((other) => other.key === task.key) ?? false;
  return (
    <Field
      label={t('needs.label')}
      name="needs"
      refusal={refusal}
      note={needs.length > 0 ? undefined : t(inFirstJob ? 'needs.first' : 'needs.all')}
    >
      {(control) => (
        <div className={styles.chips}>
          {needs.map((need) => (
            <Need
              key={need}
              need={need}
              redundant={redundant.includes(need)}
              onRemove={() => {
                remove(need);
              }}
            />
          ))}
          <div className={styles.adding}>
            <Suggest
              {...control}
              value={typed}
              placeholder={t('needs.add')}
              offer={offers}
              onChange={setTyped}
              onPick={(picked) => {
                add(picked);
                return undefined;
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && typed.trim() !== '') add(typed.trim());
                const last = needs.at(-1);
                if (event.key === 'Backspace' && typed === '' && last !== undefined) remove(last);
              }}
              onBlur={() => {
                setTyped('');
              }}
            />
          </div>
        </div>
      )}
    </Field>
  );
}

/** The commands on the needs of a task, with the typed text and why the last addition was refused. */
function useNeeds(task: Task) {
  const { t } = useTranslation('inspector');
  const { t: documentWords } = useTranslation('document');
  const { store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const [typed, setTyped] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const refusalOf = (from: string): string | undefined => {
    const refused = refuse(doc, from, task.key);
    if (refused) return refusalText(documentWords, refused);
    const noted = note(doc, from, task.key);
    return noted && noteText(documentWords, noted);
  };
  const offers = () => {
    const all = doc.jobs.flatMap((job) =>
      (job.tasks ?? [])
        .filter((other) => other.key !== task.key && !task.needs?.includes(other.key))
        .map((other) => {
          const refused = refuse(doc, other.key, task.key) !== undefined;
          return {
            value: other.key,
            label: other.title ? `${other.key} · ${other.title}` : other.key,
            detail: refused ? t('needs.notFrom', { job: job.title ?? job.key }) : (job.title ?? job.key),
            refused,
          };
        }),
    );
    const found = matching(all, typed);
    return [...found.filter((one) => !one.refused), ...found.filter((one) => one.refused)];
  };
  const apply = (command: Command | undefined) => {
    if (command) store.getState().apply({ ...command, select: undefined });
  };
  return {
    offers,
    refusal,
    typed,
    setTyped: (text: string) => {
      setTyped(text);
      setRefusal(undefined);
    },
    add: (from: string) => {
      const reason = refusalOf(from);
      setRefusal(reason);
      setTyped('');
      if (reason === undefined) apply(connect(doc, from, task.key));
    },
    remove: (from: string) => {
      apply(disconnect(doc, from, task.key));
    },
  };
}

/** One dependency as a chip. */
function Need({ need, redundant, onRemove }: { need: string; redundant: boolean; onRemove: () => void }) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  return (
    <span
      className={styles.chip}
      data-redundant={redundant || undefined}
      title={redundant ? t('needs.redundant') : undefined}
    >
      <button
        type="button"
        onClick={() => {
          store.getState().select({ tasks: [need] });
        }}
      >
        {need}
      </button>
      <button type="button" aria-label={t('needs.remove', { need })} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}
