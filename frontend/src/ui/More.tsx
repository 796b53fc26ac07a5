import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Table.module.css';

interface Props {
  query: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
}

/** The end of a list that goes on: the next page comes when it is in sight, or by its button. */
export function More({ query }: Props) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const ready = hasNextPage && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (!ready || !place.current || typeof IntersectionObserver === 'undefined') return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        if (seen.some((s) => s.isIntersecting)) void fetchNextPage();
      },
      { root: document.getElementById('content'), rootMargin: '600px' },
    );
    observer.observe(place.current);
    return () => {
      observer.disconnect();
    };
  }, [ready, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <div ref={place} className={styles.more}>
      <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {t('more')}
      </Button>
    </div>
  );
}
