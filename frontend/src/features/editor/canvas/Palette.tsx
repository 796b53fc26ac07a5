import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { jobOfMark } from '@/scene';
import { type OfferedHandler, useEditor } from '../context';
import { useParts } from './desk';
import { addHere, jobHere } from './outcome';
import styles from './Palette.module.css';
import { offeredBy } from './quick';
import { Sign } from './Sign';

const TAB = 'Tab';

/** From so many handlers on they can be searched. */
const MANY = 8;

/** The handlers that executors offer: dragged onto a lane, or pressed for the lane where one is. */
export function Palette({ onDone }: { onDone?: () => void }) {
  const { t } = useTranslation('canvas');
  const { handlers, store } = useEditor();
  const { acts, stage } = useParts();
  const [text, setText] = useState('');
  const low = text.toLowerCase();
  const shown = handlers.filter(
    ({ name, title }) => name.toLowerCase().includes(low) || title?.toLowerCase().includes(low),
  );
  const here = () => jobOfMark(stage.getState().active);
  return (
    <section className={styles.palette} aria-label={t('palette.name')}>
      <h2>{t('palette.handlers')}</h2>
      {handlers.length >= MANY && (
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
                addHere(store, acts, here(), handler.name);
                onDone?.();
              }}
              onGone={onDone}
            />
          </li>
        ))}
      </ul>
      {handlers.length === 0 && <p className={styles.none}>{t('palette.none')}</p>}
      <h2>{t('palette.jobs')}</h2>
      <button
        type="button"
        className={styles.entry}
        data-add-job=""
        onClick={() => {
          const { doc } = store.getState();
          const job = jobHere(store, here());
          acts.addJob(job === undefined ? doc.jobs.length : doc.jobs.findIndex((each) => each.key === job) + 1);
          onDone?.();
        }}
      >
        <span className={styles.plus} aria-hidden="true" />
        <span className={styles.name}>{t('palette.job')}</span>
      </button>
      <p className={styles.hint}>
        {t('palette.hint')} <kbd>{TAB}</kbd> {t('palette.hintAfter')}
      </p>
    </section>
  );
}

function Entry({ handler, onAdd, onGone }: { handler: OfferedHandler; onAdd: () => void; onGone?: () => void }) {
  const { t } = useTranslation('canvas');
  const { desk } = useParts();
  const count = offeredBy(handler);
  const name = handler.title ?? handler.name;
  return (
    <button
      type="button"
      className={styles.entry}
      data-handler={handler.name}
      data-none={count === 0 || undefined}
      title={[handler.description, t('palette.offered', { count })].filter(Boolean).join('\n')}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.releasePointerCapture(event.pointerId);
        desk.getState().grab?.(event.nativeEvent, { held: 'handler', handler: handler.name });
        onGone?.();
      }}
      onClick={(event) => {
        if (event.detail === 0) onAdd();
      }} // by keyboard; the pointer's click comes from the hand
    >
      <Sign handler={handler.name} />
      <span className={styles.name} aria-hidden="true">
        {name}
      </span>
      <small aria-hidden="true">{count}</small>
      <span className="hg-visually-hidden">{t('palette.add', { name, count })}</span>
    </button>
  );
}
