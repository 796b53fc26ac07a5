import { useTranslation } from 'react-i18next';
import { useEditor } from '../context';
import { useCanvasContext } from './canvasStore';
import { addToCurrentJob } from './editActions';
import { offeredBy } from './handlerSearch';
import { HandlerBadge } from './HandlerBadge';
import styles from './EmptyState.module.css';

/** How many handlers are offered. */
const FEW = 4;

/**
 * What a canvas without tasks offers: the first steps. They disappear once one is taken; `onTaken` moves the focus on.
 */
export function EmptyState({ empty, onTaken }: { empty: boolean; onTaken: () => void }) {
  const { t } = useTranslation('canvas');
  const { handlers, store } = useEditor();
  const { edit } = useCanvasContext();
  const offered = [...handlers].sort((a, b) => offeredBy(b) - offeredBy(a)).slice(0, FEW);
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
