import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AddByAddress } from './AddByAddress';
import { AddExecutor } from './AddExecutor';
import styles from './Executors.module.css';

/** Adds an executor: one that registers itself, or one at an address. */
export function Adding({ admin, onClose }: { admin: boolean; onClose: () => void }) {
  const { t } = useTranslation('executors');
  const [how, setHow] = useState<'self' | 'byAddress'>('self');
  const choice = (
    <div className={styles.how} role="group" aria-label={t('add.how')}>
      <SegmentedControl
        fullWidth
        value={how}
        onChange={(value) => {
          setHow(value === 'self' ? 'self' : 'byAddress');
        }}
        data={[
          { value: 'self', label: t('add.self') },
          { value: 'byAddress', label: t('add.byAddress') },
        ]}
      />
    </div>
  );
  return how === 'self' ? (
    <AddExecutor admin={admin} choice={choice} onClose={onClose} />
  ) : (
    <AddByAddress admin={admin} choice={choice} onClose={onClose} />
  );
}
