import { ActionIcon, Button, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import { actionsFor, requestFor } from './actions';
import styles from './Actions.module.css';
import { Icon } from './log/icons';

interface Props {
  run: TaskRun;
  onRepair: (request: Schemas['RepairRequest']) => void;
  /** Opens its definition; left out where it has none that can be edited. */
  onEdit?: () => void;
}

/** The likeliest things to do about the task, as buttons. */
export function Actions({ run, onRepair, onEdit }: Props) {
  const { t } = useTranslation('task');
  return (
    <div className={styles.actions}>
      {actionsFor(run)
        .slice(0, 2)
        .map((name) => (
          <Button
            key={name}
            h={30}
            px={12}
            fz={13}
            variant={name === 'resume' ? 'filled' : 'default'}
            onClick={() => {
              onRepair(requestFor(name, run.key));
            }}
          >
            {t(`actions.${name}`)}
          </Button>
        ))}
      {onEdit && run.state === 'failed' && (
        <Button h={30} px={12} fz={13} onClick={onEdit}>
          {t('actions.edit')}
        </Button>
      )}
    </div>
  );
}

/** Everything that can be done about the task, in a menu. */
export function ActionMenu({ run, onRepair, onEdit }: Props) {
  const { t } = useTranslation('task');
  return (
    <Menu position="bottom-end" shadow="lg" loop>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={30} c="var(--ink-2)" aria-label={t('actions.more')}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actionsFor(run).map((name) => (
          <Menu.Item
            key={name}
            onClick={() => {
              onRepair(requestFor(name, run.key));
            }}
          >
            {t(`actions.${name}`)}
          </Menu.Item>
        ))}
        {onEdit && <Menu.Item onClick={onEdit}>{t('actions.editTask')}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
