import { useTranslation } from 'react-i18next';
import { GLYPHS } from './glyphs';
import type { ShownState } from './states';
import styles from './Glyph.module.css';

/** The path of a state that a person declared, while nothing ran. */
const DECLARED =
  'M5.6 8.2V5.4a.9.9 0 0 1 1.8 0v2.2M7.4 7V4.3a.9.9 0 0 1 1.8 0V7' +
  'M9.2 7V5.1a.9.9 0 0 1 1.8 0v3.6c0 2-1.2 3.3-3.1 3.3-1.5 0-2.2-.6-3-1.9L3.9 8.4c-.5-.9.6-1.6 1.2-.9z';

interface Props {
  state: ShownState;
  /** Pixels; 20 by default. */
  size?: number;
  /** Omit the tinted disc behind the glyph. */
  bare?: boolean;
  /** A person declared the state: another symbol, in a dotted ring. */
  byPerson?: boolean;
}

/** The symbol of a state. It is hidden from screen readers, so a text beside it or a label must name the state. */
export function Glyph({ state, size = 20, bare, byPerson }: Props) {
  return (
    <svg
      className={bare ? `${styles.glyph} ${styles.bare}` : styles.glyph}
      data-state={state}
      data-by-person={byPerson || undefined}
      viewBox="0 0 16 16"
      width={size}
      height={size}
      aria-hidden="true"
      focusable="false"
    >
      <path d={byPerson ? DECLARED : GLYPHS[state]} />
    </svg>
  );
}

/** A state as glyph and text, in its colour. */
export function StateChip({ state, outlined, byPerson }: Pick<Props, 'state' | 'byPerson'> & { outlined?: boolean }) {
  const { t } = useTranslation('states');
  return (
    <span className={outlined ? `${styles.chip} ${styles.outlined}` : styles.chip} data-state={state}>
      <Glyph state={state} size={outlined ? 13 : 18} bare={outlined} byPerson={byPerson} />
      {t(state)}
    </span>
  );
}
