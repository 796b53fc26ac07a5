import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { connect, disconnect, note, noteText, redundantNeedsOf, refusalText, refuse, type Task } from '@/document';
import { useDoc, useEditor } from '../../context';
import { matching } from '../fields/Combo';
import { Field } from '../fields/Field';
import { Icon } from '../fields/Icons';
import { Suggest } from '../fields/Suggest';
import styles from '../Inspector.module.css';

/** What a task waits for: chips that lead to those tasks, and a way to add one. */
export function Needs({ task }: { task: Task }) {
  const { t } = useTranslation('inspector');
  const { t: words } = useTranslation('document');
  const { store } = useEditor();
  const doc = useDoc((s) => s.doc);
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState<string>();
  const needs = task.needs ?? [];
  const redundant = redundantNeedsOf(doc, task);
  const first = doc.jobs[0]?.tasks?.some((other) => other.key === task.key) ?? false;
  const why = (from: string): string | undefined => {
    const refusal = refuse(doc, from, task.key);
    if (refusal) return refusalText(words, refusal);
    const known = note(doc, from, task.key);
    return known && noteText(words, known);
  };
  const offers = () => {
    const all = doc.jobs.flatMap((job) =>
      (job.tasks ?? [])
        .filter((other) => other.key !== task.key && !needs.includes(other.key))
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
  const add = (from: string) => {
    const reason = why(from);
    setSaid(reason);
    setTyped('');
    const command = reason === undefined ? connect(doc, from, task.key) : undefined;
    if (command) store.getState().apply({ ...command, select: undefined });
  };
  const remove = (from: string) => {
    const command = disconnect(doc, from, task.key);
    if (command) store.getState().apply({ ...command, select: undefined });
  };
  return (
    <Field
      label={t('needs.label')}
      name="needs"
      refusal={said}
      note={needs.length > 0 ? undefined : t(first ? 'needs.first' : 'needs.all')}
    >
      {(control) => (
        <div className={styles.chips}>
          {needs.map((need) => (
            <span
              key={need}
              className={styles.chip}
              data-redundant={redundant.includes(need) || undefined}
              title={redundant.includes(need) ? t('needs.redundant') : undefined}
            >
              <button
                type="button"
                onClick={() => {
                  store.getState().select({ tasks: [need] });
                }}
              >
                {need}
              </button>
              <button
                type="button"
                aria-label={t('needs.remove', { need })}
                onClick={() => {
                  remove(need);
                }}
              >
                <Icon name="close" />
              </button>
            </span>
          ))}
          <div className={styles.adding}>
            <Suggest
              {...control}
              value={typed}
              placeholder={t('needs.add')}
              offer={offers}
              onChange={(text) => {
                setTyped(text);
                setSaid(undefined);
              }}
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
                setSaid(undefined);
              }}
            />
          </div>
        </div>
      )}
    </Field>
  );
}
