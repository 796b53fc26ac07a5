import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui';
import styles from './KeyHelp.module.css';
import { useCanvasState, useCanvasContext } from './canvasStore';

const KEYS = [
  ['move', '← ↑ ↓ →'],
  ['follow', 'Alt ↑ ↓'],
  ['open', 'Enter'],
  ['add', 'A'],
  ['job', 'N'],
  ['connect', 'C'],
  ['rename', 'F2'],
  ['ring', 'M'],
  ['lane', 'Alt Shift ↑ ↓'],
  ['select', 'Space'],
  ['all', 'Ctrl A'],
  ['duplicate', 'Ctrl D'],
  ['copy', 'Ctrl C'],
  ['cut', 'Ctrl X'],
  ['paste', 'Ctrl V'],
  ['remove', 'Delete'],
  ['undo', 'Ctrl Z'],
  ['redo', 'Ctrl Shift Z'],
  ['find', '/'],
  ['fit', 'F'],
  ['pan', 'Space ✥'],
] as const;

/** The dialog that lists the keys of the canvas. Each opening mounts a new dialog. */
export function KeyHelp() {
  const { t } = useTranslation('canvas');
  const { canvas } = useCanvasContext();
  const shown = useCanvasState((s) => s.keyHelp);
  const [last, setLast] = useState({ shown, openings: 0 });
  if (last.shown !== shown) setLast({ shown, openings: last.openings + (shown ? 1 : 0) });
  const close = () => {
    canvas.setState({ keyHelp: false });
  };
  if (last.openings === 0) return null;
  return (
    <Dialog
      key={last.openings}
      opened={shown}
      onClose={close}
      title={t('keys.title')}
      footer={<Button onClick={close}>{t('keys.close')}</Button>}
      reading
    >
      <dl className={styles.keys}>
        {KEYS.map(([name, keys]) => (
          <div key={name}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(`keys.${name}`)}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
