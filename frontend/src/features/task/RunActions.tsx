import { ActionIcon, Button, Menu } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import { useTaskName } from '@/ui';
import { type ActionName, actionsFor, requestFor } from './actions';
import { Icon } from './log/icons';
import styles from './RunActions.module.css';

interface Props {
  run: TaskRun;
  onRepair: (request: Schemas['RepairRequest']) => void;
  /** Given in a row: whether Tab reaches the actions. Left out over the graph, where Tab always does. */
  reachable?: boolean;
}

/** What has a button of its own where there is little room; all else is in the menu. */
const DUE: ReadonlySet<ActionName> = new Set(['resume', 'cancel']);

/**
 * The actions for a run, shown beside its task: resume and cancel as buttons, the rest in a menu. Each opens its plan.
 */
export const RunActions = memo(function RunActions({ run, onRepair, reachable }: Props) {
  const { t } = useTranslation('task');
  const name = useTaskName(run.key);
  const [first, ...others] = actionsFor(run);
  const due =
    first && DUE.has(first) && (first === 'resume' || run.state === 'running' || run.state === 'unknown')
      ? first
      : undefined;
  const ask = (action: ActionName) => {
    onRepair(requestFor(action, run.key));
  };
  const inRow = reachable !== undefined; // a narrow row shows the menu alone
  const tabIndex = reachable === undefined || reachable ? 0 : -1;
  return (
    <div className={styles.actions} data-row={inRow || undefined}>
      {due && (
        <Button
          className={styles.due}
          variant={due === 'resume' && !inRow ? 'filled' : 'default'}
          tabIndex={tabIndex}
          onClick={() => {
            ask(due);
          }}
        >
          {t(`actions.${due}`)}
          <span className="hg-visually-hidden"> {name}</span>
        </Button>
      )}
      <Menu position="bottom-end" shadow="lg" loop withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon
            variant={inRow ? 'subtle' : 'default'}
            color="gray"
            className={styles.more}
            tabIndex={tabIndex}
            aria-label={t('actions.moreOf', { task: name })}
          >
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown data-actions="">
          {(due && !inRow ? others : actionsFor(run)).map((action) => (
            <Menu.Item
              key={action}
              onClick={() => {
                ask(action);
              }}
            >
              {t(`actions.${action}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
});
