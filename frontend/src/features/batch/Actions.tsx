import { ActionIcon, Button, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Batch } from '@/live';
import type { Summary } from './summary';
import type { Doings } from './useDoings';
import styles from './Header.module.css';

interface Props {
  batch: Batch;
  summary: Summary;
  /** Keys of all tasks. */
  keys: readonly string[];
  doings: Doings;
  /** Only the menu: the rest stands at the bottom of a phone. */
  small?: boolean;
}

/** The editor offers to go on with the batch by what is published there, where it needs that. */
const editOf = (batch: Batch) => (batch.state === 'failed' || batch.live ? { batch: batch.id } : {});

/** Pause, cancel, resume, and a menu with the rest. */
export function Actions({ batch, summary, keys, doings, small }: Props) {
  const { t } = useTranslation('batch');
  return (
    <div className={styles.actions}>
      {!small && <MainActions batch={batch} summary={summary} doings={doings} />}
      {!small && batch.schedule && (
        <Button
          renderRoot={(props) => (
            <Link {...props} to="/schedules/$name" params={{ name: batch.schedule }} search={editOf(batch)} />
          )}
        >
          {t('do.edit')}
        </Button>
      )}
      <More batch={batch} keys={keys} doings={doings} />
    </div>
  );
}

/** The actions of the moment; the one that is due is the primary one. */
export function MainActions({
  batch,
  summary,
  doings,
  size,
}: Pick<Props, 'batch' | 'summary' | 'doings'> & { size?: string }) {
  const { t } = useTranslation('batch');
  const leaving = batch.live && batch.wish === 'cancel'; // the wish stays when the batch has ended
  return (
    <>
      {batch.live &&
        !leaving &&
        (batch.wish === 'pause' ? (
          <Button size={size} loading={doings.pending !== undefined} onClick={doings.go}>
            {t('do.continue')}
          </Button>
        ) : (
          <Button size={size} loading={doings.pending !== undefined} onClick={doings.pause}>
            {t('do.pause')}
          </Button>
        ))}
      {batch.live && (
        <Button size={size} disabled={leaving} onClick={doings.cancel}>
          {t(leaving ? 'do.canceling' : 'do.cancel')}
        </Button>
      )}
      {summary.resumable > 0 && !leaving && (
        <Button
          size={size}
          variant="filled"
          onClick={() => {
            doings.repair({ action: 'resume' });
          }}
        >
          {size ? t('do.resumeCount', { count: summary.resumable }) : t('do.resume')}
        </Button>
      )}
      {!batch.live && summary.resumable === 0 && batch.schedule && (
        <Button size={size} onClick={doings.runAgain}>
          {t('do.runAgain')}
        </Button>
      )}
    </>
  );
}

function More({ batch, keys, doings }: Pick<Props, 'batch' | 'keys' | 'doings'>) {
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
            doings.repair({ action: 'rerun', tasks: [...keys] });
          }}
        >
          {t('do.rerun')}
        </Menu.Item>
        {batch.state === 'failed' && batch.closedNote === undefined && (
          <Menu.Item
            onClick={() => {
              doings.repair({ action: 'close' });
            }}
          >
            {t('do.close')}
          </Menu.Item>
        )}
        {batch.schedule && <Menu.Item onClick={doings.runAgain}>{t('do.runAgain')}</Menu.Item>}
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
