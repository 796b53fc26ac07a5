import { useMediaQuery } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type CSSProperties, type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Definition } from '@/api/definition';
import { ArchivedNote } from '@/features/archive';
import { RunActions, TaskDrawer } from '@/features/task';
import { toGraph } from '@/graph';
import { type Batch, type RunStore, type TaskRun, useRun, useRuns } from '@/live';
import { SceneView, type View as SceneState } from '@/scene';
import { BannerStack, Empty, ErrorNote, JobTitles, lazyPreload, TaskTitles } from '@/ui';
import { Actions, type BatchActions, MainActions, useBatchActions } from './Actions';
import { Header, useTabState } from './Header';
import { List } from './List';
import { NoTask, Side } from './Side';
import { Announcer, Notice, Stale } from './Notice';
import { Table } from './Table';
import type { BatchSearch } from './search';
import { allowedToFail, jobTitlesOf, mood, summarize, titlesOf } from './summary';
import styles from './BatchPage.module.css';

const History = lazyPreload(async () => (await import('./History')).History);
const Params = lazyPreload(async () => (await import('./Params')).Params);
const Timeline = lazyPreload(async () => (await import('./Timeline')).Timeline);
const ChainRepair = lazyPreload(async () => (await import('./ChainRepair')).ChainRepair);

/** A loaded batch with its definition. */
export interface ViewProps {
  batch: Batch;
  store: RunStore;
  /** Undefined until it is loaded. */
  definition?: Definition;
  /** Why the definition cannot be loaded. */
  problem: unknown;
  retry: () => void;
}

const VIEWS = [undefined, 'timeline', 'table', 'params', 'history'] as const;

type Change = (part: Partial<BatchSearch>, replace?: boolean) => void;

/** The page of a batch whose state is loaded. */
export function BatchView(props: ViewProps) {
  const { batch, store, definition } = props;
  const { t } = useTranslation('batch');
  const isPhone = useMatch('(max-width: 600px)', false);
  const isWide = useMatch('(min-width: 900px)', true);
  const hasRoomForStrip = useMatch('(min-width: 1100px) and (min-height: 760px)', false);
  const runs = useRuns(store);
  const allowed = useMemo(() => allowedToFail(definition), [definition]);
  const titles = useMemo(() => titlesOf(definition), [definition]);
  const jobTitles = useMemo(() => jobTitlesOf(definition), [definition]);
  const summary = useMemo(() => summarize(runs, allowed), [runs, allowed]);
  const keys = useMemo(() => runs.map((run) => run.key), [runs]);
  const zone = zoneOf(definition);
  const address = useAddress();
  const { search, show } = address;
  // Pixels of the graph that the drawer and the banners cover. They do not move the graph.
  const [coveredRight, setCoveredRight] = useState(0);
  const [coveredTop, setCoveredTop] = useState(0);
  const graph = useMemo(() => definition && toGraph(definition), [definition]);
  const savedView = useRef<SceneState>(undefined);
  const { actions, node } = useBatchActions(batch.id, batch.schedule);
  useTitle(batch, runs);
  const showsGraph = search.view === undefined && !isPhone;
  // Tasks are found and sorted by their titles, so the views need the definition.
  const loading = !definition && !props.problem;
  return (
    <TaskTitles value={titles}>
      <JobTitles value={jobTitles}>
        <div className={styles.page}>
          <Announcer batch={batch} summary={summary} />
          <Header batch={batch} zone={zone} loading={loading} summary={summary}>
            <Actions batch={batch} summary={summary} keys={keys} actions={actions} menuOnly={isPhone} />
          </Header>
          <ViewTabs view={search.view} isPhone={isPhone} />
          <div className={styles.body}>
            <div
              className={styles.column}
              style={{ '--to': `${String(showsGraph ? coveredRight : 0)}px` } as CSSProperties}
            >
              <BannerStack over={showsGraph} onHeight={setCoveredTop}>
                <Stale />
                <ArchivedNote name={batch.schedule} />
                <Notice batch={batch} summary={summary} onSelect={show} />
                <ChainRepair batch={batch} />
              </BannerStack>
              <ViewRegion scrolls={search.view === 'params'}>
                {runs.length === 0 && <Empty title={t('noTasks')} />}
                {runs.length > 0 && !loading && (
                  <View
                    {...props}
                    runs={runs}
                    allowed={allowed}
                    zone={zone}
                    isPhone={isPhone}
                    address={address}
                    actions={actions}
                    graph={graph}
                    savedView={savedView}
                    coveredRight={coveredRight}
                    coveredTop={coveredTop}
                  />
                )}
              </ViewRegion>
            </div>
            <TaskSide {...props} address={address} actions={actions} isWide={isWide} onWidth={setCoveredRight} />
          </div>
          {hasRoomForStrip && showsGraph && runs.length > 1 && (
            <div className={styles.strip}>
              <Timeline strip batch={batch} store={store} zone={zone} selected={search.task} onSelect={show} />
            </div>
          )}
          {isPhone && (
            <div className={styles.bottom}>
              <MainActions batch={batch} summary={summary} actions={actions} size="lg" />
            </div>
          )}
          {node}
        </div>
      </JobTitles>
    </TaskTitles>
  );
}

const zoneOf = (definition?: Definition) => definition && (definition.timezone ?? 'UTC');

/** Shows the batch and its state in the browser tab. */
function useTitle(batch: Batch, runs: readonly TaskRun[]): void {
  const { t } = useTranslation('batch');
  const name = batch.schedule || (runs[0]?.key ?? '');
  useTabState(t('tab', { name, state: t(`mood.${mood(batch)}`) }), batch.stuck ? 'failed' : batch.state);
}

/** The region of the view. If it scrolls and contains nothing focusable, it takes the focus, so that keys scroll it. */
function ViewRegion({ scrolls, children }: { scrolls: boolean; children: ReactNode }) {
  const { t } = useTranslation('batch');
  return (
    <div
      className={styles.view}
      role={scrolls ? 'region' : undefined}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keyboard once it has focus
      tabIndex={scrolls ? 0 : undefined}
      aria-label={scrolls ? t('view.params') : undefined}
    >
      {children}
    </div>
  );
}

function useMatch(query: string, otherwise: boolean): boolean {
  return useMediaQuery(query, undefined, { getInitialValueInEffect: false }) ?? otherwise;
}

/** The search part of the page's address, and its changes. */
function useAddress() {
  const search = useSearch({ from: '/shell/batches/$id' });
  const navigate = useNavigate({ from: '/batches/$id' });
  const change: Change = useCallback(
    (part, replace = false) => {
      void navigate({ to: '.', search: (before) => ({ ...before, ...part }), replace });
    },
    [navigate],
  );
  const select = useCallback(
    (task: string | undefined) => {
      change({ task, tab: undefined, attempt: undefined, at: undefined });
    },
    [change],
  );
  const filter = useCallback(
    (part: Partial<BatchSearch>) => {
      change({ q: undefined, only: undefined, sort: undefined, ...part }, true);
    },
    [change],
  );
  // The graph scrolls to a task that was selected outside the graph.
  const [reveal, setReveal] = useState(search.task);
  const show = useCallback(
    (task: string) => {
      setReveal(task);
      select(task);
    },
    [select],
  );
  return { search, reveal, change, select, show, filter };
}

type Address = ReturnType<typeof useAddress>;

/** The links to the views. */
function ViewTabs({ view, isPhone }: { view: BatchSearch['view']; isPhone: boolean }) {
  const { t } = useTranslation('batch');
  return (
    <nav className={styles.tabs} aria-label={t('views')}>
      {VIEWS.map((v) => (
        <Link
          key={v ?? 'graph'}
          from="/batches/$id"
          to="."
          search={(s) => ({ ...s, view: v })}
          activeOptions={{ explicitUndefined: true }}
          // Compares with the shown view, because the address may name a view that does not exist.
          aria-current={v === view ? 'page' : undefined}
        >
          {t(v === undefined && isPhone ? 'view.list' : `view.${v ?? 'graph'}`)}
        </Link>
      ))}
    </nav>
  );
}

interface PartProps extends ViewProps {
  address: Address;
  actions: BatchActions;
}

interface MainProps extends PartProps {
  runs: readonly TaskRun[];
  allowed: ReadonlySet<string>;
  zone?: string;
  isPhone: boolean;
  graph?: ReturnType<typeof toGraph>;
  /** The scroll position of the graph. It is restored when the user returns to the graph. */
  savedView: RefObject<SceneState | undefined>;
  /** Pixels of the graph that the drawer and the banners cover. */
  coveredRight: number;
  coveredTop: number;
}

/** The view that the address names. */
function View(props: MainProps) {
  const { batch, store, definition, runs, zone, address, actions } = props;
  const { search, change, select, filter } = address;
  switch (search.view) {
    case 'timeline':
      return (
        <Timeline
          batch={batch}
          store={store}
          zone={zone}
          selected={search.task}
          onSelect={select}
          byStart={search.sort === 'started'}
          onOrder={(byStart) => {
            change({ sort: byStart ? 'started' : undefined }, true);
          }}
        />
      );
    case 'table':
      return (
        <Table
          runs={runs}
          filter={search}
          onFilter={filter}
          selected={search.task}
          onSelect={select}
          onRepair={actions.repair}
        />
      );
    case 'history':
      return <History batch={batch} store={store} allowed={props.allowed} search={search} onSearch={change} />;
    case undefined:
      if (props.isPhone) return <List runs={runs} onSelect={select} onRepair={actions.repair} />;
  }
  if (!definition || !props.graph)
    return (
      <div className={styles.alone}>
        <ErrorNote error={props.problem} retry={props.retry} />
      </div>
    );
  if (search.view === 'params') return <Params batch={batch} definition={definition} />;
  return <Graph {...props} graph={props.graph} />;
}

function Graph({
  batch,
  store,
  graph,
  savedView,
  address,
  actions,
  coveredRight,
  coveredTop,
}: MainProps & Required<Pick<MainProps, 'graph'>>) {
  const { repair } = actions;
  const cardActions = useCallback(
    (task: string) => <CardActions store={store} task={task} onRepair={repair} />,
    [store, repair],
  );
  return (
    <SceneView
      graph={graph}
      store={store}
      selected={address.search.task}
      onSelect={address.select}
      reveal={address.reveal}
      coveredRight={coveredRight}
      coveredTop={coveredTop}
      savedView={savedView}
      actions={batch.live && batch.wish === 'cancel' ? undefined : cardActions}
    />
  );
}

interface SideProps extends PartProps {
  isWide: boolean;
  onWidth: (width: number) => void;
}

/** The selected task, beside the view, or over it on a narrow screen. */
function TaskSide({ isWide, onWidth, ...props }: SideProps) {
  const { search } = props.address;
  if (search.task === undefined) return null;
  const drawer = <Drawer {...props} task={search.task} isWide={isWide} />;
  if (!isWide) return drawer;
  return (
    <Side over={search.view === undefined} onWidth={onWidth}>
      {drawer}
    </Side>
  );
}

function Drawer({
  batch,
  store,
  definition,
  address,
  actions,
  task,
  isWide,
}: PartProps & { task: string; isWide: boolean }) {
  const navigate = useNavigate();
  const { search, change, select } = address;
  const close = useCallback(() => {
    select(undefined);
  }, [select]);
  const edit = () =>
    void navigate({ to: '/schedules/$name', params: { name: batch.schedule }, search: { task, batch: batch.id } });
  if (store.numberOf(task) === undefined) return <NoTask batch={batch} task={task} onClose={close} over={!isWide} />;
  return (
    definition && (
      <TaskDrawer
        batch={batch.id}
        store={store}
        definition={definition}
        task={task}
        search={search}
        onSearch={change}
        onClose={close}
        onRepair={actions.repair}
        onEdit={batch.schedule ? edit : undefined}
      />
    )
  );
}

/** The actions on the card of a task. */
function CardActions({ store, task, onRepair }: { store: RunStore; task: string; onRepair: BatchActions['repair'] }) {
  const run = useRun(store, store.numberOf(task));
  return run && <RunActions run={run} onRepair={onRepair} />;
}
