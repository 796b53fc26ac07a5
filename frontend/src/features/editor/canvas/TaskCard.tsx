import { memo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { type Doc, parseDuration, refusalOf, type Task, taskOf } from '@/document';
import type { GraphTask } from '@/graph';
import { CardFrame, isTooLong } from '@/scene';
import { useDoc, useEditor } from '../context';
import { type CanvasState, type CardTexts, useCanvasState, useCardTexts } from './canvasStore';
import { HandlerBadge } from './handlers';
import styles from './TaskCard.module.css';

/** The card of a task in the editor: its handler, group, timeout and retries. */
export const TaskCard = memo(function TaskCard({ task, job }: { task: GraphTask; job: string }) {
  const texts = useCardTexts();
  const { t } = texts;
  const spec = useDoc((s) => taskOf(s.doc, task.key));
  const { fault, warning, connect, dragged } = useCardState(task.key);
  const facts = factsOf(spec, texts);
  const disabled = spec?.disabled === true;
  const line = lineOf(disabled ? [t('card.off')] : facts, task.handler);
  return (
    <CardFrame
      task={task}
      job={job}
      state="none"
      data={{
        'data-fault': fault === undefined ? undefined : warning ? 'warning' : 'fault',
        'data-off': flag(disabled),
        'data-moved': flag(dragged),
        'data-allowed': flag(connect === 'allowed'),
        'data-refused': flag(connect === 'refused'),
        'data-linking': flag(connect === 'from'),
        'data-editable': '',
      }}
      sign={<HandlerBadge handler={task.handler} />}
      line={isTooLong(line) ? <span className={styles.line}>{line}</span> : line}
      tooltipLines={[task.handler, ...(disabled ? [t('card.off')] : facts), fault]}
      spoken={[t('card.handler', { handler: task.handler }), fault].filter(Boolean).join(' ')}
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

interface CardState {
  /** The text of its faults. */
  fault?: string;
  /** All its faults are warnings. */
  warning: boolean;
  /** While a dependency is drawn: whether it starts at this task, or may end there. */
  connect?: 'from' | 'allowed' | 'refused';
  /** The task is dragged. */
  dragged: boolean;
}

/** The canvas state of one task. The card renders again only if this state changes. */
function useCardState(key: string): CardState {
  const { store } = useEditor();
  return useCanvasState(
    useShallow((s): CardState => {
      const fault = s.faults.get(key);
      const { gesture } = s;
      return {
        fault: fault?.text,
        warning: fault?.warning === true,
        connect: connectStateOf(() => store.getState().doc, connectSource(s), key),
        dragged: gesture.phase === 'dragging' && gesture.subject.kind === 'tasks' && gesture.subject.keys.includes(key),
      };
    }),
  );
}

function connectStateOf(doc: () => Doc, from: string | undefined, key: string): CardState['connect'] {
  if (from === undefined) return undefined;
  if (from === key) return 'from';
  return refusalOf(doc(), from, key) ? 'refused' : 'allowed';
}

/** The task from which a dependency is drawn, by pointer or by keys. */
function connectSource({ gesture, connectingFrom }: CanvasState): string | undefined {
  return gesture.phase === 'dragging' && gesture.subject.kind === 'edge' ? gesture.subject.from : connectingFrom;
}

/** Group, timeout and retries of a task; unset ones are left out. */
function factsOf(spec: Task | undefined, { t, span }: CardTexts): string[] {
  const timeout = spec?.timeout === undefined ? 0 : (parseDuration(spec.timeout) ?? 0);
  const retries = spec?.retry?.max ?? 0;
  const facts = [spec?.group, timeout > 0 && span(timeout), retries > 0 && t('card.retries', { count: retries })];
  return facts.filter((fact) => typeof fact === 'string' && fact !== '') as string[];
}

const lineOf = (facts: readonly string[], handler: string) => (facts.length > 0 ? facts.join(' · ') : handler);

/** The value of an attribute without a text: set or missing. */
const flag = (on: boolean) => (on ? '' : undefined);
