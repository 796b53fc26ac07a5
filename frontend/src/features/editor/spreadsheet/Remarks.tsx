import { useTranslation } from 'react-i18next';
import styles from './Spreadsheet.module.css';

/** A remark on a row: why it or one of its cells is left out, or what the editor finds in its task. */
export interface Remark {
  /** As the spreadsheet counts it. */
  row: number;
  text: string;
  /** The row is left out. */
  whole: boolean;
}

/** How many remarks are listed. */
const SHOWN = 50;

/** The remarks on the rows. */
export function Remarks({ remarks }: { remarks: readonly Remark[] }) {
  const { t } = useTranslation('spreadsheet');
  if (remarks.length === 0) return null;
  return (
    <section aria-label={t('faults', { count: remarks.length })} className={styles.remarks}>
      <h3>{t('faults', { count: remarks.length })}</h3>
      <ul>
        {remarks.slice(0, SHOWN).map(({ row, text, whole }, n) => (
          <li key={n} data-out={whole || undefined}>
            <b>{t('at', { row })}</b>
            <span>
              {text}
              {whole && <small> ({t('leftOut')})</small>}
            </span>
          </li>
        ))}
      </ul>
      {remarks.length > SHOWN && <p className="hg-quiet">{t('moreFaults', { count: remarks.length - SHOWN })}</p>}
    </section>
  );
}
