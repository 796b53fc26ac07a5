import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './KeyHelp.module.css';
import { useDesk, useParts } from './desk';

const KEYS = [
  ['move', '← ↑ ↓ →'], ['follow', 'Alt ↑ ↓'], ['open', 'Enter'], ['add', 'A'], ['job', 'N'], ['connect', 'C'], ['rename', 'F2'], ['ring', 'M'],
  ['lane', 'Alt Shift ↑ ↓'], ['select', 'Space'], ['all', 'Ctrl A'], ['duplicate', 'Ctrl D'], ['remove', 'Delete'], ['undo', 'Ctrl Z'],
  ['redo', 'Ctrl Shift Z'], ['find', '/'], ['fit', 'F'], ['pan', 'Space ✥'],
] as const;

/** The keys of the canvas. */
export function KeyHelp() {
  const { t } = useTranslation('canvas');
  const { desk } = useParts();
  const shown = useDesk((s) => s.keys);
  return (
    <Modal opened={shown} onClose={() => { desk.setState({ keys: false }); }} title={t('keys.title')} size={520} closeButtonProps={{ 'aria-label': t('keys.close') }}>
      <dl className={styles.keys}>
        {KEYS.map(([name, keys]) => (
          <div key={name}><dt>{keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>)}</dt><dd>{t(`keys.${name}`)}</dd></div>
        ))}
      </dl>
    </Modal>
  );
}
