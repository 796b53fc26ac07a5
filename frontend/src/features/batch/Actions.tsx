import { ActionIcon, Button, Menu } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { memo, type ReactNode, useMemo } from 'react';
import type { Batch } from '@/live';
import type { PageCommand } from '@/features/find';
import { useRepair, useWish } from '@/features/repair';
import { useRun } from '@/features/run';
import { NeedsServer, toast, useCommandGuard, useCopy } from '@/ui';
import type { Schemas } from '@/api/client';
import type { Summary } from './summary';
import { Watch } from './Watch';
import styles from './Header.module.css';

interface Props {
  batch: Batch;
  summary: Summary;
  /** Keys of all tasks. */
  keys: readonly string[];
  actions: BatchActions;
  /** Whether to show only the menu. A phone has the other actions at the bottom of the page. */
  menuOnly?: boolean;
}

/** The search part of the link to the editor. For a failed or live batch, the editor offers to continue it. */
const editorSearch = (batch: Batch) => (batch.state === 'failed' || batch.live ? { batch: batch.id } : {});

/** The buttons to pause, cancel and resume a batch, and a menu with the other actions. */
export function Actions({ batch, summary, keys, actions, menuOnly }: Props) {
  return (
    <div className={styles.actions}>
      {!menuOnly && <MainActions batch={batch} resumable={summary.resumable} actions={actions} />}
      {!menuOnly && batch.schedule && <EditButton batch={batch} />}
      <Watch batch={batch} summary={summary} />
      <MoreMenu batch={batch} keys={keys} actions={actions} />
    </div>
  );
}

/** The way to the editor of the schedule. */
const EditButton = memo(function EditButton({ batch }: Pick<Props, 'batch'>) {
  const { t } = useTranslation('batch');
  return (
    <span className={styles.edit}>
      <Button
        renderRoot={(props) => (
          <Link {...props} to="/schedules/$name" params={{ name: batch.schedule }} search={editorSearch(batch)} />
        )}
      >
        {t('action.edit')}
      </Button>
    </span>
  );
});

interface MainProps extends Pick<Props, 'batch' | 'actions'> {
  /** How many runs a resume would start. */
  resumable: number;
  size?: string;
}

/**
 * The actions that the state of the batch allows. Resume is highlighted. Like the other parts of the header that do not
 * show the states of runs, it does not render again while only those change: thousands of them do in a large batch.
 */
export const MainActions = memo(function MainActions({ batch, resumable, actions, size }: MainProps) {
  const { t } = useTranslation('batch');
  const canceling = batch.live && batch.wish === 'cancel'; // the wish stays after the batch has ended
  return (
    <>
      {batch.live &&
        !canceling &&
        (batch.wish === 'pause' ? (
          <NeedsServer>
            <Button size={size} loading={actions.pending !== undefined} onClick={actions.unpause}>
              {t('action.continue')}
            </Button>
          </NeedsServer>
        ) : (
          <NeedsServer>
            <Button size={size} loading={actions.pending !== undefined} onClick={actions.pause}>
              {t('action.pause')}
            </Button>
          </NeedsServer>
        ))}
      {batch.live && (
        <NeedsServer>
          <Button size={size} disabled={canceling} onClick={actions.cancel}>
            {t(canceling ? 'action.canceling' : 'action.cancel')}
          </Button>
        </NeedsServer>
      )}
      {resumable > 0 && !canceling && (
        <NeedsServer>
          <Button
            size={size}
            variant="filled"
            onClick={() => {
              actions.repair({ action: 'resume' });
            }}
          >
            {size ? t('action.resumeCount', { count: resumable }) : t('action.resume')}
          </Button>
        </NeedsServer>
      )}
      {!batch.live && resumable === 0 && batch.schedule && (
        <NeedsServer>
          <Button size={size} onClick={actions.runAgain}>
            {t('action.runAgain')}
          </Button>
        </NeedsServer>
      )}
    </>
  );
});

const MoreMenu = memo(function MoreMenu({ batch, keys, actions }: Pick<Props, 'batch' | 'keys' | 'actions'>) {
  const { t } = useTranslation(['batch', 'common']);
  const copyLink = useCopyLink();
  return (
    <Menu position="bottom-end" width={210} shadow="lg" loop>
      <Menu.Target>
        <ActionIcon variant="default" size={34} aria-label={t('action.more')}>
          <svg viewBox="0 0 16 16" width={16} height={16} fill="currentColor" aria-hidden="true">
            <circle cx="3" cy="8" r="1.4" />
            <circle cx="8" cy="8" r="1.4" />
            <circle cx="13" cy="8" r="1.4" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <NeedsServer>
          <Menu.Item
            disabled={batch.wish === 'cancel' && batch.live}
            onClick={() => {
              actions.repair({ action: 'rerun', tasks: [...keys] });
            }}
          >
            {t('action.rerun')}
          </Menu.Item>
        </NeedsServer>
        {batch.state === 'failed' && batch.closedNote === undefined && (
          <NeedsServer>
            <Menu.Item
              onClick={() => {
                actions.repair({ action: 'close' });
              }}
            >
              {t('action.close')}
            </Menu.Item>
          </NeedsServer>
        )}
        {batch.schedule && (
          <NeedsServer>
            <Menu.Item onClick={actions.runAgain}>{t('action.runAgain')}</Menu.Item>
          </NeedsServer>
        )}
        <Menu.Divider />
        <Menu.Item onClick={copyLink}>{t('common:copyLink')}</Menu.Item>
        {batch.schedule && (
          <Menu.Item
            renderRoot={(props) => (
              <Link {...props} to="/schedules/$name" params={{ name: batch.schedule }} search={editorSearch(batch)} />
            )}
          >
            {t('action.editSchedule')}
          </Menu.Item>
        )}
        {batch.schedule && (
          <Menu.Item
            renderRoot={(props) => <Link to="/schedules/$name/ticks" params={{ name: batch.schedule }} {...props} />}
          >
            {t('ticks')}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
});

/** Returns a function that copies the address of the page, and says so. */
function useCopyLink(): () => void {
  const { t } = useTranslation('common');
  const copy = useCopy();
  return () =>
    void copy(location.href).then((done) => {
      if (done) toast(t('copied'));
    });
}

/** The actions for a batch. */
export interface BatchActions {
  repair: (request: Schemas['RepairRequest']) => void;
  pause: () => void;
  unpause: () => void;
  cancel: () => void;
  /** Starts another batch of the schedule. */
  runAgain: () => void;
  /** The wish that was sent and is not answered yet. */
  pending: Schemas['Wish'] | undefined;
}

/** The commands that only lead elsewhere. The others need the server. */
const WITHOUT_SERVER: ReadonlySet<string> = new Set(['edit', 'copyLink']);

/** The command bar offers the same actions as the buttons and menus of the page. A deleted batch has none. */
export function useBatchCommands({
  batch,
  summary,
  keys,
  actions,
  deleted,
}: Omit<Props, 'menuOnly'> & { deleted: boolean }): PageCommand[] {
  const { t } = useTranslation(['batch', 'common']);
  const navigate = useNavigate();
  const copyLink = useCopyLink();
  const canceling = batch.live && batch.wish === 'cancel';
  const { schedule } = batch;
  const mayStart = useCommandGuard();
  const all: (PageCommand & { offered: boolean })[] = [
    {
      id: 'resume',
      label: t('batch:action.resume'),
      words: ['resume'],
      offered: summary.resumable > 0 && !canceling,
      run: () => {
        actions.repair({ action: 'resume' });
      },
    },
    {
      id: 'pause',
      label: t('batch:action.pause'),
      words: ['pause'],
      offered: batch.live && batch.wish === 'run',
      run: actions.pause,
    },
    {
      id: 'continue',
      label: t('batch:action.continue'),
      words: ['continue'],
      offered: batch.live && batch.wish === 'pause',
      run: actions.unpause,
    },
    {
      id: 'cancel',
      label: t('batch:action.cancel'),
      words: ['cancel'],
      offered: batch.live && !canceling,
      run: actions.cancel,
    },
    {
      id: 'rerun',
      label: t('batch:action.rerun'),
      words: ['rerun'],
      offered: !canceling,
      run: () => {
        actions.repair({ action: 'rerun', tasks: [...keys] });
      },
    },
    {
      id: 'close',
      label: t('batch:action.close'),
      words: ['close'],
      offered: batch.state === 'failed' && batch.closedNote === undefined,
      run: () => {
        actions.repair({ action: 'close' });
      },
    },
    {
      id: 'run',
      label: t('batch:action.runAgain'),
      words: ['run'],
      offered: schedule !== '',
      run: actions.runAgain,
    },
    {
      id: 'edit',
      label: t('batch:action.editSchedule'),
      words: ['edit'],
      offered: schedule !== '',
      run: () => void navigate({ to: '/schedules/$name', params: { name: schedule }, search: editorSearch(batch) }),
    },
    {
      id: 'copyLink',
      label: t('common:copyLink'),
      words: ['copy link'],
      offered: true,
      run: copyLink,
    },
  ];
  if (deleted) return [];
  return all
    .filter(({ offered }) => offered)
    .map((command) =>
      WITHOUT_SERVER.has(command.id)
        ? command
        : {
            ...command,
            run: () => {
              if (mayStart()) command.run();
            },
          },
    );
}

/** The actions of the page of a batch. Render `node`, which contains their dialogs, once in the page. */
export function useBatchActions(batch: number, schedule: string): { actions: BatchActions; node: ReactNode } {
  const repair = useRepair();
  const wish = useWish(batch);
  const run = useRun();
  const { open: openRepair } = repair;
  const { open: openRun } = run;
  const { pause, unpause, cancel, pending } = wish;
  const actions = useMemo(
    (): BatchActions => ({
      repair: (request) => {
        openRepair(batch, request);
      },
      pause,
      unpause,
      cancel,
      runAgain: () => {
        openRun(schedule);
      },
      pending,
    }),
    [openRepair, openRun, batch, schedule, pause, unpause, cancel, pending],
  );
  return {
    actions,
    node: (
      <>
        {repair.node}
        {wish.node}
        {run.node}
      </>
    ),
  };
}
