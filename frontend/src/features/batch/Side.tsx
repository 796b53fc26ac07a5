import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Modal } from '@mantine/core';
import { useSize } from '@/scene';
import type { Batch } from '@/live';
import { Empty } from '@/ui';
import styles from './Side.module.css';

const STORAGE_KEY = 'hivego.drawer';
// Widths in pixels.
const MIN_WIDTH = 320;
const MAX_WIDTH = 900;
const DEFAULT_WIDTH = 408;
const clampWidth = (width: number) => Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

interface SideProps {
  /** Whether the side covers the view. The view then keeps its size, so nothing moves under the pointer. */
  over: boolean;
  /** Called with the width in pixels, and with 0 on unmount. */
  onWidth: (width: number) => void;
  children: ReactNode;
}

/** The region beside the view that shows a task. Its edge can be dragged, or moved with the arrow keys. */
export function Side({ over, onWidth, children }: SideProps) {
  const { t } = useTranslation('batch');
  const container = useRef<HTMLDivElement>(null);
  const measuredWidth = useSize(container)?.width ?? 0;
  useLayoutEffect(() => {
    onWidth(measuredWidth);
    // The toasts read this variable, so that they do not cover the side.
    document.documentElement.style.setProperty('--side', `${String(measuredWidth)}px`);
    return () => {
      onWidth(0);
      document.documentElement.style.removeProperty('--side');
    };
  }, [measuredWidth, onWidth]);
  const [width, setWidth] = useState(() => clampWidth(Number(localStorage.getItem(STORAGE_KEY)) || DEFAULT_WIDTH));
  const resize = (wanted: number) => {
    const next = clampWidth(wanted);
    setWidth(next);
    localStorage.setItem(STORAGE_KEY, String(next));
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) resize(window.innerWidth - event.clientX);
  };
  const resizeByKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: 32, ArrowRight: -32 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    resize(width + step);
  };
  return (
    <div ref={container} className={styles.side} data-over={over || undefined} style={{ width }}>
      {/* A movable separator is a widget: it takes the focus and handles the arrow keys. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- as above */}
      <div
        className={styles.edge}
        role="separator"
        aria-orientation="vertical"
        aria-label={t('resize')}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- as above
        tabIndex={0}
        aria-valuenow={width}
        aria-valuemin={MIN_WIDTH}
        aria-valuemax={MAX_WIDTH}
        onKeyDown={resizeByKey}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
        }}
        onPointerMove={drag}
      />
      {children}
    </div>
  );
}

interface NoTaskProps {
  batch: Batch;
  task: string;
  onClose: () => void;
  /** Whether to show the message in a dialog, because there is no room beside the view. */
  over?: boolean;
}

/** The message for a link to a task that this batch does not have. */
export function NoTask({ over, ...props }: NoTaskProps) {
  const { t } = useTranslation('batch');
  if (!over) return <NoTaskMessage {...props} />;
  return (
    <Modal.Root opened onClose={props.onClose}>
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={t('noTask.title', { task: props.task })}>
        <NoTaskMessage {...props} />
      </Modal.Content>
    </Modal.Root>
  );
}

function NoTaskMessage({ batch, task, onClose }: Omit<NoTaskProps, 'over'>) {
  const { t } = useTranslation('batch');
  return (
    <Empty title={t('noTask.title', { task })}>
      {batch.revision > 0 && <p>{t('noTask.detail', { revision: batch.revision })}</p>}
      <Button onClick={onClose}>{t('noTask.close')}</Button>
    </Empty>
  );
}
