import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Command,
  connect,
  disconnect,
  noteOf,
  noteText,
  redundantNeedsOf,
  refusalText,
  refusalOf,
  type Task,
} from '@/document';
import { useDoc, useEditor } from '../../context';
import { matching, Suggest } from '../fields/Suggest';
import { Field } from '../fields/Field';
import { Icon } from '../fields/Text';
import styles from '../Inspector.module.css';

/** The dependencies of a task: chips that select the needed tasks, and a field that adds one. */
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
              suggest={offers}
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

/** The commands on the needs of a task, the typed text, and the reason why the last addition was refused. */
function useNeeds(task: Task) {
  const { t } = useTranslation('inspector');
  const { t: tDocument } = useTranslation('document');
  const { store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const [typed, setTyped] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const reasonAgainst = (from: string): string | undefined => {
    const refused = refusalOf(doc, from, task.key);
    if (refused) return refusalText(tDocument, refused);
    const hint = noteOf(doc, from, task.key);
    return hint && noteText(tDocument, hint);
  };
  const suggest = () => {
    const all = doc.jobs.flatMap((job) =>
      (job.tasks ?? [])
        .filter((other) => other.key !== task.key && !task.needs?.includes(other.key))
        .map((other) => {
          const refused = refusalOf(doc, other.key, task.key) !== undefined;
          return {
            value: other.key,
            label: other.title ? `${other.key} · ${other.title}` : other.key,
            detail: refused ? t('needs.notFrom', { job: job.title ?? job.key }) : (job.title ?? job.key),
            refused,
          };
        }),
    );
    const matches = matching(all, typed);
    return [...matches.filter((one) => !one.refused), ...matches.filter((one) => one.refused)];
  };
  const apply = (command: Command | undefined) => {
    if (command) store.getState().apply({ ...command, select: undefined });
  };
  return {
    offers: suggest,
    refusal,
    typed,
    setTyped: (text: string) => {
      setTyped(text);
      setRefusal(undefined);
    },
    add: (from: string) => {
      const reason = reasonAgainst(from);
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
