import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { OfflineError } from '@/api/client';
import { ErrorNote } from '@/ui';
import { reloadIfReachable, NOT_FETCHED, chunkMissing } from '@/api/reload';
import styles from './Failed.module.css';

/** Milliseconds between looks whether the server is back. */
const LOOK = 3_000;

/**
 * In the place of a page that cannot be shown. It begins anew by itself when the server is back, though not
 * again and again, or when somebody asks for it.
 */
export function Failed({ error }: ErrorComponentProps) {
  const offline = error instanceof OfflineError || (error instanceof Error && NOT_FETCHED.test(error.message));
  useEffect(() => {
    if (!offline) return undefined;
    void chunkMissing();
    const timer = setInterval(() => {
      void chunkMissing();
    }, LOOK);
    return () => {
      clearInterval(timer);
    };
  }, [offline]);
  return (
    <div className={styles.failed}>
      <ErrorNote
        error={offline ? new OfflineError(error) : error}
        retry={() => {
          void reloadIfReachable();
        }}
      />
    </div>
  );
}
