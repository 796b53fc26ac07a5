import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { Ago, Empty, ErrorNote, LoadMore, Row, Skeleton, Table } from '@/ui';
import { useArchive } from './useArchive';
import styles from './Archive.module.css';

const PAGE = 100;
type Schedule = Schemas['ScheduleSummary'];

/** The archived schedules, with buttons that unarchive them. */
export function ArchivedSchedules({ q = '' }: { q?: string }) {
  const { t } = useTranslation('archive');
  const query = useInfiniteQuery({
    queryKey: keys.archived,
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/schedules', {
          params: { query: { archived: true, after: pageParam, limit: PAGE } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
  });
  const { unarchive, node } = useArchive();
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = (query.data?.pages.flatMap((page) => page.items) ?? []).filter((s) => {
    const text = `${s.name} ${s.title ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton />}
      {query.isSuccess && rows.length === 0 && <Empty title={t('list.none')} />}
      {rows.length > 0 && (
        <Table
          caption={t('list.caption')}
          className={styles.table}
          head={
            <tr>
              <th scope="col">{t('list.name')}</th>
              <th scope="col">{t('list.archived')}</th>
              <th>
                <span className="hg-visually-hidden">{t('list.actions')}</span>
              </th>
            </tr>
          }
        >
          <tbody>
            {rows.map((schedule) => (
              <ArchivedRow key={schedule.name} schedule={schedule} onUnarchive={() => void unarchive(schedule.name)} />
            ))}
          </tbody>
        </Table>
      )}
      <LoadMore query={query} />
      {node}
    </>
  );
}

function ArchivedRow({ schedule, onUnarchive }: { schedule: Schedule; onUnarchive: () => void }) {
  const { t } = useTranslation('archive');
  const { name, title, archivedAt, archivedBy, deleting } = schedule;
  return (
    <Row className={styles.row}>
      <th scope="row" className={styles.name}>
        <Link to="/schedules/$name" params={{ name }} search={{}}>
          {name}
        </Link>
        {title && <small title={title}>{title}</small>}
      </th>
      <td className={styles.when}>
        {archivedAt && <Ago at={archivedAt} />}
        <small>{archivedBy}</small>
      </td>
      <td className={styles.actions}>
        {deleting ? (
          t('list.deleting')
        ) : (
          <Button onClick={onUnarchive} aria-label={t('unarchiveOf', { name })}>
            {t('unarchive')}
          </Button>
        )}
      </td>
    </Row>
  );
}
