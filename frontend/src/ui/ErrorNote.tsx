import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { problemText } from '@/api/problem';
import styles from './ErrorNote.module.css';

/**
 * An error and its remedy in the reader's language, with a retry if that may help. It scrolls into sight on appearance
 * if asked to.
 */
export function ErrorNote({
  error,
  title,
  retry,
  seen,
}: {
  error: unknown;
  title?: string;
  retry?: () => void;
  seen?: boolean;
}) {
  const { t } = useTranslation('problems');
  const text = problemText(error, t);
  return (
    <div ref={seen ? scrollNoteIntoView : undefined} className={styles.note} role="alert">
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

// One function for all renders: the note comes into sight once, not with every key that is pressed.
function scrollNoteIntoView(note: HTMLElement | null) {
  note?.scrollIntoView({ block: 'nearest' });
}
