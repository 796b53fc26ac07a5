import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Dialog } from '@/ui';
import styles from './Archive.module.css';

interface Props {
  name: string;
  /** The schedules that wait for it. */
  schedules: readonly string[];
  onClose: () => void;
  onConfirm: () => void;
}

/** Lists the schedules that wait for one, before it is archived. */
export function ConfirmArchive({ name, schedules, onClose, onConfirm }: Props) {
  const { t } = useTranslation(['archive', 'common']);
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('archive:confirm.title', { name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button variant="filled" onClick={onConfirm}>
            {t('archive:confirm.go')}
          </Button>
        </>
      }
    >
      <p>{t('archive:confirm.text', { count: schedules.length })}</p>
      <ul className={styles.names}>
        {schedules.map((schedule) => (
          <li key={schedule}>
            <Link to="/schedules/$name" params={{ name: schedule }} search={{ view: 'settings' }}>
              {schedule}
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
