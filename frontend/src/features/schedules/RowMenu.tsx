import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schedule } from './rows';
import styles from './Schedules.module.css';

interface Props {
  schedule: Schedule;
  /** Given where the row's button is for something else. */
  onRun?: () => void;
  onTask: () => void;
  onSwitch: () => void;
}

/** What else can be done with a schedule. */
export function RowMenu({ schedule, onRun, onTask, onSwitch }: Props) {
  const { t } = useTranslation('schedules');
  const { name, enabled } = schedule;
  return (
    <Menu position="bottom-end" width={264} shadow="lg" loop withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={30}
          className={styles.menu}
          aria-label={t('menu.label', { name })}
        >
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onRun && <Menu.Item onClick={onRun}>{t('run')}</Menu.Item>}
        <Menu.Item onClick={onTask}>{t('menu.task')}</Menu.Item>
        <Menu.Item renderRoot={(props) => <Link {...props} to="/batches" search={{ schedule: name }} />}>
          {t('menu.batches')}
        </Menu.Item>
        <Menu.Item renderRoot={(props) => <Link {...props} to="/schedules/$name/ticks" params={{ name }} />}>
          {t('menu.ticks')}
        </Menu.Item>
        <Menu.Item
          component="a"
          href={`/api/v1/schedules/${encodeURIComponent(name)}/export`}
          download={`${name}.yaml`}
        >
          {t('menu.export')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={onSwitch} closeMenuOnClick>
          {t(enabled ? 'menu.pause' : 'menu.goOn')}
          <small className={styles.hint}>{t(enabled ? 'menu.pauseHint' : 'menu.goOnHint')}</small>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
