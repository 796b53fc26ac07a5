import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { FindProvider, useFind } from '@/features/find';
import { LiveProvider, useLive, useLiveStatus } from '@/live';
import { keyName, useClock, useEdgeFades, useFocusFallback, ViewZone } from '@/ui';
import { relative } from '@/ui/time';
import { AccountMenu } from './AccountMenu';
import { Notices } from './Notices';
import { useFrameCommands } from './useFrameCommands';
import { useFollowRename } from './useFollowRename';
import styles from './Shell.module.css';

/** The frame of every page with a session. */
export function Shell() {
  return (
    <LiveProvider>
      <ViewZone>
        <FindProvider>
          <Frame />
        </FindProvider>
      </ViewZone>
    </LiveProvider>
  );
}

/** The logo, the navigation, the live state and the account menu, around the page. */
function Frame() {
  const { t } = useTranslation();
  useFrameCommands();
  useFocusFallback();
  useFollowRename();
  // The list of schedules is at /, and the pages of one schedule are under /schedules/.
  const inSchedules = useLocation({ select: ({ pathname }) => pathname === '/' || pathname.startsWith('/schedules/') });
  // On a phone the links scroll sideways, and the current one must be visible.
  const nav = useRef<HTMLElement>(null);
  useEdgeFades(nav);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [path]);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        {t('skip')}
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.home} aria-label={t('appName')}>
          <Logo />
        </Link>
        <nav ref={nav} className={styles.nav} aria-label={t('nav.main')}>
          <Link
            to="/"
            activeOptions={{ exact: true }}
            aria-current={inSchedules ? 'page' : undefined}
            data-label={t('nav.schedules')}
          >
            {t('nav.schedules')}
          </Link>
          <Link to="/batches" activeProps={{ 'aria-current': 'page' }} data-label={t('nav.batches')}>
            {t('nav.batches')}
          </Link>
          <Link to="/executors" activeProps={{ 'aria-current': 'page' }} data-label={t('nav.executors')}>
            {t('nav.executors')}
          </Link>
          <Link to="/calendars" activeProps={{ 'aria-current': 'page' }} data-label={t('nav.calendars')}>
            {t('nav.calendars')}
          </Link>
          <Link to="/alerts" activeProps={{ 'aria-current': 'page' }} data-label={t('nav.alerts')}>
            {t('nav.alerts')}
          </Link>
          <Link to="/reports" activeProps={{ 'aria-current': 'page' }} data-label={t('nav.reports')}>
            {t('nav.reports')}
          </Link>
        </nav>
        <div className={styles.spacer} />
        <FindButton />
        <LiveMark />
        <AccountMenu />
      </header>
      <Notices />
      <main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

/** Opens the command bar, and shows its key. A narrow header has no room for it; the account menu has it there. */
function FindButton() {
  const { t } = useTranslation();
  const { openBar } = useFind();
  return (
    <button type="button" className={styles.find} onClick={openBar} aria-keyshortcuts="Control+K Meta+K">
      {t('find.open')}
      <kbd aria-hidden="true">{keyName('K').replace('+', ' ')}</kbd>
    </button>
  );
}

/** The logo of HiveGo: a cell of a hive with an H. */
function Logo({ size = 24 }: { size?: number }) {
  return (
    <svg viewBox="0 0 22 24" width={(size * 22) / 24} height={size} aria-hidden="true" focusable="false">
      <path d="M11 1l9.5 5.5v11L11 23 1.5 17.5v-11z" fill="var(--honey)" />
      <path d="M7 8v8M15 8v8M7 12h8" stroke="var(--on-honey)" strokeWidth="2" strokeLinecap="round" fill="none" />
    </svg>
  );
}

/** Shorter interruptions of the connection are shown without their duration (milliseconds). */
const SHORT_INTERRUPTION = 10_000;

/** The state of the live connection. While it is interrupted: since when, and a button to reconnect now. */
function LiveMark() {
  const { t, i18n } = useTranslation();
  const socket = useLive();
  const status = useLiveStatus();
  const now = useClock();
  const lastHeard = socket.lastHeard();
  return (
    <span className={styles.mark} data-live={status}>
      <i aria-hidden="true" />
      <span className="hg-visually-hidden" role="status">
        {t(`live.${status}`)}
      </span>
      {status === 'offline' ? (
        <button type="button" onClick={socket.retryNow}>
          <span>{t('live.offline')}</span>
          {lastHeard > 0 && (
            <small>
              {now - lastHeard < SHORT_INTERRUPTION
                ? t('live.staleJust')
                : t('live.stale', { ago: relative(lastHeard, now, i18n.language) })}
            </small>
          )}
        </button>
      ) : (
        <span aria-hidden="true">{t(`live.${status}`)}</span>
      )}
    </span>
  );
}
