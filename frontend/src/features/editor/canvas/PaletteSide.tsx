import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Palette } from './Palette';
import styles from './PaletteSide.module.css';

/** The palette at its place: at the left, folded away by a button; on a narrow screen a sheet from below. */
export function PaletteSide({ sheet = false }: { sheet?: boolean }) {
  const { t } = useTranslation('canvas');
  const [open, setOpen] = useState(!sheet);
  if (!sheet) {
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
        {open && <Palette />}
      </div>
    );
  }
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
        <div className={styles.sheet}>
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
