import { Button, Menu } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { Ago, Empty, ErrorNote, LoadMore, NeedsServer, Row, RowMenu, Skeleton, Table } from '@/ui';
import { DeleteSchedule } from './DeleteSchedule';
import { useArchive } from './useArchive';
import styles from './Archive.module.css';

const PAGE = 100;
/** The server takes this many characters. */
const MAX_SEARCH = 200;
/** Milliseconds after the last letter until the server searches. */
const SEARCH_DELAY = 150;
/** Milliseconds between two looks at schedules that are being deleted. */
const DELETION_POLL = 2_000;
type Schedule = Schemas['ScheduleSummary'];

/** The archived schedules, with buttons that unarchive them. */
export function ArchivedSchedules({ q = '' }: { q?: string }) {
  const { t } = useTranslation('archive');
  const [words] = useDebouncedValue(q.trim().slice(0, MAX_SEARCH), SEARCH_DELAY);
  const query = useInfiniteQuery({
    queryKey: [...keys.archived, 'list', words],
    queryFn: ({ pageParam, signal }) =>
      data(
        api.GET('/api/v1/schedules', {
          params: { query: { archived: true, find: words || undefined, after: pageParam, limit: PAGE } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    placeholderData: keepPreviousData,
    getNextPageParam: (page) => page.next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) => page.items.some((s) => s.deleting)) ? DELETION_POLL : false,
  });
  const [deleting, setDeleting] = useState<string>();
  const { unarchive, node } = useArchive();
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
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
              <ArchivedRow
                key={schedule.name}
                schedule={schedule}
                onUnarchive={() => void unarchive(schedule.name)}
                onDelete={() => {
                  setDeleting(schedule.name);
                }}
              />
            ))}
          </tbody>
        </Table>
      )}
      <LoadMore query={query} />
      {deleting !== undefined && (
        <DeleteSchedule
          name={deleting}
          onClose={() => {
            setDeleting(undefined);
          }}
        />
      )}
      {node}
    </>
  );
}

interface RowProps {
  schedule: Schedule;
  onUnarchive: () => void;
  onDelete: () => void;
}

function ArchivedRow({ schedule, onUnarchive, onDelete }: RowProps) {
  const { t } = useTranslation(['archive', 'schedules']);
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
          <Progress name={name} />
        ) : (
          <>
            <NeedsServer>
              <Button onClick={onUnarchive} aria-label={t('archive:unarchiveOf', { name })}>
                {t('archive:unarchive')}
              </Button>
            </NeedsServer>
            <RowMenu label={t('schedules:menu.label', { name })} width={220}>
              <Menu.Item renderRoot={(props) => <Link {...props} to="/batches" search={{ schedule: name }} />}>
                {t('schedules:menu.batches')}
              </Menu.Item>
              <Menu.Item renderRoot={(props) => <Link {...props} to="/schedules/$name/ticks" params={{ name }} />}>
                {t('schedules:menu.ticks')}
              </Menu.Item>
              <Menu.Item
                component="a"
                href={`/api/v1/schedules/${encodeURIComponent(name)}/export`}
                download={`${name}.yaml`}
              >
                {t('schedules:menu.export')}
              </Menu.Item>
              <Menu.Divider />
              <NeedsServer>
                <Menu.Item onClick={onDelete}>{t('archive:delete.open')}</Menu.Item>
              </NeedsServer>
            </RowMenu>
          </>
        )}
      </td>
    </Row>
  );
}

/** How far the deletion of a schedule is. */
function Progress({ name }: { name: string }) {
  const { t } = useTranslation('archive');
  const { data: list } = useQuery({
    queryKey: [...keys.archived, 'deletions'],
    queryFn: ({ signal }) => data(api.GET('/api/v1/deletions', { signal })),
    refetchInterval: DELETION_POLL,
  });
  const deletion = list?.items.find((d) => d.schedule === name && d.finishedAt === undefined);
  return (
    <span role="status">
      {deletion ? t('list.progress', { done: deletion.batches, all: deletion.total }) : t('list.deleting')}
    </span>
  );
}
