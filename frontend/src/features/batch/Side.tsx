import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Side.module.css';

const KEPT = 'hivego.drawer';
const LEAST = 320;
const MOST = 900;
const fit = (width: number) => Math.round(Math.min(MOST, Math.max(LEAST, width)));

/** Beside the view: a place for a task whose width people choose by dragging its edge, or with the arrow keys on it. */
export function Side({ children }: { children: ReactNode }) {
  const { t } = useTranslation('batch');
  const [width, setWidth] = useState(() => fit(Number(localStorage.getItem(KEPT)) || 408));
  const choose = (wanted: number) => {
    const chosen = fit(wanted);
    setWidth(chosen);
    localStorage.setItem(KEPT, String(chosen));
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) choose(window.innerWidth - event.clientX);
  };
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowLeft: 32, ArrowRight: -32 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    choose(width + step);
  };
  return (
    <div className={styles.side} style={{ width }}>
      {/* A separator that can be moved is a widget: it takes the focus and the arrow keys. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- as above */}
      <div
        className={styles.edge} role="separator" aria-orientation="vertical" aria-label={t('resize')}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above
        tabIndex={0} aria-valuenow={width} aria-valuemin={LEAST} aria-valuemax={MOST}
        onKeyDown={keys} onPointerDown={(e) => { e.currentTarget.setPointerCapture(e.pointerId); }} onPointerMove={drag}
      />
      {children}
    </div>
  );
}
