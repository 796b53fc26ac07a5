import { ActionIcon, Tooltip } from '@mantine/core';
import styles from './Controls.module.css';

interface Props {
  label: string;
  hint?: string;
  /** The path of its icon (`d`), in a view box of 16 by 16. */
  icon: string;
  /** The state of a toggle button. */
  on?: boolean;
  disabled?: boolean;
  act: () => void;
}

/** A button in the toolbar over the graph. */
export function ToolButton({ label, hint, icon, on, disabled, act }: Props) {
  return (
    <Tooltip label={hint ? `${label} – ${hint}` : label} position="top">
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        className={styles.button}
        aria-label={label}
        aria-pressed={on}
        aria-disabled={disabled || undefined}
        data-on={on || undefined}
        onClick={() => {
          if (!disabled) act();
        }}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" className={styles.icon} aria-hidden="true">
          <path d={icon} />
        </svg>
      </ActionIcon>
    </Tooltip>
  );
}
