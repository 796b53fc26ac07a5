import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Definition } from '@/api/definition';
import { scheduleQuery } from '@/api/queries';
import { ArchivedNote } from '@/features/archive';
import { type PageParts, useCommands } from '@/features/find';
import { useManyRepair, useRepair } from '@/features/repair';
import { Empty, ErrorNote, PageHeader, ScheduleZone, Skeleton, TaskTitles, useShownZone } from '@/ui';
import { Details } from './Details';
import { type Grid, type Line, linesOf } from './grid';
import { GridCanvas } from './GridCanvas';
import { Legend } from './Legend';
import { MarkBar } from './MarkBar';
import { type Marks, NO_MARKS, type Place } from './marks';
import { isOpenIn, openFirst, toggledJobs } from './open';
import type { RunsSearch } from './search';
import { Toolbar } from './Toolbar';
import { useGrid } from './useGrid';
import styles from './Runs.module.css';

/** The runs of a schedule: its batches as columns, its tasks as rows. Another schedule begins without marks. */
export function RunsPage() {
  const { name = '' } = useParams({ strict: false });
  return (
    <ScheduleZone name={name}>
      <Runs key={name} name={name} />
    </ScheduleZone>
  );
}

function Runs({ name }: { name: string }) {
  const { search, change } = useAddress();
  const { data: schedule, error: missing } = useQuery(scheduleQuery(name));
  const zone = useShownZone();
  const { grid, answer, query, follow, reread } = useGrid(name, zone, search);
  const titles = useTitles(schedule?.definition as Definition | undefined);
  const error = missing ?? query.error;
  const usual = schedule?.usualSeconds;
  const phone = useMediaQuery('(max-width: 40em)') ?? false;
  const [marks, setMarks] = useState<Marks>(NO_MARKS);
  const shown = grid && grid.batches.length > 0 ? grid : undefined;
  return (
    <TaskTitles value={titles.tasks}>
      <div className={styles.page}>
        <Head name={name} phone={phone} />
        <ArchivedNote name={name} />
        <Toolbar {...{ search, change, answer, zone, phone }} grid={shown} onMarks={setMarks} />
        {shown ? (
          <Loaded
            {...{ name, grid: shown, zone, search, change, marks, setMarks, titles, phone }}
            usual={usual && usual * 1000}
            onRepaired={(batch) => void reread(batch)}
          />
        ) : (
          <NoBatches {...{ name, search, error }} loading={!grid} retry={() => void query.refetch()} />
        )}
        {follow}
      </div>
    </TaskTitles>
  );
}

function Head({ name, phone }: { name: string; phone: boolean }) {
  const { t } = useTranslation(['runs', 'common']);
  return (
    <PageHeader
      times
      title={t('runs:title', { name })}
      above={
        <nav aria-label={t('runs:crumbs')}>
          <Link to="/">{t('common:nav.schedules')}</Link> /{' '}
          <Link to="/schedules/$name" params={{ name }} search={{}}>
            {name}
          </Link>
        </nav>
      }
      note={t(phone ? 'runs:notePhone' : 'runs:note')}
    />
  );
}

const KEYS: PageParts = { keySet: 'grid' };

interface LoadedProps {
  name: string;
  grid: Grid;
  zone?: string;
  usual?: number;
  search: RunsSearch;
  change: (part: Partial<RunsSearch>) => void;
  marks: Marks;
  setMarks: (change: Marks | ((marks: Marks) => Marks)) => void;
  titles: Titles;
  phone: boolean;
  onRepaired: (batch: number) => void;
}

function Loaded(props: LoadedProps) {
  const { name, grid, zone, usual, search, change, marks, setMarks, titles, phone, onRepaired } = props;
  const { t } = useTranslation('runs');
  useCommands(KEYS);
  const navigate = useNavigate();
  const [first] = useState(() => openFirst(grid, phone));
  const isOpen = useMemo(() => isOpenIn(search.jobs, first), [search.jobs, first]);
  const lines = useMemo(() => linesOf(grid, isOpen), [grid, isOpen]);
  const nameOf = useCallback(
    (line: Line) =>
      line.kind === 'job'
        ? (titles.jobs.get(line.job) ?? line.job)
        : (titles.tasks.get(line.row.task) ?? line.row.task),
    [titles],
  );
  const chosen = placeOf(grid, lines, search);
  const repaired = (batch: number) => {
    setMarks((all) => new Map([...all].filter(([id]) => id !== batch)));
    onRepaired(batch);
  };
  const many = useManyRepair(repaired);
  const repair = useRepair(onRepaired);
  const choose = ({ x, y }: Place) => {
    const line = lines[y];
    if (line?.kind === 'job') change({ jobs: toggledJobs(grid, isOpen, line.job) });
    else change({ batch: grid.batches[x]?.id, task: line?.row.task });
  };
  return (
    <div className={styles.loaded}>
      <div className={styles.main}>
        <GridCanvas
          label={t('grid', { name })}
          {...{ grid, lines, zone, usual, nameOf, marks, chosen }}
          onMarks={setMarks}
          onChoose={choose}
          onToggleJob={(job) => {
            change({ jobs: toggledJobs(grid, isOpen, job) });
          }}
          onOpen={(x, line) => {
            const id = grid.batches[x]?.id;
            if (id === undefined) return;
            const task = line?.kind === 'task' ? line.row.task : undefined;
            void navigate({ to: '/batches/$id', params: { id }, search: { task } });
          }}
        />
        <Legend grid={grid} />
        <MarkBar grid={grid} zone={zone} marks={marks} onMarks={setMarks} onRepair={many.open} />
      </div>
      {chosen && (
        <Details
          {...{ grid, zone, place: chosen, marks, onMarks: setMarks }}
          line={lines[chosen.y]}
          lines={lines}
          name={nameOf}
          onBatch={(x) => {
            change({ batch: grid.batches[x]?.id });
          }}
          onClose={() => {
            change({ batch: undefined, task: undefined });
          }}
          onResume={(batch, task) => {
            repair.open(batch, { action: 'resume', tasks: [task] });
          }}
        />
      )}
      {many.node}
      {repair.node}
    </div>
  );
}

/** The place that the address names; undefined if it is folded away or not in the grid. */
function placeOf(grid: Grid, lines: readonly Line[], { batch, task }: RunsSearch): Place | undefined {
  if (batch === undefined || task === undefined) return undefined;
  const x = grid.batches.findIndex(({ id }) => id === batch);
  const y = lines.findIndex((line) => line.kind === 'task' && line.row.task === task);
  return x < 0 || y < 0 ? undefined : { x, y };
}

interface Titles {
  jobs: ReadonlyMap<string, string>;
  tasks: ReadonlyMap<string, string>;
}

/** The titles of jobs and tasks in the newest revision, by key. */
function useTitles(definition: Definition | undefined): Titles {
  return useMemo(() => {
    const titled = <T extends { key: string; title?: string }>(list: readonly T[]) =>
      new Map(list.flatMap(({ key, title }) => (title ? [[key, title] as const] : [])));
    const jobs = definition?.jobs ?? [];
    return { jobs: titled(jobs), tasks: titled(jobs.flatMap((job) => job.tasks ?? [])) };
  }, [definition]);
}

interface NoBatchesProps {
  name: string;
  search: RunsSearch;
  loading: boolean;
  error: unknown;
  retry: () => void;
}

/** Why there is no grid. */
function NoBatches({ name, search, loading, error, retry }: NoBatchesProps) {
  const { t } = useTranslation('runs');
  const { kind, failed, before, from, to } = search;
  if (error) return <ErrorNote error={error} retry={retry} />;
  if (loading) return <Skeleton />;
  const filtered = [kind, failed, before, from, to].some((filter) => filter !== undefined);
  return (
    <Empty title={t(filtered ? 'empty.filtered' : 'empty.title')}>
      {filtered ? (
        <Link to="/schedules/$name/runs" params={{ name }} search={{}}>
          {t('empty.reset')}
        </Link>
      ) : (
        <p>
          {t('empty.text')}{' '}
          <Link to="/schedules/$name" params={{ name }} search={{}}>
            {t('empty.edit')}
          </Link>
        </p>
      )}
    </Empty>
  );
}

function useAddress() {
  const search: RunsSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const change = (part: Partial<RunsSearch>) => {
    void navigate({ to: '.', search: (before: RunsSearch) => ({ ...before, ...part }), replace: true } as never);
  };
  return { search, change };
}
