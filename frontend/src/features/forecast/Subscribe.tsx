import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Command, Dialog } from '@/ui';
import styles from './Forecast.module.css';

/** The address of the calendar feed, and how to make its token. */
export function Subscribe({ schedule, onClose }: { schedule: string | undefined; onClose: () => void }) {
  const { t } = useTranslation(['forecast', 'common']);
  const [opened, setOpened] = useState(true);
  const query = schedule === undefined ? '' : `schedule=${encodeURIComponent(schedule)}&`;
  const close = () => {
    setOpened(false);
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={t('forecast:subscribe.title')}
      summary={t('forecast:subscribe.summary')}
      footer={
        <Button variant="filled" onClick={close}>
          {t('common:close')}
        </Button>
      }
    >
      <div className={styles.subscribe}>
        <p>{t('forecast:subscribe.token')}</p>
        <Command text="hivego token create --user NAME --data DIR" />
        <p>{t('forecast:subscribe.address')}</p>
        <Command text={`${location.origin}/api/v1/forecast.ics?${query}token=TOKEN`} />
        <p>{t('forecast:subscribe.rights')}</p>
      </div>
    </Dialog>
  );
}
