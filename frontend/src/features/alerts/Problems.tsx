import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { usePollInterval } from '@/live';
import { Ago, Empty, ErrorNote, LoadMore, NeedsServer, Row, Skeleton, Table } from '@/ui';
import { About, useKindText } from './About';
import { type Alert, alertsQuery } from './calls';
import type { AlertsSearch } from './search';
import { useTaking } from './useTaking';
import styles from './Alerts.module.css';

/** Poll interval in milliseconds: the live connection does not report alerts. */
const POLL = 10_000;

/** The problems that last, and who is on them. */
export function Problems({ search: { schedule } }: { search: AlertsSearch }) {
  const { t } = useTranslation('alerts');
  const query = useInfiniteQuery({ ...alertsQuery({ open: true, schedule }), refetchInterval: usePollInterval(POLL) });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && items.length === 0 && (
        <Empty title={t(schedule === undefined ? 'problems.none' : 'filter.none')}>
          <p className={styles.noneText}>{t(schedule === undefined ? 'problems.noneDetail' : 'filter.noneDetail')}</p>
        </Empty>
      )}
      {items.length > 0 && (
        <Table
          caption={t('view.problems')}
          head={
            <tr>
              <th scope="col">{t('head.kind')}</th>
              <th scope="col">{t('head.about')}</th>
              <th scope="col">{t('head.since')}</th>
              <th scope="col">{t('head.taker')}</th>
            </tr>
          }
        >
          <tbody>
            {items.map((alert) => (
              <Problem key={alert.id} alert={alert} />
            ))}
          </tbody>
        </Table>
      )}
      <LoadMore query={query} />
    </>
  );
}

function Problem({ alert }: { alert: Alert }) {
  const { t } = useTranslation('alerts');
  const kindText = useKindText();
  const taking = useTaking({ alert: alert.id });
  const { taker } = alert;
  return (
    <Row className={styles.problem}>
      <th scope="row" className={styles.kind} data-bad>
        {kindText(alert)}
      </th>
      <td className={styles.about}>
        <About alert={alert} />
      </td>
      <td className={styles.at}>
        <Ago at={alert.at} />
      </td>
      <td className={styles.taker}>
        {taker && (
          <span>
            {t('taker.by', { name: taker.name })} <Ago at={taker.at} />
            {taker.note && <small>{taker.note}</small>}
          </span>
        )}
        <NeedsServer>
          <Button
            loading={taking.isPending}
            aria-label={t(taker ? 'taker.releaseOf' : 'taker.takeOf', { what: kindText(alert), id: alert.id })}
            onClick={() => {
              taking.mutate(!taker);
            }}
          >
            {t(taker ? 'taker.release' : 'taker.take')}
          </Button>
        </NeedsServer>
      </td>
    </Row>
  );
}
