import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { OfflineError } from '@/api/client';
import { ErrorNote } from '@/ui';
import { beginAnew } from './anew';
import styles from './Failed.module.css';

/** Milliseconds between looks whether the server is back. */
const LOOK = 3_000;

/** Parts of the page that were not fetched, in the words of Chromium, Firefox, Safari and Vite. */
const NOT_FETCHED = /dynamically imported module|importing a module script|unable to preload/i;

/** In the place of a page that cannot be shown. It begins anew by itself when the server is back, or when somebody asks for it. */
export function Failed({ error }: ErrorComponentProps) {
  const offline = error instanceof OfflineError || (error instanceof Error && NOT_FETCHED.test(error.message));
  useEffect(() => {
    if (!offline) return undefined;
    const timer = setInterval(() => { void beginAnew(); }, LOOK);
    return () => { clearInterval(timer); };
  }, [offline]);
  return <div className={styles.failed}><ErrorNote error={offline ? new OfflineError(error) : error} retry={() => { void beginAnew(); }} /></div>;
}
