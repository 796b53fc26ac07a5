import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { problemText } from '@/api/problem';
import { keys } from '@/api/queries';
import { usePollInterval } from '@/live';
import { Ago, Dialog, Empty, ErrorNote, LoadMore, Moment, NeedsServer, Row, Skeleton, Table, toast } from '@/ui';
import { About, useKindText } from './About';
import { type Alert, alertsQuery, type Delivery, triesQuery } from './calls';
import type { AlertsSearch } from './search';
import styles from './Alerts.module.css';

/** Poll interval in milliseconds: the live connection does not report deliveries. */
const POLL = 10_000;

/** The kinds of alerts that are no problem. */
const CALM: ReadonlySet<Alert['kind']> = new Set(['recovered', 'started', 'succeeded', 'canceled']);

/** What was reported, latest first, and what became of each message. */
export function Log({ search: { schedule, since } }: { search: AlertsSearch }) {
  const { t } = useTranslation('alerts');
  const query = useInfiniteQuery({ ...alertsQuery({ schedule, since }), refetchInterval: usePollInterval(POLL) });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const [shown, setShown] = useState<Delivery>();
  const filtered = schedule !== undefined || since !== undefined;
  return (
    <>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={6} />}
      {query.isSuccess && items.length === 0 && (
        <Empty title={t(filtered ? 'filter.none' : 'log.none')}>
          <p className={styles.noneText}>{t(filtered ? 'filter.noneDetail' : 'log.noneDetail')}</p>
        </Empty>
      )}
      {items.length > 0 && (
        <Table
          caption={t('view.log')}
          head={
            <tr>
              <th scope="col">{t('head.kind')}</th>
              <th scope="col">{t('head.about')}</th>
              <th scope="col">{t('head.at')}</th>
              <th scope="col">{t('head.deliveries')}</th>
            </tr>
          }
        >
          <tbody>
            {items.map((alert) => (
              <Entry key={alert.id} alert={alert} onTries={setShown} />
            ))}
          </tbody>
        </Table>
      )}
      <LoadMore query={query} />
      {shown && (
        <Tries
          delivery={shown}
          onClose={() => {
            setShown(undefined);
          }}
        />
      )}
    </>
  );
}

function Entry({ alert, onTries }: { alert: Alert; onTries: (delivery: Delivery) => void }) {
  const { t } = useTranslation('alerts');
  const kindText = useKindText();
  return (
    <Row className={styles.entry}>
      <th scope="row" className={styles.kind} data-bad={!CALM.has(alert.kind) || undefined}>
        {kindText(alert)}
        {alert.overAt && (
          <small>
            {t('log.over')} <Ago at={alert.overAt} />
          </small>
        )}
      </th>
      <td className={styles.about}>
        <About alert={alert} />
      </td>
      <td className={styles.at}>
        <Ago at={alert.at} />
      </td>
      <td className={styles.deliveries}>
        {alert.deliveries.length === 0 && <span className={styles.quiet}>{t('log.nobody')}</span>}
        <ul>
          {alert.deliveries.map((delivery) => (
            <li key={delivery.id}>
              <DeliveryLine delivery={delivery} onTries={onTries} />
            </li>
          ))}
        </ul>
      </td>
    </Row>
  );
}

/** `night → ops-mail · sent`, the error of the last try, and buttons for its log and for another try. */
function DeliveryLine({ delivery, onTries }: { delivery: Delivery; onTries: (delivery: Delivery) => void }) {
  const { t } = useTranslation(['alerts', 'problems']);
  const { t: problems } = useTranslation('problems');
  const client = useQueryClient();
  const { id, rule, channel, state, escalation, error, tries } = delivery;
  const again = useMutation({
    mutationFn: () =>
      data(
        api.PUT('/api/v1/alert-deliveries/{delivery}/state', {
          params: { path: { delivery: id } },
          body: { state: 'pending' },
        }),
      ),
    onSuccess: () => {
      toast(t('alerts:log.againDone', { channel }));
    },
    onError: (refusal) => {
      toast(problemText(refusal, problems).detail, { error: true });
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.alerts }),
  });
  return (
    <>
      <span>
        <bdi>{rule}</bdi> → <bdi>{channel}</bdi>
      </span>
      <span className={styles.state} data-state={state}>
        {t(`alerts:state.${state}`)}
        {escalation && ` (${t('alerts:log.escalation')})`}
      </span>
      {tries > 0 && (
        <button
          type="button"
          className={styles.link}
          aria-label={t('alerts:log.triesOf', { count: tries, channel })}
          onClick={() => {
            onTries(delivery);
          }}
        >
          {t('alerts:log.tries', { count: tries })}
        </button>
      )}
      {state === 'failed' && (
        <NeedsServer>
          <button
            type="button"
            className={styles.link}
            disabled={again.isPending}
            aria-label={t('alerts:log.againTo', { channel })}
            onClick={() => {
              again.mutate();
            }}
          >
            {t('alerts:log.again')}
          </button>
        </NeedsServer>
      )}
      {error && <small title={error}>{error}</small>}
    </>
  );
}

/** The log of one delivery: each try, and what the service answered. */
function Tries({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const { t } = useTranslation(['alerts', 'common']);
  const query = useQuery(triesQuery(delivery.id));
  return (
    <Dialog
      opened
      onClose={onClose}
      reading
      title={t('alerts:log.triesTitle', { rule: delivery.rule, channel: delivery.channel })}
      footer={<Button onClick={onClose}>{t('common:close')}</Button>}
    >
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={2} />}
      <ol className={styles.tries}>
        {query.data?.map((one, i) => (
          <li key={i}>
            <Moment at={one.at} seconds />
            <span className={styles.state} data-state={one.done ? 'sent' : 'failed'}>
              {t(one.done ? 'alerts:state.sent' : 'alerts:state.failed')}
            </span>
            <span>{one.detail}</span>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
