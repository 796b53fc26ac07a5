import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type OfferedHandler, useEditor } from '../context';
import { useCanvasContext } from './canvasStore';
import { addToCurrentJob, currentJob } from './editActions';
import { HandlerBadge, executorCount } from './handlers';
import { addJobAndName } from './newJob';
import styles from './Palette.module.css';

/** In a narrower window the palette begins as a strip of icons: the cards are then large enough to be read. */
const ROOM_FOR_NAMES = 1440;

/** The palette with its frame: foldable at the left of the scene, or on a narrow screen a panel at the bottom. */
export function PalettePanel({ fromBelow = false }: { fromBelow?: boolean }) {
  return fromBelow ? <BottomPanel /> : <SidePanel />;
}

function SidePanel() {
  const { t } = useTranslation('canvas');
  const [open, setOpen] = useState(() => window.innerWidth >= ROOM_FOR_NAMES);
  return (
    <div className={styles.side} data-folded={!open || undefined}>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={open}
        aria-label={t('palette.name')}
        title={t(open ? 'palette.fold' : 'palette.unfold')}
        onClick={() => {
          setOpen(!open);
        }}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M9.5 4.5 6 8l3.5 3.5" />
        </svg>
      </button>
      <Palette folded={!open} />
    </div>
  );
}

function BottomPanel() {
  const { t } = useTranslation('canvas');
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={styles.open}
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
        }}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 3.5v9M3.5 8h9" />
        </svg>
        {t('palette.open')}
      </button>
      {open && (
        <div className={styles.panel}>
          <Palette
            onDone={() => {
              setOpen(false);
            }}
          />
        </div>
      )}
    </>
  );
}

const TAB = 'Tab';

/** The least number of handlers for which the palette has a search field. */
const SEARCHABLE = 8;

interface PaletteProps {
  /** Whether the palette is a strip of icons. It has no search field then, so it shows all handlers. */
  folded?: boolean;
  onDone?: () => void;
}

/** The handlers that executors offer. Drag one onto a lane, or click it to add a task to the current job. */
function Palette({ folded = false, onDone }: PaletteProps) {
  const { t } = useTranslation('canvas');
  const { handlers, store } = useEditor();
  const { edit, canvas, sceneStore } = useCanvasContext();
  const [text, setText] = useState('');
  if (folded && text !== '') setText('');
  const low = text.toLowerCase();
  const shown = handlers.filter(
    ({ name, title }) => name.toLowerCase().includes(low) || title?.toLowerCase().includes(low),
  );
  const addJob = () => {
    const { jobs } = store.getState().doc;
    const job = currentJob(store, sceneStore.getState().active);
    const index = job === undefined ? jobs.length : jobs.findIndex((each) => each.key === job) + 1;
    addJobAndName({ edit, canvas }, index);
    onDone?.();
  };
  return (
    <section className={styles.palette} aria-label={t('palette.name')}>
      <h2>{t('palette.handlers')}</h2>
      {handlers.length >= SEARCHABLE && (
        <input
          className={styles.search}
          type="search"
          value={text}
          placeholder={t('palette.search')}
          aria-label={t('palette.search')}
          onChange={(event) => {
            setText(event.currentTarget.value);
          }}
        />
      )}
      <ul className={styles.list}>
        {shown.map((handler) => (
          <li key={handler.name}>
            <Entry
              handler={handler}
              onAdd={() => {
                addToCurrentJob(store, edit, sceneStore.getState().active, handler.name);
                onDone?.();
              }}
              onDrag={onDone}
            />
          </li>
        ))}
      </ul>
      {handlers.length === 0 && (
        <p className={styles.none} title={folded ? t('palette.none') : undefined}>
          <span>{t('palette.none')}</span>
        </p>
      )}
      <h2>{t('palette.jobs')}</h2>
      <button type="button" className={styles.entry} title={t('palette.job')} data-add-job="" onClick={addJob}>
        <span className={styles.plus} aria-hidden="true" />
        <span className={styles.name}>{t('palette.job')}</span>
      </button>
      <p className={styles.hint}>
        {t('palette.hint')} <kbd>{TAB}</kbd> {t('palette.hintAfter')}
      </p>
    </section>
  );
}

function Entry({ handler, onAdd, onDrag }: { handler: OfferedHandler; onAdd: () => void; onDrag?: () => void }) {
  const { t } = useTranslation('canvas');
  const { canvas } = useCanvasContext();
  const count = executorCount(handler);
  const name = handler.title ?? handler.name;
  return (
    <button
      type="button"
      className={styles.entry}
      data-handler={handler.name}
      data-none={count === 0 || undefined}
      title={[name, handler.description, t('palette.offered', { count })].filter(Boolean).join('\n')}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.releasePointerCapture(event.pointerId);
        canvas.getState().startDrag?.(event.nativeEvent, { kind: 'handler', handler: handler.name });
        onDrag?.();
      }}
      onClick={(event) => {
        if (event.detail === 0) onAdd();
      }} // by keyboard; a click of the pointer is a gesture that `startDrag` began
    >
      <HandlerBadge handler={handler.name} />
      <span className={styles.name} aria-hidden="true">
        {name}
        {handler.description && <small>{handler.description}</small>}
      </span>
      <span className="hg-visually-hidden">{t('palette.add', { name, count })}</span>
    </button>
  );
}

/** The most handlers that an empty canvas offers. */
const MAX_OFFERS = 4;

/**
 * The first steps on a canvas without tasks. They disappear after a step; `onTaken` must then focus another element.
 */
export function EmptyState({ empty, onTaken }: { empty: boolean; onTaken: () => void }) {
  const { t } = useTranslation('canvas');
  const { handlers, store } = useEditor();
  const { edit } = useCanvasContext();
  const offered = [...handlers].sort((a, b) => executorCount(b) - executorCount(a)).slice(0, MAX_OFFERS);
  return (
    <div className={styles.start} data-start="" data-below={!empty || undefined}>
      <h2>{t(empty ? 'start.title' : 'start.titleJobs')}</h2>
      <p>{t(offered.length > 0 ? 'start.text' : 'start.alone')}</p>
      <div className={styles.offers}>
        {offered.map((handler) => (
          <button
            key={handler.name}
            type="button"
            className={styles.offer}
            onClick={() => {
              addToCurrentJob(store, edit, undefined, handler.name);
              onTaken();
            }}
          >
            <HandlerBadge handler={handler.name} />
            {handler.title ?? handler.name}
          </button>
        ))}
        {empty && (
          <button
            type="button"
            className={styles.offer}
            data-plain=""
            onClick={() => {
              edit.addJob(0);
              onTaken();
            }}
          >
            {t('start.job')}
          </button>
        )}
      </div>
    </div>
  );
}
