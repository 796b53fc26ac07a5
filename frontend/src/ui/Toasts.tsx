import { CloseButton, Paper, Portal } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { dismissToast, getToasts, subscribeToasts, type Toast } from './toasts';
import styles from './Toasts.module.css';

/** How long a notice stays, unless somebody points at it or has the focus in it. */
const STAYS = 6000;

/** The place of all notices: a live region that is always there. To be put into the page once. */
export function Toasts() {
  const { t } = useTranslation();
  const toasts = useSyncExternalStore(subscribeToasts, getToasts);
  return (
    <Portal>
      <section className={styles.region} data-toasts="" aria-label={t('notices')}>
        <div role="status" aria-live="polite">
          {toasts
            .filter((one) => !one.error)
            .map((one) => (
              <Note key={one.id} toast={one} />
            ))}
        </div>
        <div role="alert">
          {toasts
            .filter((one) => one.error)
            .map((one) => (
              <Note key={one.id} toast={one} />
            ))}
        </div>
      </section>
    </Portal>
  );
}

function Note({ toast }: { toast: Toast }) {
  const { t } = useTranslation();
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held || toast.error) return undefined;
    const timer = setTimeout(() => {
      dismissToast(toast.id);
    }, STAYS);
    return () => {
      clearTimeout(timer);
    };
  }, [held, toast]);
  return (
    <Paper
      className={styles.toast}
      data-error={toast.error}
      onPointerEnter={() => {
        setHeld(true);
      }}
      onPointerLeave={() => {
        setHeld(false);
      }}
      onFocus={() => {
        setHeld(true);
      }}
      onBlur={() => {
        setHeld(false);
      }}
    >
      <span>{toast.text}</span>
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
