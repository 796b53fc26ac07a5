import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { problemText } from '@/api/problem';
import { exact, useClock } from '@/ui';
import { relative } from '@/ui/time';
import { useSession } from './session';
import styles from './Header.module.css';

/** Below so many milliseconds a draft was kept just now. */
const JUST = 2000;

/** How far the draft is kept. What goes well is shown; what does not is also said. */
export function SavedWords() {
  const { t } = useTranslation('editor');
  const { t: problems } = useTranslation('problems');
  const {
    draft: { state, error, savedAt, kept, retry },
  } = useSession();
  const bad = state === 'offline' || state === 'failed';
  const words = kept ? (state === 'failed' ? 'failed' : 'offline') : 'lost';
  return (
    <>
      {bad && (
        <Tooltip
          multiline
          maw={340}
          label={
            state === 'failed' ? problemText(error, problems).detail : t(kept ? 'saved.offlineHint' : 'saved.lostHint')
          }
        >
          <button type="button" className={styles.saved} data-saved={words} onClick={retry}>
            {t(`saved.${words}`)}
          </button>
        </Tooltip>
      )}
      {state === 'saving' && <span className={styles.saved}>{t('saved.saving')}</span>}
      {state === 'saved' && savedAt !== undefined && (
        <span className={styles.saved}>
          <Since at={savedAt} />
        </span>
      )}
      <span className="hg-visually-hidden" role="status">
        {bad ? t(`saved.${words}`) : ''}
      </span>
    </>
  );
}

function Since({ at }: { at: number }) {
  const { t, i18n } = useTranslation('editor');
  const now = Math.max(at, useClock());
  return (
    <time dateTime={new Date(at).toISOString()} title={exact(at, { seconds: true })}>
      {now - at < JUST ? t('saved.now') : t('saved.ago', { ago: relative(at, now, i18n.language) })}
    </time>
  );
}
