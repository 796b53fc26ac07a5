import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { keys, meQuery } from '@/api/queries';
import { useTaking } from '@/features/alerts';
import { usePollInterval } from '@/live';
import { Ago, NeedsServer } from '@/ui';
import styles from './Notice.module.css';

/** Poll interval in milliseconds: the live connection does not report who is on a problem. */
const POLL = 15_000;

/** Who is on the problems of a batch, and a button to take them or to give them back. */
export function Taker({ batch }: { batch: number }) {
  const { t } = useTranslation('batch');
  const { data: me } = useQuery(meQuery);
  const query = useQuery({
    queryKey: [...keys.alerts, 'batch', batch],
    queryFn: ({ signal }) => data(api.GET('/api/v1/alerts', { params: { query: { batch, open: true } }, signal })),
    refetchInterval: usePollInterval(POLL),
  });
  const taking = useTaking({ batch });
  const taker = query.data?.items.find((alert) => alert.taker)?.taker;
  const mine = taker !== undefined && taker.name === me?.name;
  return (
    <p className={styles.taker}>
      {taker && (
        <span>
          {t(mine ? 'taker.you' : 'taker.by', { name: taker.name })} <Ago at={taker.at} />
          {taker.note && <span className={styles.note}>{taker.note}</span>}
        </span>
      )}
      <NeedsServer>
        <Button
          size="compact-sm"
          loading={taking.isPending}
          disabled={query.isPending}
          onClick={() => {
            taking.mutate(!mine);
          }}
        >
          {t(mine ? 'taker.release' : 'taker.take')}
        </Button>
      </NeedsServer>
    </p>
  );
}
