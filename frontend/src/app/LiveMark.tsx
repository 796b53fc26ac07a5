import { useTranslation } from 'react-i18next';
import { useLive, useLiveStatus } from '@/live';
import { useClock } from '@/ui';
import { relative } from '@/ui/time';
import styles from './LiveMark.module.css';

/** So long (milliseconds) nobody need be told how long it is. */
const JUST = 10_000;

/** The state of the live connection, always in sight; when it is gone, since when, and a way to try now. */
export function LiveMark() {
  const { t, i18n } = useTranslation();
  const socket = useLive();
  const status = useLiveStatus();
  const now = useClock();
  const heard = socket.lastHeard();
  return (
    <span className={styles.mark} data-live={status}>
      <i aria-hidden="true" />
      <span className="hg-visually-hidden" role="status">
        {t(`live.${status}`)}
      </span>
      {status === 'offline' ? (
        <button type="button" onClick={socket.retryNow}>
          <span>{t('live.offline')}</span>
          {heard > 0 && (
            <small>
              {now - heard < JUST ? t('live.staleJust') : t('live.stale', { ago: relative(heard, now, i18n.language) })}
            </small>
          )}
        </button>
      ) : (
        <span aria-hidden="true">{t(`live.${status}`)}</span>
      )}
    </span>
  );
}
