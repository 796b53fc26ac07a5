import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { Drafts, useNewSchedule } from '@/features/create';
import { useRepair } from '@/features/repair';
import { useRun } from '@/features/run';
import { Command, Empty, ErrorNote, Page, Skeleton, SortTh, Table, useDocumentTitle, useNow, VirtualRows } from '@/ui';
import { type RowActions, ScheduleRow, useStable } from './ScheduleRow';
import { SearchField } from './SearchField';
import { Summary } from './Summary';
import { TaskPicker } from './TaskPicker';
import { chosen, type Schedule } from './rows';
import { checkSchedulesSearch, type SchedulesSearch, type SortBy } from './search';
import { usePause } from './usePause';
import { useSchedules } from './useSchedules';
import styles from './Schedules.module.css';

/** What is late changes by itself; the rows are looked through again so often, in milliseconds. */
const LOOK_AGAIN = 10_000;
const ROW_HEIGHT = 59;
const COLUMNS = 7;
const SHOWS = ['running', 'paused'] as const;

/** The schedules: who needs a person, what runs, and when what runs next. */
export function SchedulesPage() {
  const { t } = useTranslation(['schedules', 'common', 'editor']);
  useDocumentTitle(t('common:nav.schedules'));
  const search = checkSchedulesSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = (part: SchedulesSearch) =>
    void navigate({ to: '/', search: checkSchedulesSearch({ ...search, ...part }), replace: true });
  const { rows, query } = useSchedules();
  const now = Math.floor(useNow() / LOOK_AGAIN) * LOOK_AGAIN;
  const { q, show, sort, desc } = search;
  const shown = useMemo(() => chosen(rows, { q, show, sort, desc }, now), [rows, q, show, sort, desc, now]);
  const { actions, pieces } = useActions();
  const { open: openNew, node: newSchedule } = useNewSchedule();

  return (
    <Page>
      <h1 className="hg-visually-hidden">{t('common:nav.schedules')}</h1>
      <Summary show={show} />
      {pieces}
      {newSchedule}
      {rows.length > 0 && <Tools search={search} shown={shown.length} count={rows.length} go={go} onNew={openNew} />}
      <Drafts />
      {query.isError && (
        <div className={styles.error}>
          <ErrorNote error={query.error} retry={() => void query.refetch()} />
        </div>
      )}
      {query.isPending && <Skeleton />}
      {query.isSuccess && rows.length === 0 && (
        <FirstSchedule
          onNew={() => {
            openNew();
          }}
        />
      )}
      {rows.length > 0 && shown.length === 0 && !query.hasNextPage && (
        <Empty title={t('schedules:noMatch')}>
          <Button
            onClick={() => {
              go({ q: undefined, show: undefined });
            }}
          >
            {t('schedules:showAll')}
          </Button>
        </Empty>
      )}
      {shown.length > 0 && (
        <ScheduleTable rows={shown} more={query.hasNextPage} search={search} go={go} actions={actions} />
      )}
    </Page>
  );
}

interface ToolsProps {
  search: SchedulesSearch;
  /** How many rows the search leaves, of how many. */
  shown: number;
  count: number;
  go: (part: SchedulesSearch) => void;
  onNew: () => void;
}

/** The search, the filters, and the button for a new schedule. */
function Tools({ search, shown, count, go, onNew }: ToolsProps) {
  const { t } = useTranslation(['schedules', 'editor']);
  const filtered = search.q !== undefined || search.show !== undefined;
  return (
    <div className={styles.tools} role="search">
      <SearchField
        q={search.q ?? ''}
        onSearch={(words) => {
          go({ q: words });
        }}
      />
      {SHOWS.map((kind) => (
        <button
          key={kind}
          type="button"
          className={styles.chip}
          aria-pressed={search.show === kind}
          onClick={() => {
            go({ show: search.show === kind ? undefined : kind });
          }}
        >
          {t(`schedules:show.${kind}`)}
        </button>
      ))}
      <span className={styles.count} role="status">
        {filtered ? t('schedules:countOf', { shown, count }) : t('schedules:count', { count })}
      </span>
      <Button
        onClick={() => {
          onNew();
        }}
      >
        {t('editor:create.open')}
      </Button>
    </div>
  );
}

interface TableProps {
  rows: readonly Schedule[];
  /** More schedules are still being read. */
  more: boolean;
  search: SchedulesSearch;
  go: (part: SchedulesSearch) => void;
  actions: RowActions;
}

function ScheduleTable({ rows, more, search, go, actions }: TableProps) {
  const { t } = useTranslation(['schedules', 'common']);
  const onSort = (by: SortBy | undefined, descending: boolean) => {
    go({ sort: by, desc: descending });
  };
  const head = { sort: search.sort, descending: search.desc, onSort };
  return (
    <Table
      caption={t('common:nav.schedules')}
      className={styles.table}
      busy={more}
      head={
        <tr>
          <th className={styles.glyph}>
            <span className="hg-visually-hidden">{t('schedules:head.state')}</span>
          </th>
          <SortTh by="name" {...head}>
            {t('schedules:head.name')}
          </SortTh>
          <th scope="col">{t('schedules:head.runs')}</th>
          <SortTh by="next" {...head}>
            {t('schedules:head.next')}
          </SortTh>
          <th scope="col">{t('schedules:head.recent')}</th>
          <SortTh by="usual" {...head}>
            {t('schedules:head.usual')}
          </SortTh>
          <th>
            <span className="hg-visually-hidden">{t('schedules:head.actions')}</span>
          </th>
        </tr>
      }
    >
      <VirtualRows items={rows} height={ROW_HEIGHT} columns={COLUMNS} keyOf={(s) => s.name}>
        {(schedule) => <ScheduleRow schedule={schedule} actions={actions} />}
      </VirtualRows>
    </Table>
  );
}

/** What rows can do, and the dialogs that ask first. */
function useActions() {
  const run = useRun();
  const repair = useRepair();
  const pause = usePause();
  const [picking, setPicking] = useState<string>();
  const actions: RowActions = {
    run: (name) => {
      run.open(name);
    },
    resume: (batch) => {
      repair.open(batch, { action: 'resume' });
    },
    pickTask: setPicking,
    turn: (name, enabled) => {
      pause.mutate({ name, enabled });
    },
  };
  const stable = useStable(actions);
  const pieces = (
    <>
      {run.node}
      {repair.node}
      {picking !== undefined && (
        <TaskPicker
          schedule={picking}
          onClose={() => {
            setPicking(undefined);
          }}
          onPick={(task) => {
            setPicking(undefined);
            run.open(picking, task);
          }}
        />
      )}
    </>
  );
  return { actions: stable, pieces };
}

const EXAMPLE = `apiVersion: hivego/v1
kind: Schedule
name: hello
triggers:
  - cron: "*/15 * * * *"
jobs:
  - key: greet
    tasks:
      - {key: hello, handler: shell, params: {command: "echo hello"}}`;

/** How to make the first schedule: here, or as a file with the command that saves it. */
function FirstSchedule({ onNew }: { onNew: () => void }) {
  const { t } = useTranslation(['schedules', 'editor']);
  const { data: me } = useQuery(meQuery);
  return (
    <Empty title={t('schedules:first.title')}>
      <p>{t('schedules:first.detail')}</p>
      <Button variant="filled" onClick={onNew}>
        {t('editor:create.open')}
      </Button>
      <div className={styles.first}>
        <p>{t('schedules:first.write')}</p>
        <Command text={EXAMPLE} />
        <p>{t('schedules:first.apply')}</p>
        <Command text={`export HIVEGO_SERVER=${location.origin} HIVEGO_TOKEN=…\nhivego apply -f hello.yaml`} />
        <p>{t('schedules:first.token')}</p>
        <Command text={`hivego token create --user ${me?.name ?? 'NAME'}`} />
        <p>{t('schedules:first.examples')}</p>
      </div>
    </Empty>
  );
}
