import type { ReactNode } from 'react';
import { useDocumentTitle } from './useDocumentTitle';
import styles from './PageHeader.module.css';

interface Props {
  title: string;
  /** What stands above the title: where the page belongs. */
  above?: ReactNode;
  /** One line below the title. */
  note?: ReactNode;
  /** Actions and filters at the end of the line. */
  children?: ReactNode;
}

/** The head of a page: its one h1, also named in the browser's tab, and what can be done with all of it. */
export function PageHeader({ title, above, note, children }: Props) {
  useDocumentTitle(title);
  return (
    <div className={styles.head}>
      <div className={styles.words}>
        {above && <div className={styles.above}>{above}</div>}
        <h1>{title}</h1>
        {note && <p className={styles.note}>{note}</p>}
      </div>
      <div className={styles.actions}>{children}</div>
    </div>
  );
}
