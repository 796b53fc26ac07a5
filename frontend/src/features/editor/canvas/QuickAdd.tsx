import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { tasksOf } from '@/document';
import { useInside } from '@/scene';
import { useEditor } from '../context';
import { type QuickAt, useDesk, useParts } from './desk';
import { meant, offeredBy, usualIn } from './quick';
import styles from './QuickAdd.module.css';
import { Sign } from './Sign';

const WIDTH = 260;
const HEIGHT = 300;

/** A small menu at the pointer or at a card: type, press Enter, and the task is there. */
export function QuickAdd() {
  const quick = useDesk((s) => s.quick);
  return quick ? <Menu key={`${quick.client.x} ${quick.client.y}`} at={quick} /> : null;
}

function Menu({ at }: { at: QuickAt }) {
  const { t } = useTranslation('canvas');
  const { acts, desk } = useParts();
  const { store, handlers } = useEditor();
  const { root } = useInside();
  const id = useId();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [usual] = useState(() => usualIn(tasksOf(store.getState().doc).map((task) => task.handler)));
  const { handlers: shown, key } = useMemo(() => meant(text, handlers, usual), [text, handlers, usual]);
  const current = Math.min(chosen, shown.length - 1);
  useEffect(() => {
    input.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const close = () => {
    desk.setState({ quick: undefined });
    root.current?.focus({ preventScroll: true });
  };
  const add = (handler: string | undefined) => {
    if (handler === undefined) return;
    close();
    acts.add(handler, at, key);
  };
  const left = Math.max(8, Math.min(window.innerWidth - WIDTH - 8, at.client.x));
  const top = Math.max(8, Math.min(window.innerHeight - HEIGHT - 8, at.client.y));
  const where = 'index' in at.into ? t('quick.newJob') : t('quick.inJob', { job: at.into.job });
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
          desk.setState({ quick: undefined });
        }}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          const count = Math.max(1, shown.length);
          if (event.key === 'ArrowDown') setChosen((current + 1) % count);
          else if (event.key === 'ArrowUp') setChosen((current - 1 + count) % count);
          else if (event.key === 'Enter') add(shown[current]?.name);
          else if (event.key === 'Escape' || event.key === 'Tab') close();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <p className={styles.where}>
        {key === undefined ? where : t('quick.named', { key, where })}
        {at.from !== undefined && ` · ${t('quick.after', { task: at.from })}`}
      </p>
      <div ref={list} id={`${id}-list`} role="listbox" aria-label={t('palette.handlers')} className={styles.list}>
        {shown.map((handler, i) => (
          <div
            key={handler.name}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === current}
            tabIndex={-1}
            className={styles.option}
            onPointerEnter={() => {
              setChosen(i);
            }}
            onPointerDown={(event) => {
              event.preventDefault();
            }}
            onClick={() => {
              add(handler.name);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') add(handler.name);
            }}
          >
            <Sign handler={handler.name} />
            <span>{handler.title ?? handler.name}</span>
            <small>{offeredBy(handler)}</small>
          </div>
        ))}
        {shown.length === 0 && <p className={styles.none}>{t('palette.none')}</p>}
      </div>
    </div>
  );
}
