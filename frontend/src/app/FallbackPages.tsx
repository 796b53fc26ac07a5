import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { OfflineError } from '@/api/client';
import { Empty, ErrorNote, useDocumentTitle } from '@/ui';
import { reloadForMissingChunk, NOT_FETCHED, reloadIfReachable } from '@/api/reload';
import styles from './FallbackPages.module.css';

/** Milliseconds between two checks whether the server can be reached again. */
const CHECK_INTERVAL = 3_000;

/**
 * Shown instead of a page that failed to render or load. It reloads the page when the server can be reached again, but
 * not repeatedly, or when the user requests it.
 */
export function ErrorPage({ error }: ErrorComponentProps) {
  const offline = error instanceof OfflineError || (error instanceof Error && NOT_FETCHED.test(error.message));
  useEffect(() => {
    if (!offline) return undefined;
    void reloadForMissingChunk();
    const timer = setInterval(() => {
      void reloadForMissingChunk();
    }, CHECK_INTERVAL);
    return () => {
      clearInterval(timer);
    };
  }, [offline]);
  return (
    <div className={styles.error}>
      <ErrorNote
        error={offline ? new OfflineError(error) : error}
        retry={() => {
          void reloadIfReachable();
        }}
      />
    </div>
  );
}

/** The page for an unknown address. */
export function NotFoundPage() {
  const { t } = useTranslation();
  useDocumentTitle(t('notFound.title'));
  return (
    <Empty title={t('notFound.title')} asPage>
      <p>{t('notFound.detail')}</p>
      <Link to="/">{t('notFound.home')}</Link>
    </Empty>
  );
}

/** The page for an unknown address, without the frame of the other pages. */
export function BareNotFoundPage() {
  return (
    <main>
      <NotFoundPage />
    </main>
  );
}
