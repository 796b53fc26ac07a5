import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { LiveProvider } from '@/live';
import { useFocusFallback } from '@/ui';
import { AccountMenu } from './AccountMenu';
import { LiveMark } from './LiveMark';
import { Logo } from './Logo';
import { Notices } from './Notices';
import styles from './Shell.module.css';

/** The frame of every page: mark, places, account; the page below. Pages put what is theirs into their own header. */
export function Shell() {
  const { t } = useTranslation();
  useFocusFallback();
  // The editor and the ticks of a schedule lie below /schedules, the list of all of them is the first page.
  const schedules = useLocation({ select: ({ pathname }) => pathname === '/' || pathname.startsWith('/schedules/') });
  return (
    <LiveProvider>
      <div className={styles.shell}>
        <a className={styles.skip} href="#content">
          {t('skip')}
        </a>
        <header className={styles.header}>
          <Link to="/" className={styles.home} aria-label={t('appName')}>
            <Logo />
          </Link>
          <nav className={styles.nav} aria-label={t('nav.main')}>
            <Link
              to="/"
              activeOptions={{ exact: true }}
              aria-current={schedules ? 'page' : undefined}
              data-words={t('nav.schedules')}
            >
              {t('nav.schedules')}
            </Link>
            <Link to="/batches" activeProps={{ 'aria-current': 'page' }} data-words={t('nav.batches')}>
              {t('nav.batches')}
            </Link>
            <Link to="/executors" activeProps={{ 'aria-current': 'page' }} data-words={t('nav.executors')}>
              {t('nav.executors')}
            </Link>
          </nav>
          <div className={styles.space} />
          <LiveMark />
          <AccountMenu />
        </header>
        <Notices />
        <main id="content" className={styles.main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </LiveProvider>
  );
}
