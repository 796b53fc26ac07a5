import { memo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { parseDuration, refuse, taskOf } from '@/document';
import type { GraphTask } from '@/graph';
import { CardFrame, isTooLong } from '@/scene';
import { useDoc, useEditor } from '../context';
import { type Desk, useDesk, useWords } from './desk';
import { Sign } from './Sign';
import styles from './TaskCard.module.css';

/** A task as it is edited: its handler, where it runs, how long and how often. */
export const TaskCard = memo(function TaskCard({ task, job }: { task: GraphTask; job: string }) {
  const { t, span } = useWords();
  const { store } = useEditor();
  const spec = useDoc((s) => taskOf(s.doc, task.key));
  const { fault, warning, aim, moved } = useDesk(
    useShallow((s) => {
      const from = linkedFrom(s);
      const known = s.faults.get(task.key);
      return {
        fault: known?.text,
        warning: known?.warning === true,
        aim:
          from === undefined
            ? undefined
            : from === task.key
              ? 'from'
              : refuse(store.getState().doc, from, task.key)
                ? 'refused'
                : 'allowed',
        moved: s.hand.is === 'dragging' && s.hand.what.held === 'tasks' && s.hand.what.keys.includes(task.key),
      };
    }),
  );
  const timeout = spec?.timeout === undefined ? undefined : parseDuration(spec.timeout);
  const retries = spec?.retry?.max ?? 0;
  const facts = [
    spec?.group,
    timeout !== undefined && timeout > 0 && span(timeout),
    retries > 0 && t('card.retries', { count: retries }),
  ].filter(Boolean);
  const off = spec?.disabled === true;
  const line = off ? t('card.off') : facts.length > 0 ? facts.join(' · ') : task.handler;
  return (
    <CardFrame
      task={task}
      job={job}
      state="none"
      data={{
        'data-fault': fault === undefined ? undefined : warning ? 'warning' : 'fault',
        'data-off': off ? '' : undefined,
        'data-moved': moved ? '' : undefined,
        'data-allowed': aim === 'allowed' ? '' : undefined,
        'data-refused': aim === 'refused' ? '' : undefined,
        'data-linking': aim === 'from' ? '' : undefined,
        'data-editable': '',
      }}
      sign={<Sign handler={task.handler} />}
      line={isTooLong(line) ? <span className={styles.line}>{line}</span> : line}
      words={[task.handler, ...(off ? [t('card.off')] : facts), fault]}
      heard={[t('card.handler', { handler: task.handler }), fault].filter(Boolean).join(' ')}
    >
      {fault !== undefined && (
        <svg className={styles.fault} viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 1.8 15 14H1zM8 6.2v3.6M8 11.8v.2" />
        </svg>
      )}
      <i className={styles.handle} data-handle={task.key} aria-hidden="true" />
    </CardFrame>
  );
});

/** The task from which a dependency is being drawn, by hand or by keys. */
function linkedFrom({ hand, linking }: Desk): string | undefined {
  return hand.is === 'dragging' && hand.what.held === 'edge' ? hand.what.from : linking;
}
