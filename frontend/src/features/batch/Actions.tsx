import { ActionIcon, Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Batch } from '@/live';
import type { Summary } from './summary';
import type { BatchActions } from './useBatchActions';
import styles from './Header.module.css';

interface Props {
  batch: Batch;
  summary: Summary;
  /** Keys of all tasks. */
  keys: readonly string[];
  actions: BatchActions;
  /** Only the menu: the rest stands at the bottom of a phone. */
  small?: boolean;
}

/** The editor offers to go on with the batch by what is published there, where it needs that. */
const editOf = (batch: Batch) => (batch.state === 'failed' || batch.live ? { batch: batch.id } : {});

/** Pause, cancel, resume, and a menu with the rest. */
export function Actions({ batch, summary, keys, actions, small }: Props) {
  const { t } = useTranslation('batch');
  return (
    <div className={styles.actions}>
      {!small && <MainActions batch={batch} summary={summary} actions={actions} />}
      {!small && batch.schedule && (
        <Button
          renderRoot={(props) => (
            <Link {...props} to="/schedules/$name" params={{ name: batch.schedule }} search={editOf(batch)} />
          )}
        >
          {t('do.edit')}
        </Button>
      )}
      <More batch={batch} keys={keys} actions={actions} />
    </div>
  );
}

/** The actions of the moment; the one that is due is the primary one. */
export function MainActions({
  batch,
  summary,
  actions,
  size,
}: Pick<Props, 'batch' | 'summary' | 'actions'> & { size?: string }) {
  const { t } = useTranslation('batch');
  const leaving = batch.live && batch.wish === 'cancel'; // the wish stays when the batch has ended
  return (
    <>
      {batch.live &&
        !leaving &&
        (batch.wish === 'pause' ? (
          <Button size={size} loading={actions.pending !== undefined} onClick={actions.go}>
            {t('do.continue')}
          </Button>
        ) : (
          <Button size={size} loading={actions.pending !== undefined} onClick={actions.pause}>
            {t('do.pause')}
          </Button>
        ))}
      {batch.live && (
        <Button size={size} disabled={leaving} onClick={actions.cancel}>
          {t(leaving ? 'do.canceling' : 'do.cancel')}
        </Button>
      )}
      {summary.resumable > 0 && !leaving && (
        <Button
          size={size}
          variant="filled"
          onClick={() => {
            actions.repair({ action: 'resume' });
          }}
        >
          {size ? t('do.resumeCount', { count: summary.resumable }) : t('do.resume')}
        </Button>
      )}
      {!batch.live && summary.resumable === 0 && batch.schedule && (
        <Button size={size} onClick={actions.runAgain}>
          {t('do.runAgain')}
        </Button>
      )}
    </>
  );
}

function More({ batch, keys, actions }: Pick<Props, 'batch' | 'keys' | 'actions'>) {
  const { t } = useTranslation(['batch', 'common']);
  return (
    <Menu position="bottom-end" width={210} shadow="lg" loop>
      <Menu.Target>
        <ActionIcon variant="default" size={34} aria-label={t('do.more')}>
          <svg viewBox="0 0 16 16" width={16} height={16} fill="currentColor" aria-hidden="true">
            <circle cx="3" cy="8" r="1.4" />
            <circle cx="8" cy="8" r="1.4" />
            <circle cx="13" cy="8" r="1.4" />
          </svg>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          disabled={batch.wish === 'cancel' && batch.live}
          onClick={() => {
            actions.repair({ action: 'rerun', tasks: [...keys] });
          }}
        >
          {t('do.rerun')}
        </Menu.Item>
        {batch.state === 'failed' && batch.closedNote === undefined && (
          <Menu.Item
            onClick={() => {
              actions.repair({ action: 'close' });
            }}
          >
            {t('do.close')}
          </Menu.Item>
        )}
        {batch.schedule && <Menu.Item onClick={actions.runAgain}>{t('do.runAgain')}</Menu.Item>}
        <Menu.Divider />
        <Menu.Item onClick={() => void navigator.clipboard.writeText(location.href)}>{t('common:copyLink')}</Menu.Item>
        {batch.schedule && (
          <Menu.Item
            renderRoot={(props) => (
              <Link {...props} to="/schedules/$name" params={{ name: batch.schedule }} search={editOf(batch)} />
            )}
          >
            {t('do.editSchedule')}
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
}
