import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './RowMenu.module.css';

interface Props {
  /** The name of its button. */
  label: string;
  /** The width of the menu, in pixels. */
  width: number;
  /** The items of the menu. */
  children: ReactNode;
}

/** The menu of a row in a table of the pages, with a button of three dots. */
export function RowMenu({ label, width, children }: Props) {
  return (
    <Menu position="bottom-end" width={width} shadow="lg" loop withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={30} className={styles.button} aria-label={label}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
