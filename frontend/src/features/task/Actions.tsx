import { ActionIcon, Button, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { memo } from 'react';
import type { Schemas } from '@/api/client';
import type { TaskRun } from '@/live';
import { FINAL, NeedsServer, type RunState, useTaskName } from '@/ui';
import styles from './Actions.module.css';
import { Icon } from './log/icons';

type RepairRequest = Schemas['RepairRequest'];
/** What a person can do with one run. `downstream` runs the task again with everything that depends on it. */
export type ActionName = 'resume' | 'rerun' | 'downstream' | 'success' | 'skip' | 'cancel';

interface Run {
  state: RunState;
  reason: string;
}

/** The actions for a run in its state, the most likely one first. */
export function actionsFor({ state, reason }: Run): ActionName[] {
  const held = state === 'unknown' && reason === 'held'; // lost, and waiting for a decision of a person
  if (state === 'failed' || state === 'canceled' || held) return ['resume', 'rerun', 'downstream', 'success', 'skip'];
  if (state === 'skipped') return reason === 'upstream_failed' ? ['success', 'skip', 'rerun'] : ['rerun', 'success'];
  if (FINAL.has(state))
    return state === 'succeeded' ? ['rerun', 'downstream', 'skip'] : ['rerun', 'downstream', 'success'];
  if (state === 'running' || state === 'unknown') return ['cancel', 'rerun'];
  return ['cancel', 'success', 'skip'];
}

/** The repair request of an action. The page shows its plan before anything changes. */
export function requestFor(action: ActionName, task: string): RepairRequest {
  const tasks = [task];
  switch (action) {
    case 'resume':
      return { action: 'resume', tasks };
    case 'rerun':
      return { action: 'rerun', tasks };
    case 'downstream':
      return { action: 'rerun', tasks, downstream: true };
    case 'success':
      return { action: 'mark_success', tasks };
    case 'skip':
      return { action: 'mark_skip', tasks };
    case 'cancel':
      return { action: 'cancel', tasks };
  }
}

interface Props {
  run: TaskRun;
  /** Undefined if the batch cannot be repaired. */
  onRepair?: (request: Schemas['RepairRequest']) => void;
  /** Opens the definition of the task. Undefined if the definition cannot be edited. */
  onEdit?: () => void;
}

/** The most likely actions for the task, as buttons. */
export function Actions({ run, onRepair, onEdit }: Props) {
  const { t } = useTranslation('task');
  return (
    <div className={styles.actions}>
      {onRepair &&
        actionsFor(run)
          .slice(0, 2)
          .map((name) => (
            <NeedsServer key={name}>
              <Button
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
            </NeedsServer>
          ))}
      {onEdit && run.state === 'failed' && (
        <Button h={30} px={12} fz={13} onClick={onEdit}>
          {t('actions.edit')}
        </Button>
      )}
    </div>
  );
}

/** All actions for the task, in a menu. */
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
        {onRepair &&
          actionsFor(run).map((name) => (
            <NeedsServer key={name}>
              <Menu.Item
                onClick={() => {
                  onRepair(requestFor(name, run.key));
                }}
              >
                {t(`actions.${name}`)}
              </Menu.Item>
            </NeedsServer>
          ))}
        {onEdit && <Menu.Item onClick={onEdit}>{t('actions.editTask')}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

interface RunActionsProps {
  run: TaskRun;
  onRepair: (request: Schemas['RepairRequest']) => void;
  /** In a row of a table: whether Tab reaches the actions. Undefined on a card of the graph, where Tab always does. */
  reachable?: boolean;
}

interface RunMenuProps {
  run: TaskRun;
  /** A point of the window. */
  at: { x: number; y: number };
  onRepair: (request: Schemas['RepairRequest']) => void;
  onClose: () => void;
}

/** All actions for a run, in a menu at the pointer. */
export function RunMenu({ run, at, onRepair, onClose }: RunMenuProps) {
  const { t } = useTranslation('task');
  const name = useTaskName(run.key);
  return (
    <Menu opened onClose={onClose} position="bottom-start" offset={0} shadow="lg" loop>
      <Menu.Target>
        <span className={styles.point} style={{ left: at.x, top: at.y }} />
      </Menu.Target>
      <Menu.Dropdown data-actions="" aria-label={t('actions.moreOf', { task: name })}>
        {actionsFor(run).map((action) => (
          <NeedsServer key={action}>
            <Menu.Item
              onClick={() => {
                onRepair(requestFor(action, run.key));
              }}
            >
              {t(`actions.${action}`)}
            </Menu.Item>
          </NeedsServer>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The actions that get a button beside the menu. */
const WITH_BUTTON: ReadonlySet<ActionName> = new Set(['resume', 'cancel']);

/**
 * The actions for a run, shown beside its task: resume and cancel as buttons, the rest in a menu. Each opens its plan.
 */
export const RunActions = memo(function RunActions({ run, onRepair, reachable }: RunActionsProps) {
  const { t } = useTranslation('task');
  const name = useTaskName(run.key);
  const [first, ...others] = actionsFor(run);
  const buttonAction =
    first && WITH_BUTTON.has(first) && (first === 'resume' || run.state === 'running' || run.state === 'unknown')
      ? first
      : undefined;
  const openPlan = (action: ActionName) => {
    onRepair(requestFor(action, run.key));
  };
  const inRow = reachable !== undefined; // a narrow row shows only the menu
  const tabIndex = reachable === undefined || reachable ? 0 : -1;
  return (
    <div className={styles.runActions} data-row={inRow || undefined}>
      {buttonAction && (
        <NeedsServer>
          <Button
            className={styles.button}
            tabIndex={tabIndex}
            onClick={() => {
              openPlan(buttonAction);
            }}
          >
            {t(`actions.${buttonAction}`)}
            <span className="hg-visually-hidden"> {name}</span>
          </Button>
        </NeedsServer>
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
          {(buttonAction && !inRow ? others : actionsFor(run)).map((action) => (
            <NeedsServer key={action}>
              <Menu.Item
                onClick={() => {
                  openPlan(action);
                }}
              >
                {t(`actions.${action}`)}
              </Menu.Item>
            </NeedsServer>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
});
