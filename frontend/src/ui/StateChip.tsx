import { useTranslation } from 'react-i18next';
import { Glyph } from './Glyph';
import type { ShownState } from './states';
import styles from './StateChip.module.css';

/** A state as glyph and word, in its colour. */
export function StateChip({ state, outlined }: { state: ShownState; outlined?: boolean }) {
  const { t } = useTranslation('states');
  return (
    <span className={outlined ? `${styles.chip} ${styles.outlined}` : styles.chip} data-state={state}>
      <Glyph state={state} size={outlined ? 13 : 18} bare={outlined} />
      {t(state)}
    </span>
  );
}
