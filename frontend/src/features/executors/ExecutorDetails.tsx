import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { translateSentence } from '@/api/problem';
import { keys } from '@/api/queries';
import { useHandlerTexts } from '@/i18n/handlers';
import { Ago, ErrorNote, Dialog } from '@/ui';
import { condition, type Executor, paramsOf } from './executors';
import styles from './Executors.module.css';

/** Poll interval in milliseconds. */
const POLL = 2_000;

/** The details of an executor: its properties, its attempts and its handlers. */
export function ExecutorDetails({ executor, onClose }: { executor: Executor; onClose: () => void }) {
  const { t } = useTranslation('executors');
  const {
    name,
    id,
    group,
    address,
    version,
    origin,
    seenAt,
    trouble,
    troubleReason,
    durable,
    tls,
    handlers,
    labels = {},
  } = executor;
  return (
    <Dialog
      reading
      opened
      onClose={onClose}
      title={<bdi>{name}</bdi>}
      summary={t(`state.${condition(executor)}`)}
      footer={<Button onClick={onClose}>{t('detail.close')}</Button>}
    >
      <div className={styles.details}>
        <section aria-label={t('detail.about')}>
          <dl className={styles.facts}>
            {trouble && (
              <>
                <dt>{t('detail.trouble')}</dt>
                <dd className={styles.trouble}>{translateSentence(trouble, troubleReason, t)}</dd>
              </>
            )}
            <dt>{t('detail.address')}</dt>
            <dd className="hg-mono">
              {address}
              {tls && ` · ${t('tls')}`}
            </dd>
            <dt>{t('detail.group')}</dt>
            <dd>
              <bdi>{group}</bdi>
            </dd>
            {Object.keys(labels).length > 0 && (
              <>
                <dt>{t('head.labels')}</dt>
                <dd className="hg-mono">
                  {Object.entries(labels)
                    .map(([key, value]) => `${key}=${value}`)
                    .join(', ')}
                </dd>
              </>
            )}
            {origin && (
              <>
                <dt>{t('detail.origin')}</dt>
                <dd>
                  {t(`origin.${origin}`)}
                  {!durable && ` · ${t('runOnly')}`}
                </dd>
              </>
            )}
            {seenAt && (
              <>
                <dt>{t('detail.seen')}</dt>
                <dd>
                  <Ago at={seenAt} />
                </dd>
              </>
            )}
            {version && (
              <>
                <dt>{t('detail.version')}</dt>
                <dd>{version}</dd>
              </>
            )}
            <dt>{t('detail.id')}</dt>
            <dd className="hg-mono">{id}</dd>
          </dl>
          {!durable && <p className={styles.quiet}>{t('runOnlyHint')}</p>}
        </section>
        <CurrentAttempts name={name} />
        <section>
          <h3>{t('detail.handlers')}</h3>
          {handlers.map((handler) => (
            <HandlerCard key={handler.name} handler={handler} />
          ))}
        </section>
      </div>
    </Dialog>
  );
}

/** The attempts of an executor. */
function CurrentAttempts({ name }: { name: string }) {
  const { t } = useTranslation('executors');
  const { data: attempts, error } = useQuery({
    queryKey: [...keys.executors, name, 'attempts'],
    queryFn: () => data(api.GET('/api/v1/executors/{name}/attempts', { params: { path: { name } } })),
    refetchInterval: POLL,
  });
  return (
    <section>
      <h3>{t('detail.attempts')}</h3>
      {error && <ErrorNote error={error} />}
      {attempts?.items.length === 0 && <p className={styles.quiet}>{t('detail.noAttempts')}</p>}
      {attempts && attempts.items.length > 0 && (
        <table className={styles.attempts}>
          <thead>
            <tr>
              <th scope="col">{t('detail.task')}</th>
              <th scope="col">{t('detail.batch')}</th>
              <th scope="col">{t('head.state')}</th>
              <th scope="col">{t('detail.since')}</th>
            </tr>
          </thead>
          <tbody>
            {attempts.items.map(({ attempt, batch, schedule, task, state, offeredAt, startedAt }) => (
              <tr key={attempt}>
                <td>
                  <Link to="/batches/$id" params={{ id: batch }} search={{ task }}>
                    <bdi>{task}</bdi>
                  </Link>
                </td>
                <td>
                  <Link to="/batches/$id" params={{ id: batch }}>
                    {t('detail.batchLink', { id: batch })}
                  </Link>{' '}
                  <small className="hg-quiet">
                    <bdi>{schedule ?? t('detail.adhoc')}</bdi>
                  </small>
                </td>
                <td>{t(`detail.attemptState.${state}`)}</td>
                <td>
                  <Ago at={startedAt ?? offeredAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function HandlerCard({ handler: original }: { handler: Executor['handlers'][number] }) {
  const { t } = useTranslation('executors');
  const texts = useHandlerTexts();
  const handler = texts.handler(original);
  const params = paramsOf(handler.schema, (schema) => texts.schema(handler.name, schema));
  return (
    <div className={styles.handler}>
      <b>
        <bdi>{handler.title ?? handler.name}</bdi>{' '}
        {handler.title && handler.title !== handler.name && <span className="hg-mono hg-quiet">{handler.name}</span>}
      </b>
      {handler.description && <p>{handler.description}</p>}
      {params && params.length > 0 ? (
        <ul aria-label={t('detail.params')}>
          {params.map((param) => (
            <li key={param.name}>
              <span className="hg-mono">{param.name}</span>
              {param.required && ` (${t('detail.required')})`} {param.description}
            </li>
          ))}
        </ul>
      ) : (
        <p className={styles.quiet}>{t('detail.noParams')}</p>
      )}
      {handler.survives && <p className={styles.quiet}>{t('detail.survives')}</p>}
    </div>
  );
}
