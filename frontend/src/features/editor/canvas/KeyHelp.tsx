import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui';
import styles from './KeyHelp.module.css';
import { useDesk, useParts } from './desk';

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

/** The keys of the canvas. */
export function KeyHelp() {
  const { t } = useTranslation('canvas');
  const { desk } = useParts();
  const shown = useDesk((s) => s.keys);
  const [seen, setSeen] = useState({ shown, turn: 0 });
  if (seen.shown !== shown) setSeen({ shown, turn: seen.turn + (shown ? 1 : 0) });
  const close = () => {
    desk.setState({ keys: false });
  };
  if (seen.turn === 0) return null;
  return (
    <Dialog
      key={seen.turn}
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
