import { Link, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page, PageHeader, ViewLinks } from '@/ui';
import { Connections } from './Connections';
import { checkSecretsSearch, VIEWS } from './search';
import { Secrets } from './Secrets';

/** The page of the secrets of tasks and of the connections of the server. */
export function SecretsPage() {
  const { t } = useTranslation(['secrets', 'common']);
  const { view = 'secrets' } = checkSecretsSearch(useSearch({ strict: false }));
  return (
    <Page>
      <PageHeader times title={t('secrets:title')} above={<Link to="/executors">{t('common:nav.executors')}</Link>} />
      <ViewLinks label={t('secrets:views')}>
        {VIEWS.map((one) => (
          <Link
            key={one}
            to="/secrets"
            search={{ view: one === 'secrets' ? undefined : one }}
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t(`secrets:view.${one}`)}
          </Link>
        ))}
      </ViewLinks>
      {view === 'secrets' ? <Secrets /> : <Connections />}
    </Page>
  );
}
