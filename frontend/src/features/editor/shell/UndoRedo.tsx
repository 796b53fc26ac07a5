import { ActionIcon, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { didText, type Label } from '@/document';
import { useDoc, useEditor } from '../context';
import { keyName } from './keys';
import styles from './Header.module.css';

const ARROW = {
  undo: 'M6 3.5L2.8 6.7 6 9.9M3 6.7h6.2a3.6 3.6 0 0 1 0 7.2H6.5',
  redo: 'M10 3.5l3.2 3.2L10 9.9M13 6.7H6.8a3.6 3.6 0 0 0 0 7.2h2.7',
};

/** Takes back what was done, and does it again; each says what that is. */
export function UndoRedo() {
  const { store } = useEditor();
  const past = useDoc((s) => s.past.at(-1)?.label);
  const future = useDoc((s) => s.future[0]?.label);
  return (
    <>
      <Step
        way="undo"
        label={past}
        shortcut="Z"
        onGo={() => {
          store.getState().undo();
        }}
      />
      <Step
        way="redo"
        label={future}
        shortcut="Shift+Z"
        onGo={() => {
          store.getState().redo();
        }}
      />
    </>
  );
}

function Step({
  way,
  label,
  shortcut,
  onGo,
}: {
  way: 'undo' | 'redo';
  label?: Label;
  shortcut: string;
  onGo: () => void;
}) {
  const { t } = useTranslation('editor');
  const { t: doings } = useTranslation('document');
  const words = label ? t(`${way}.what`, { what: didText(doings, label) }) : t(`${way}.none`);
  return (
    <Tooltip
      label={
        <span className={styles.did}>
          {words}
          <kbd>{keyName(shortcut)}</kbd>
        </span>
      }
    >
      {/* Never taken out of the keyboard's way: whoever presses it to the end keeps the focus. */}
      <ActionIcon
        variant="default"
        size={32}
        className={styles.icon}
        aria-label={words}
        aria-disabled={!label || undefined}
        data-disabled={!label || undefined}
        onClick={() => {
          if (label) onGo();
        }}
      >
        <svg viewBox="0 0 16 16" width={16} height={16} aria-hidden="true">
          <path d={ARROW[way]} />
        </svg>
      </ActionIcon>
    </Tooltip>
  );
}
