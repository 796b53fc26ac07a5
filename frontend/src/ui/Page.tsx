import type { ReactNode } from 'react';
import styles from './Page.module.css';

/** The room of a page that is a list: margins by the width of the screen, and lines that do not grow without end. */
export function Page({ children }: { children: ReactNode }) {
  return <div className={styles.page}>{children}</div>;
}
