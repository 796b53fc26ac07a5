import { memo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import {
  type Doc,
  type FaultKind,
  jobOfTask,
  parseDuration,
  refusalOf,
  type Task,
  taskOf,
  withDefaults,
} from '@/document';
import type { GraphTask } from '@/graph';
import { CardFrame, isTooLong } from '@/scene';
import { useDoc, useEditor } from '../context';
import { ChosenBy } from '../presence/ChosenBy';
import { type CanvasState, type CardTexts, useCanvasState, useCardTexts } from './canvasStore';
import { HandlerBadge, handlerKind } from './handlers';
import styles from './TaskCard.module.css';

/** The card of a task in the editor: the first line of its command; its tooltip has its group, timeout and retries. */
export const TaskCard = memo(function TaskCard({ task, job, width }: { task: GraphTask; job: string; width: number }) {
  const texts = useCardTexts();
  const { t } = texts;
  const spec = useDoc((s) => taskOf(s.doc, task.key));
  const { fault, kind, connect, dragged, chosenBy } = useCardState(task.key);
  const names = chosenBy?.split('\n');
  const chosen = names && t('card.chosenBy', { names: names.join(', ') });
  const defaults = useDoc((s) => jobOfTask(s.doc, task.key)?.defaults);
  const facts = factsOf(spec && withDefaults(defaults, spec), texts);
  const off = useOff(spec, task.key);
  const command = off ?? firstLine(spec?.params);
  const line = command ?? (facts.length > 0 ? facts.join(' · ') : task.handler);
  return (
    <CardFrame
      task={task}
      job={job}
      width={width}
      state="none"
      data={{
        'data-fault': kind,
        'data-kind': handlerKind(task.handler),
        'data-off': flag(off !== undefined),
        'data-moved': flag(dragged),
        'data-allowed': flag(connect === 'allowed'),
        'data-refused': flag(connect === 'refused'),
        'data-linking': flag(connect === 'from'),
        'data-editable': '',
      }}
      sign={<HandlerBadge handler={task.handler} />}
      line={isTooLong(line, width) ? <span className={styles.line}>{line}</span> : line}
      tooltipLines={[task.handler, ...(off === undefined ? facts : [off]), chosen, fault]}
      spoken={[t('card.handler', { handler: task.handler }), chosen, fault].filter(Boolean).join(' ')}
    >
      {kind === 'empty' && <i className={styles.empty} aria-hidden="true" />}
      {(kind === 'wrong' || kind === 'warning') && (
        <svg className={styles.fault} viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 1.8 15 14H1zM8 6.2v3.6M8 11.8v.2" />
        </svg>
      )}
      {names && (
        <span className={styles.people}>
          <ChosenBy names={names} />
        </span>
      )}
      <i className={styles.handle} data-handle={task.key} aria-hidden="true" />
    </CardFrame>
  );
});

/** The text for a task that does not run: its job is disabled, or the task itself is. */
function useOff(spec: Task | undefined, key: string): string | undefined {
  const { t } = useCardTexts();
  const offByJob = useDoc((s) => jobOfTask(s.doc, key)?.disabled === true);
  if (offByJob) return t('card.jobOff');
  return spec?.disabled ? t('card.off') : undefined;
}

interface CardState {
  /** The text of its faults. */
  fault?: string;
  /** The kind of its most severe fault. */
  kind?: FaultKind;
  /** While a dependency is drawn: whether it starts at this task, or may end there. */
  connect?: 'from' | 'allowed' | 'refused';
  /** The task is dragged. */
  dragged: boolean;
  /** The names of others who have chosen it, one a line. */
  chosenBy?: string;
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
        kind: fault?.kind,
        connect: connectStateOf(() => store.getState().doc, connectSource(s), key),
        dragged: gesture.phase === 'dragging' && gesture.subject.kind === 'tasks' && gesture.subject.keys.includes(key),
        chosenBy: s.chosenBy.get(key),
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

/** The params that tell best what a task does, in this order. */
const MAIN_PARAMS = ['command', 'statement', 'script', 'url', 'query', 'code', 'file'];
/** More letters of a command have no room on any card. */
const MAX_LETTERS = 60;
/** Lines that only prepare the work: comments, shell options, folders, brackets, dropped tables. */
const PREPARATION = /^(#|--|set -|mkdir |cd |export |drop |begin\b|[{([]$|$)/i;

/** The beginning of the command, statement or address of a task, in one line and without its preparation. */
export function firstLine(params: Task['params']): string | undefined {
  const values = MAIN_PARAMS.map((name) => params?.[name]).concat(Object.values(params ?? {}));
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof text !== 'string') return undefined;
  const lines = text.split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => !PREPARATION.test(line));
  return lines.slice(Math.max(0, start)).join(' ').replace(/\s+/g, ' ').trim().slice(0, MAX_LETTERS);
}

/** The value of an attribute without a text: set or missing. */
const flag = (on: boolean) => (on ? '' : undefined);
