import { type ReactNode, useEffect } from 'react';
import styles from './Page.module.css';

/** The room of a page that is a list: margins by the width of the screen, and lines that do not grow without end. */
export function Page({ children }: { children: ReactNode }) {
  return <div className={styles.page}>{children}</div>;
}

interface HeaderProps {
  title: string;
  /** What stands above the title: where the page belongs. */
  above?: ReactNode;
  /** One line below the title. */
  note?: ReactNode;
  /** Actions and filters at the end of the line. */
  children?: ReactNode;
}

/** The head of a page: its one h1, also named in the browser's tab, and what can be done with all of it. */
export function PageHeader({ title, above, note, children }: HeaderProps) {
  useDocumentTitle(title);
  return (
    <div className={styles.head}>
      <div className={styles.headerText}>
        {above && <div className={styles.above}>{above}</div>}
        <h1>{title}</h1>
        {note && <p className={styles.headerNote}>{note}</p>}
      </div>
      <div className={styles.actions}>{children}</div>
    </div>
  );
}

/** Names the page in the browser's tab and history, as long as the component lives. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · HiveGo` : 'HiveGo';
    return () => {
      document.title = 'HiveGo';
    };
  }, [title]);
}
