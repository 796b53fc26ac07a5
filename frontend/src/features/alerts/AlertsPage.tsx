import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Page, PageHeader, ViewLinks } from '@/ui';
import { Channels } from './Channels';
import { Filters } from './Filters';
import { Log } from './Log';
import { Problems } from './Problems';
import { Rules } from './Rules';
import { checkAlertsSearch, VIEWS } from './search';

const PARTS = { problems: Problems, log: Log, rules: Rules, channels: Channels };

/** Otherwise the link to the problems, which has no view in its address, would be the current one in each view. */
const EXACT = { exact: true, includeSearch: true };

/** The page of the alerts: the open problems, the log of what was reported, the rules and the channels. */
export function AlertsPage() {
  const { t } = useTranslation(['alerts', 'common']);
  const search = checkAlertsSearch(useSearch({ strict: false }));
  const { view = 'problems', schedule } = search;
  const navigate = useNavigate();
  const Part = PARTS[view];
  return (
    <Page>
      <PageHeader times title={t('common:nav.alerts')} />
      <ViewLinks label={t('alerts:views')}>
        {VIEWS.map((one) => (
          <Link
            key={one}
            to="/alerts"
            search={{
              view: one === 'problems' ? undefined : one,
              schedule: one === 'problems' || one === 'log' ? schedule : undefined,
            }}
            activeOptions={EXACT}
            aria-current={one === view ? 'page' : undefined}
          >
            {t(`alerts:view.${one}`)}
          </Link>
        ))}
      </ViewLinks>
      {(view === 'problems' || view === 'log') && (
        <Filters
          search={search}
          onSearch={(next) => void navigate({ to: '/alerts', search: checkAlertsSearch({ ...next }), replace: true })}
        />
      )}
      <Part search={search} />
    </Page>
  );
}
