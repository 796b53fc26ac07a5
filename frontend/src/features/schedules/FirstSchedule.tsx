import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { Command, Empty } from '@/ui';
import styles from './Schedules.module.css';

const EXAMPLE = `apiVersion: hivego/v1
kind: Schedule
name: hello
triggers:
  - cron: "*/15 * * * *"
jobs:
  - key: greet
    tasks:
      - {key: hello, handler: shell, params: {command: "echo hello"}}`;

/** Says how to create the first schedule, instead of an empty table: in the editor, or as a file with a command. */
export function FirstSchedule({ onNew }: { onNew: () => void }) {
  const { t } = useTranslation(['schedules', 'editor']);
  const { data: me } = useQuery(meQuery);
  return (
    <Empty title={t('schedules:first.title')}>
      <p>{t('schedules:first.detail')}</p>
      <Button variant="filled" onClick={onNew}>
        {t('editor:create.open')}
      </Button>
      <div className={styles.first}>
        <p>{t('schedules:first.write')}</p>
        <Command text={EXAMPLE} />
        <p>{t('schedules:first.apply')}</p>
        <Command text={`export HIVEGO_SERVER=${location.origin} HIVEGO_TOKEN=…\nhivego apply -f hello.yaml`} />
        <p>{t('schedules:first.token')}</p>
        <Command text={`hivego token create --user ${me?.name ?? 'NAME'}`} />
        <p>{t('schedules:first.examples')}</p>
        <p>
          <Link to="/" search={{ show: 'archived' }}>
            {t('schedules:first.archived')}
          </Link>
        </p>
      </div>
    </Empty>
  );
}
