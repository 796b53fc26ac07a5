import type { ReactNode } from 'react';
import styles from './Reports.module.css';

interface Props {
  label: string;
  /** It also has a greatest height and a border, for the numbers under a chart. */
  boxed?: boolean;
  children: ReactNode;
}

/** The box of a wide table. It takes the focus, so that those without a mouse can scroll it by keys. */
export function ScrollRegion({ label, boxed = false, children }: Props) {
  return (
    <div
      className={boxed ? styles.numbers : styles.scroll}
      role="group" // the section around it is the landmark
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keyboard once it has focus
      tabIndex={0}
      aria-label={label}
    >
      {children}
    </div>
  );
}
