import { Link, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page, PageHeader, ViewLinks } from '@/ui';
import { Channels } from './Channels';
import { Log } from './Log';
import { Problems } from './Problems';
import { Rules } from './Rules';
import { checkAlertsSearch, VIEWS } from './search';

const PARTS = { problems: Problems, log: Log, rules: Rules, channels: Channels };

/** The page of the alerts: the open problems, the log of what was reported, the rules and the channels. */
export function AlertsPage() {
  const { t } = useTranslation(['alerts', 'common']);
  const { view = 'problems' } = checkAlertsSearch(useSearch({ strict: false }));
  const Part = PARTS[view];
  return (
    <Page>
      <PageHeader times title={t('common:nav.alerts')} />
      <ViewLinks label={t('alerts:views')}>
        {VIEWS.map((one) => (
          <Link
            key={one}
            to="/alerts"
            search={{ view: one === 'problems' ? undefined : one }}
            activeOptions={{ exact: true, includeSearch: true }}
            activeProps={{ 'aria-current': 'page' }}
          >
            {t(`alerts:view.${one}`)}
          </Link>
        ))}
      </ViewLinks>
      <Part />
    </Page>
  );
}
