import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { problemText } from '@/api/problem';
import styles from './ErrorNote.module.css';

/** An error with its remedy in the language of the user, and a retry button if `retry` is given. */
export function ErrorNote({
  error,
  title,
  retry,
  scrollIntoView,
}: {
  error: unknown;
  title?: string;
  retry?: () => void;
  /** Scroll the note into view when it appears. */
  scrollIntoView?: boolean;
}) {
  const { t } = useTranslation('problems');
  const text = problemText(error, t);
  return (
    <div ref={scrollIntoView ? scrollNoteIntoView : undefined} className={styles.note} role="alert">
      <b>{title ?? text.title}</b>
      <p>{text.detail}</p>
      {text.faults.length > 0 && (
        <ul>
          {text.faults.map((f) => (
            <li key={f}>{f}</li>
          ))}
        </ul>
      )}
      {retry && (
        <Button onClick={retry} mt={8}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}

// The same function in all renders: the note is scrolled into view once, not after every key.
function scrollNoteIntoView(note: HTMLElement | null) {
  note?.scrollIntoView({ block: 'nearest' });
}
