import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui';

/** The page of an address that names nothing. */
export function NotFound() {
  const { t } = useTranslation();
  return (
    <main>
      <Empty title={t('notFound.title')} whole>
        <p>{t('notFound.detail')}</p>
        <Link to="/">{t('notFound.home')}</Link>
      </Empty>
    </main>
  );
}
