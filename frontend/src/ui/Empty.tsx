import type { ReactNode } from 'react';
import styles from './Empty.module.css';

/** What a list says when it holds nothing: why, and the next step. */
export function Empty({
  title,
  children,
  whole,
}: {
  title: string;
  children?: ReactNode;
  /** It is all that the page says. */ whole?: boolean;
}) {
  const Heading = whole ? 'h1' : 'h2';
  return (
    <div className={styles.empty}>
      <svg viewBox="0 0 22 24" width="34" height="37" aria-hidden="true">
        <path d="M11 1l9.5 5.5v11L11 23 1.5 17.5v-11z" />
      </svg>
      <Heading>{title}</Heading>
      {children}
    </div>
  );
}
