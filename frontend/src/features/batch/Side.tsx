import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSize } from '@/scene';
import styles from './Side.module.css';

const KEPT = 'hivego.drawer';
const LEAST = 320;
const MOST = 900;
const fit = (width: number) => Math.round(Math.min(MOST, Math.max(LEAST, width)));

interface Props {
  /** It stands over the view, which keeps its size: what one has just clicked on stays where it is. */
  over: boolean;
  /** Told its width, and 0 when it goes. */
  onWidth: (width: number) => void;
  children: ReactNode;
}

/** Beside the view: a place for a task whose width people choose by dragging its edge, or with the arrow keys on it. */
export function Side({ over, onWidth, children }: Props) {
  const { t } = useTranslation('batch');
  const place = useRef<HTMLDivElement>(null);
  const own = useSize(place)?.width ?? 0;
  useLayoutEffect(() => {
    onWidth(own);
    // Notices keep off it too, wherever they are.
    document.documentElement.style.setProperty('--side', `${String(own)}px`);
    return () => {
      onWidth(0);
      document.documentElement.style.removeProperty('--side');
    };
  }, [own, onWidth]);
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
    <div ref={place} className={styles.side} data-over={over || undefined} style={{ width }}>
      {/* A separator that can be moved is a widget: it takes the focus and the arrow keys. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- as above */}
      <div
        className={styles.edge}
        role="separator"
        aria-orientation="vertical"
        aria-label={t('resize')}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above
        tabIndex={0}
        aria-valuenow={width}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        onKeyDown={keys}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
        }}
        onPointerMove={drag}
      />
      {children}
    </div>
  );
}
