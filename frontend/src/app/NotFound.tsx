import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Empty, useDocumentTitle } from '@/ui';

/** The page of an address that names nothing. */
export function Nothing() {
  const { t } = useTranslation();
  useDocumentTitle(t('notFound.title'));
  return (
    <Empty title={t('notFound.title')} whole>
      <p>{t('notFound.detail')}</p>
      <Link to="/">{t('notFound.home')}</Link>
    </Empty>
  );
}

/** The same without the frame of the pages. */
export function NotFound() {
  return (
    <main>
      <Nothing />
    </main>
  );
}
