import { useTranslation } from 'react-i18next';
import styles from './Changes.module.css';

const PATHS = {
  added: 'M8 4v8M4 8h8',
  removed: 'M4 8h8',
  changed: 'M5 6.5h6M5 9.5h6',
  moved: 'M4 8h7M8.5 5l3 3-3 3',
} as const;

export type Mark = keyof typeof PATHS;

/** What became of something, as a sign with its word: never by colour alone. */
export function Sign({
  kind,
  moved,
  bare,
}: {
  kind: Mark;
  moved?: boolean;
  /** The word stands beside it. */ bare?: boolean;
}) {
  const { t } = useTranslation('editor');
  const mark = moved ? 'moved' : kind;
  return (
    <span className={styles.sign} data-mark={mark} title={bare ? undefined : t(`mark.${mark}`)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={PATHS[mark]} />
      </svg>
      {!bare && <span className="hg-visually-hidden">{t(`mark.${mark}`)}</span>}
    </span>
  );
}
