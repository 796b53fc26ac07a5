import { useTranslation } from 'react-i18next';
import { useEditor } from '../context';
import { useParts } from './desk';
import { addHere } from './outcome';
import { offeredBy } from './quick';
import { Sign } from './Sign';
import styles from './Start.module.css';

/** So many handlers are offered to begin with. */
const FEW = 4;

/** What stands on the canvas of a schedule without tasks: the first steps. They go once one is taken, so the focus has to go on. */
export function Start({ empty, onTaken }: { empty: boolean; onTaken: () => void }) {
  const { t } = useTranslation('canvas');
  const { handlers, store } = useEditor();
  const { acts } = useParts();
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
              addHere(store, acts, undefined, handler.name);
              onTaken();
            }}
          >
            <Sign handler={handler.name} />
            {handler.title ?? handler.name}
          </button>
        ))}
        {empty && (
          <button
            type="button"
            className={styles.offer}
            data-plain=""
            onClick={() => {
              acts.addJob(0);
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
