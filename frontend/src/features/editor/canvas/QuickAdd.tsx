import { type KeyboardEvent, type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tasksOf } from '@/document';
import { useSceneApi } from '@/scene';
import { type OfferedHandler, useEditor } from '../context';
import { type QuickAddState, useCanvasContext, useCanvasState } from './canvasStore';
import { byUse, HandlerBadge, executorCount, searchHandlers } from './handlers';
import styles from './QuickAdd.module.css';

/** The size of the menu in pixels, for keeping it within the window. */
const WIDTH = 260;
const HEIGHT = 300;

/** A small menu at the pointer or at a card. The user types a handler, a key or both; Enter adds the task. */
export function QuickAdd() {
  const quickAdd = useCanvasState((s) => s.quickAdd);
  return quickAdd ? <Menu key={`${quickAdd.client.x} ${quickAdd.client.y}`} at={quickAdd} /> : null;
}

function Menu({ at }: { at: QuickAddState }) {
  const { t } = useTranslation('canvas');
  const { edit, canvas } = useCanvasContext();
  const { store, handlers } = useEditor();
  const { root } = useSceneApi();
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [usual] = useState(() => byUse(tasksOf(store.getState().doc).map((task) => task.handler)));
  const { handlers: shown, key } = useMemo(() => searchHandlers(text, handlers, usual), [text, handlers, usual]);
  const current = Math.min(chosen, shown.length - 1);
  const input = useFocusAtOnce();

  const close = () => {
    canvas.setState({ quickAdd: undefined });
    root.current?.focus({ preventScroll: true });
  };
  const add = (handler: string | undefined) => {
    if (handler === undefined) return;
    close();
    edit.add(handler, at, key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = Math.max(1, shown.length);
    if (event.key === 'ArrowDown') setChosen((current + 1) % count);
    else if (event.key === 'ArrowUp') setChosen((current - 1 + count) % count);
    else if (event.key === 'Enter') add(shown[current]?.name);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = Math.max(8, Math.min(window.innerWidth - WIDTH - 8, at.client.x));
  const top = Math.max(8, Math.min(window.innerHeight - HEIGHT - 8, at.client.y));
  return (
    <div
      className={styles.menu}
      style={{ left, top, width: WIDTH }}
      data-own=""
      data-quick=""
      role="dialog"
      aria-label={t('quick.label')}
    >
      <input
        ref={input}
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={current < 0 ? undefined : `${id}-${current}`}
        aria-label={at.from === undefined ? t('quick.label') : t('quick.labelAfter', { task: at.from })}
        placeholder={t('quick.placeholder')}
        value={text}
        autoComplete="off"
        spellCheck={false}
        onBlur={() => {
          canvas.setState({ quickAdd: undefined });
        }}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <Placement at={at} taskKey={key} />
      <Options id={id} handlers={shown} current={current} onChoose={setChosen} onAdd={add} />
    </div>
  );
}

function useFocusAtOnce(): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
  }, []);
  return input;
}

/** Shows where the task would be added, and its key if one was typed. */
function Placement({ at, taskKey }: { at: QuickAddState; taskKey?: string }) {
  const { t } = useTranslation('canvas');
  const where = 'index' in at.into ? t('quick.newJob') : t('quick.inJob', { job: at.into.job });
  return (
    <p className={styles.where}>
      {taskKey === undefined ? where : t('quick.named', { key: taskKey, where })}
      {at.from !== undefined && ` · ${t('quick.after', { task: at.from })}`}
    </p>
  );
}

interface OptionsProps {
  /** The prefix of the ids of its elements. */
  id: string;
  handlers: readonly OfferedHandler[];
  /** The index of the chosen handler; -1 for none. */
  current: number;
  onChoose: (index: number) => void;
  onAdd: (handler: string) => void;
}

function Options({ id, handlers, current, onChoose, onAdd }: OptionsProps) {
  const { t } = useTranslation('canvas');
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('palette.handlers')} className={styles.list}>
      {handlers.map((handler, i) => (
        <div
          key={handler.name}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === current}
          tabIndex={-1}
          className={styles.option}
          onPointerEnter={() => {
            onChoose(i);
          }}
          onPointerDown={(event) => {
            event.preventDefault();
          }}
          onClick={() => {
            onAdd(handler.name);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onAdd(handler.name);
          }}
        >
          <HandlerBadge handler={handler.name} />
          <span>{handler.title ?? handler.name}</span>
          <small>{executorCount(handler)}</small>
        </div>
      ))}
      {handlers.length === 0 && <p className={styles.none}>{t('palette.none')}</p>}
    </div>
  );
}
