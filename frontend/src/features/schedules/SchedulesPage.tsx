import { Button, CloseButton, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ArchivedSchedules, useArchive } from '@/features/archive';
import { useBackfillDialog } from '@/features/backfill';
import { Drafts, useNewSchedule } from '@/features/create';
import { type PageCommand, useCommands } from '@/features/find';
import { Band, Open, useRenewNight } from '@/features/night';
import { useRepair } from '@/features/repair';
import { useRun } from '@/features/run';
import {
  Empty,
  ErrorNote,
  LoadMore,
  Page,
  Skeleton,
  SortTh,
  Table,
  useCommandGuard,
  useDocumentTitle,
  VirtualRows,
} from '@/ui';
import { FirstSchedule } from './FirstSchedule';
import { type RowActions, ScheduleRow, useStableActions } from './ScheduleRow';
import { Summary } from './Summary';
import { TaskPicker } from './TaskPicker';
import { type Schedule, sortedRows } from './rows';
import { checkSchedulesSearch, type SchedulesSearch, type SortBy } from './search';
import { useSetEnabled, useSchedules } from './useSchedules';
import styles from './Schedules.module.css';

const ROW_HEIGHT = 59;
const COLUMNS = 7;
const SHOWS = ['running', 'disabled', 'archived'] as const;

/** The page of all schedules: which ones need a person, which ones run, and when they run next. */
export function SchedulesPage() {
  const { t } = useTranslation(['schedules', 'common', 'editor']);
  useDocumentTitle(t('common:nav.schedules'));
  const search = checkSchedulesSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const changeSearch = (part: SchedulesSearch) =>
    void navigate({ to: '/', search: checkSchedulesSearch({ ...search, ...part }), replace: true });
  const { renew, renewSoon } = useRenewNight();
  const { rows, count, total, query } = useSchedules(search, renewSoon);
  const { q, show, sort, desc } = search;
  const shown = useMemo(() => sortedRows(rows, { sort, desc }), [rows, sort, desc]);
  const { actions, dialogs } = useActions(renew);
  const { open: openNew, node: newSchedule } = useNewSchedule();
  usePageCommands(actions, openNew);

  const none = query.isSuccess && total === 0;
  // An error hides neither the search nor its focus: there must be a way back from an address that the server refuses.
  const hasTools = show === 'archived' || total > 0 || query.isError;
  return (
    <Page wide>
      <h1 className="hg-visually-hidden">{t('common:nav.schedules')}</h1>
      <Summary show={show} />
      {dialogs}
      {newSchedule}
      <div className={styles.home}>
        {!none && show !== 'archived' && (
          <div className={styles.now}>
            <Band />
            <Open onResume={actions.resume} />
          </div>
        )}
        <div className={styles.all}>
          {hasTools && <Tools search={search} shown={count} count={total} onSearch={changeSearch} onNew={openNew} />}
          <Drafts />
          {show === 'archived' ? (
            <ArchivedSchedules q={q} />
          ) : (
            <Listed
              query={query}
              rows={shown}
              none={none}
              onSearch={changeSearch}
              onNew={() => {
                openNew();
              }}
            >
              <ScheduleTable
                rows={shown}
                more={query.isFetchingNextPage || query.isPlaceholderData}
                search={search}
                onSearch={changeSearch}
                actions={actions}
              />
            </Listed>
          )}
        </div>
      </div>
    </Page>
  );
}

interface ListedProps {
  query: ReturnType<typeof useSchedules>['query'];
  /** The rows that match the search. */
  rows: readonly Schedule[];
  /** There is no schedule at all. */
  none: boolean;
  onSearch: (part: SchedulesSearch) => void;
  onNew: () => void;
  /** The table of the shown rows. */
  children: ReactNode;
}

/**
 * The table, or why there is none. An error after the rows were read moves nothing: the header says that the connection
 * is lost, and the band says how old it is.
 */
function Listed({ query, rows, none, onSearch, onNew, children }: ListedProps) {
  const { t } = useTranslation('schedules');
  return (
    <>
      {query.isError && rows.length === 0 && (
        <div className={styles.error}>
          <ErrorNote error={query.error} retry={() => void query.refetch()} />
        </div>
      )}
      {query.isPending && <Skeleton />}
      {none && <FirstSchedule onNew={onNew} />}
      {query.isSuccess && !none && rows.length === 0 && (
        <Empty title={t('noMatch')}>
          <Button
            onClick={() => {
              onSearch({ q: undefined, show: undefined, tag: undefined, owner: undefined });
            }}
          >
            {t('showAll')}
          </Button>
        </Empty>
      )}
      {rows.length > 0 && children}
      <LoadMore query={query} />
    </>
  );
}

interface ToolsProps {
  search: SchedulesSearch;
  /** How many rows match the search. */
  shown: number;
  /** How many schedules there are. */
  count: number;
  onSearch: (part: SchedulesSearch) => void;
  onNew: () => void;
}

/** The filters that the address has and that a button removes. */
const LABELS = ['tag', 'owner'] as const;

/** The search, the filters, and the button for a new schedule. */
function Tools({ search, shown, count, onSearch, onNew }: ToolsProps) {
  const { t } = useTranslation(['schedules', 'editor']);
  const filtered = [search.q, search.show, search.tag, search.owner].some((v) => v !== undefined);
  return (
    <div className={styles.tools} role="search">
      <SearchField
        q={search.q ?? ''}
        onSearch={(text) => {
          onSearch({ q: text });
        }}
      />
      {SHOWS.map((kind) => (
        <button
          key={kind}
          type="button"
          className={styles.chip}
          aria-pressed={search.show === kind}
          onClick={() => {
            onSearch({ show: search.show === kind ? undefined : kind });
          }}
        >
          {t(`schedules:show.${kind}`)}
        </button>
      ))}
      {LABELS.map(
        (label) =>
          search[label] !== undefined && (
            <button
              key={label}
              type="button"
              className={styles.chip}
              aria-pressed
              title={t(`schedules:tags.any.${label}`)}
              onClick={() => {
                onSearch({ [label]: undefined });
              }}
            >
              {t(`schedules:tags.${label}`, { value: search[label] })}
            </button>
          ),
      )}
      <span className={styles.count} role="status">
        {search.show !== 'archived' &&
          (filtered ? t('schedules:countOf', { shown, count }) : t('schedules:count', { count }))}
      </span>
      <Link to="/forecast">{t('schedules:forecast')}</Link>
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
  /** Other schedules are being read. */
  more: boolean;
  search: SchedulesSearch;
  onSearch: (part: SchedulesSearch) => void;
  actions: RowActions;
}

function ScheduleTable({ rows, more, search, onSearch, actions }: TableProps) {
  const { t } = useTranslation(['schedules', 'common']);
  const onSort = (by: SortBy | undefined, descending: boolean) => {
    onSearch({ sort: by, desc: descending });
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

/** Offers a new schedule in the command bar, and the actions of the rows for a schedule that was found there. */
function usePageCommands(actions: RowActions, openNew: () => void): void {
  const { t } = useTranslation(['schedules', 'editor']);
  const mayStart = useCommandGuard();
  const forSchedule = (name: string): PageCommand[] => [
    {
      id: 'run',
      label: t('schedules:run'),
      words: ['run'],
      run: () => {
        if (mayStart()) actions.run(name);
      },
    },
    {
      id: 'backfill',
      label: t('schedules:menu.backfill'),
      words: ['backfill'],
      run: () => {
        if (mayStart()) actions.backfill(name);
      },
    },
  ];
  useCommands({
    commands: [
      {
        id: 'new',
        label: t('editor:create.open'),
        words: ['new'],
        run: () => {
          openNew();
        },
      },
    ],
    forSchedule,
  });
}

/** The actions of the rows, and the dialogs that they open. */
function useActions(onRepaired: () => void) {
  const run = useRun();
  const repair = useRepair(onRepaired);
  const backfill = useBackfillDialog();
  const setEnabled = useSetEnabled();
  const { archive, node: archiveDialog } = useArchive();
  const [pickerFor, setPickerFor] = useState<string>();
  const actions: RowActions = {
    run: (name) => {
      run.open(name);
    },
    resume: (batch) => {
      repair.open(batch, { action: 'resume' });
    },
    pickTask: setPickerFor,
    backfill: (name) => {
      backfill.open(name);
    },
    setEnabled: (name, enabled) => {
      setEnabled.mutate({ name, enabled });
    },
    archive: (name) => void archive(name),
  };
  const stable = useStableActions(actions);
  const dialogs = (
    <>
      {run.node}
      {repair.node}
      {backfill.node}
      {archiveDialog}
      {pickerFor !== undefined && (
        <TaskPicker
          schedule={pickerFor}
          onClose={() => {
            setPickerFor(undefined);
          }}
          onPick={(task) => {
            setPickerFor(undefined);
            run.open(pickerFor, task);
          }}
        />
      )}
    </>
  );
  return { actions: stable, dialogs };
}

/** The search field. Its text is in the address; while the user types, changes of the address do not replace it. */
function SearchField({ q, onSearch }: { q: string; onSearch: (q: string) => void }) {
  const { t } = useTranslation('schedules');
  const [text, setText] = useState(q);
  const [typing, setTyping] = useState(false);
  const [lastQ, setLastQ] = useState(q);
  if (q !== lastQ) {
    setLastQ(q);
    if (!typing) setText(q);
  }
  const change = (next: string) => {
    setText(next);
    onSearch(next);
  };
  return (
    <TextInput
      type="search"
      aria-label={t('search')}
      placeholder={t('search')}
      className={styles.search}
      value={text}
      onChange={(event) => {
        change(event.currentTarget.value);
      }}
      onFocus={() => {
        setTyping(true);
      }}
      onBlur={() => {
        setTyping(false);
      }}
      rightSection={
        text ? (
          <CloseButton
            size="sm"
            aria-label={t('clear')}
            onClick={() => {
              change('');
            }}
          />
        ) : null
      }
    />
  );
}
