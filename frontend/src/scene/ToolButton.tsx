import { ActionIcon, Tooltip } from '@mantine/core';
import styles from './Controls.module.css';

interface Props {
  label: string;
  hint?: string;
  /** The `d` of its drawing in a square of 16. */
  sign: string;
  /** For switches. */
  on?: boolean;
  off?: boolean;
  act: () => void;
}

/** A button over the graph. */
export function ToolButton({ label, hint, sign, on, off, act }: Props) {
  return (
    <Tooltip label={hint ? `${label} – ${hint}` : label} position="top">
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        className={styles.button}
        aria-label={label}
        aria-pressed={on}
        aria-disabled={off || undefined}
        data-on={on || undefined}
        onClick={() => {
          if (!off) act();
        }}
      >
        <svg viewBox="0 0 16 16" width="16" height="16" className={styles.icon} aria-hidden="true">
          <path d={sign} />
        </svg>
      </ActionIcon>
    </Tooltip>
  );
}
