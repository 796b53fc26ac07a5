import { Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { NeedsServer, RowMenu } from '@/ui';
import type { Schedule } from './rows';
import styles from './Schedules.module.css';

interface MenuProps {
  schedule: Schedule;
  /** Given if the button of the row is not the one that runs the schedule. */
  onRun?: () => void;
  onRunTask: () => void;
  onBackfill: () => void;
  onToggle: () => void;
  onArchive: () => void;
}

/** The menu with the other actions for a schedule. */
export function ScheduleMenu({ schedule, onRun, onRunTask, onBackfill, onToggle, onArchive }: MenuProps) {
  const { t } = useTranslation('schedules');
  const { name, enabled } = schedule;
  return (
    <RowMenu label={t('menu.label', { name })} width={264}>
      {onRun && (
        <NeedsServer>
          <Menu.Item onClick={onRun}>{t('run')}</Menu.Item>
        </NeedsServer>
      )}
      <NeedsServer>
        <Menu.Item onClick={onRunTask}>{t('menu.task')}</Menu.Item>
      </NeedsServer>
      <NeedsServer>
        <Menu.Item onClick={onBackfill}>{t('menu.backfill')}</Menu.Item>
      </NeedsServer>
      <Menu.Item renderRoot={(props) => <Link {...props} to="/schedules/$name/runs" params={{ name }} search={{}} />}>
        {t('menu.runs')}
      </Menu.Item>
      <Menu.Item renderRoot={(props) => <Link {...props} to="/batches" search={{ schedule: name }} />}>
        {t('menu.batches')}
      </Menu.Item>
      <Menu.Item renderRoot={(props) => <Link {...props} to="/backfills" search={{ schedule: name }} />}>
        {t('menu.backfills')}
      </Menu.Item>
      <Menu.Item renderRoot={(props) => <Link {...props} to="/schedules/$name/ticks" params={{ name }} />}>
        {t('menu.ticks')}
      </Menu.Item>
      <Menu.Item renderRoot={(props) => <Link {...props} to="/schedules/$name/chain" params={{ name }} search={{}} />}>
        {t('menu.chain')}
      </Menu.Item>
      <Menu.Item component="a" href={`/api/v1/schedules/${encodeURIComponent(name)}/export`} download={`${name}.yaml`}>
        {t('menu.export')}
      </Menu.Item>
      <Menu.Divider />
      <NeedsServer>
        <Menu.Item onClick={onToggle} closeMenuOnClick>
          {t(enabled ? 'menu.disable' : 'menu.enable')}
          <small className={styles.hint}>{t(enabled ? 'menu.disableHint' : 'menu.enableHint')}</small>
        </Menu.Item>
      </NeedsServer>
      <NeedsServer>
        <Menu.Item onClick={onArchive} closeMenuOnClick>
          {t('menu.archive')}
          <small className={styles.hint}>{t('menu.archiveHint')}</small>
        </Menu.Item>
      </NeedsServer>
    </RowMenu>
  );
}
