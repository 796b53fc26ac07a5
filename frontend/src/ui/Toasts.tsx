import { Button, CloseButton, Paper, Portal } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Toasts.module.css';

/** A short notice about the result of an action. */
export interface Toast {
  id: number;
  text: string;
  /** An error stays until it is dismissed. Other notices disappear after a while. */
  error?: boolean;
  /** A button that takes the action back, or goes on from it. */
  action?: ToastAction;
}

interface ToastAction {
  label: string;
  run: () => void;
}

let list: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function setList(next: readonly Toast[]): void {
  list = next;
  listeners.forEach((l) => {
    l();
  });
}

/** How many notices are shown. A new one replaces the oldest. */
const MAX_TOASTS = 3;

/** Shows a notice at the foot of the page. A notice with the same text replaces the earlier one. */
export function toast(text: string, options: { error?: boolean; action?: ToastAction } = {}): void {
  const others = list.filter((other) => other.text !== text || (other.error ?? false) !== (options.error ?? false));
  setList([...others, { id: ++lastId, text, ...options }].slice(-MAX_TOASTS));
}

/** Removes a notice, if it is still shown. */
export function dismissToast(id: number): void {
  setList(list.filter((toast) => toast.id !== id));
}

/** Calls a listener after each change of the notices, until the returned function is called. */
function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The notices that are shown, oldest first. The list is replaced by each change, never modified. */
export function getToasts(): readonly Toast[] {
  return list;
}

/** How long a notice is shown (milliseconds), unless the pointer or the focus is in it. */
const DURATION = 6000;

/** The live region with all notices. Render it once, and keep it mounted. */
export function Toasts() {
  const { t } = useTranslation();
  const toasts = useSyncExternalStore(subscribeToasts, getToasts);
  return (
    <Portal>
      <section className={styles.region} data-toasts="" aria-label={t('notices')}>
        <div role="status" aria-live="polite">
          {toasts
            .filter((toast) => !toast.error)
            .map((toast) => (
              <Note key={toast.id} toast={toast} />
            ))}
        </div>
        <div role="alert">
          {toasts
            .filter((toast) => toast.error)
            .map((toast) => (
              <Note key={toast.id} toast={toast} />
            ))}
        </div>
      </section>
    </Portal>
  );
}

function Note({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    if (paused || toast.error) return undefined;
    const timer = setTimeout(() => {
      dismissToast(toast.id);
    }, DURATION);
    return () => {
      clearTimeout(timer);
    };
  }, [paused, toast]);
  return (
    <Paper
      className={styles.toast}
      data-error={toast.error}
      onPointerEnter={() => {
        setPaused(true);
      }}
      onPointerLeave={() => {
        setPaused(false);
      }}
      onFocus={() => {
        setPaused(true);
      }}
      onBlur={() => {
        setPaused(false);
      }}
    >
      <span>{toast.text}</span>
      {toast.action && (
        <Button
          size="compact-sm"
          onClick={() => {
            dismissToast(toast.id);
            toast.action?.run();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <CloseButton
        size="sm"
        aria-label={t('dismiss')}
        onClick={() => {
          dismissToast(toast.id);
        }}
      />
    </Paper>
  );
}
