import { type ReactNode, useEffect } from 'react';
import { ZoneMenu } from './ZoneMenu';
import styles from './Page.module.css';

/** The content of a page: margins that depend on the width of the screen, and a maximum width, which may be `wide`. */
export function Page({ children, wide }: { children: ReactNode; wide?: boolean }) {
  return <div className={wide ? `${styles.page} ${styles.wide}` : styles.page}>{children}</div>;
}

interface HeaderProps {
  title: string;
  /** A line above the title, such as a link to the parent page. */
  above?: ReactNode;
  /** One line below the title. */
  note?: ReactNode;
  /** The page has times: their zone stands after the note. */
  times?: boolean;
  /** Actions and filters at the end of the line. */
  children?: ReactNode;
}

/** The title of a page, which is also the title of the browser tab, and its actions. */
export function PageHeader({ title, above, note, times, children }: HeaderProps) {
  useDocumentTitle(title);
  return (
    <div className={styles.head}>
      <div className={styles.headerText}>
        {above && <div className={styles.above}>{above}</div>}
        <h1>{title}</h1>
        {(note || times) && (
          <div className={styles.headerNote}>
            {note && <p>{note}</p>}
            {times && <ZoneMenu />}
          </div>
        )}
      </div>
      <div className={styles.actions}>{children}</div>
    </div>
  );
}

/** Sets the title of the browser tab while the component is mounted. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · HiveGo` : 'HiveGo';
    return () => {
      document.title = 'HiveGo';
    };
  }, [title]);
}

/** The message of an empty list or page: why it is empty, and the next step. */
export function Empty({
  title,
  children,
  asPage,
}: {
  title: string;
  children?: ReactNode;
  /** Whether the message is the only content of the page. */
  asPage?: boolean;
}) {
  const Heading = asPage ? 'h1' : 'h2';
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
