import { useMediaQuery } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import {
  type ComponentProps,
  type CSSProperties,
  memo,
  type ReactNode,
  type RefObject,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import { titlesOf } from '@/api/definition';
import { ArchivedNote } from '@/features/archive';
import { useCommands, useVisit } from '@/features/find';
import { toGraph } from '@/graph';
import { loadTexts } from '@/i18n';
import { type Batch, taskKeyOf, type TaskRun, useTaskKeys, useThrottledRuns } from '@/live';
import type { View as SceneState } from '@/scene';
import {
  BannerStack,
  Empty,
  ErrorNote,
  JobTitles,
  lazyPreload,
  TaskTitles,
  useEdgeFades,
  useShownZone,
  ViewZone,
} from '@/ui';
import { Actions, MainActions, useBatchActions, useBatchCommands } from './Actions';
import { Header, useTabState } from './Header';
import { Around } from './Around';
import { Graph } from './Graph';
import { List } from './List';
import { Announcer, Deleted, Notice, Stale } from './Notice';
import { type PartProps, TaskSide, type ViewProps } from './TaskSide';
import { useAddress } from './useAddress';
import type { BatchSearch } from './search';
import { useUsualRuns } from './useUsualRuns';
import { allowedToFail, jobTitlesOf, mood, summarize, type Summary } from './summary';
import styles from './BatchPage.module.css';

const History = lazyPreload(async () => {
  const [page] = await Promise.all([import('./History'), loadTexts('history')]);
  return page.History;
});
const Params = lazyPreload(async () => (await import('./Params')).Params);
const Strip = lazyPreload(async () => (await import('./timeline/Strip')).Strip);
const Table = lazyPreload(async () => (await import('./Table')).Table);
const Timeline = lazyPreload(async () => {
  const [page] = await Promise.all([import('./timeline/Timeline'), loadTexts('timeline')]);
  return page.Timeline;
});
const ChainRepair = lazyPreload(async () => (await import('./ChainRepair')).ChainRepair);

const VIEWS = [undefined, 'timeline', 'table', 'params', 'history'] as const;

interface Props extends ViewProps {
  /** The server no longer has the batch. */
  deleted: boolean;
}

/** The page of a batch whose state is loaded. */
export function BatchView(props: Props) {
  const { batch, definition } = props;
  const ownZone = definition ? (definition.timezone ?? 'UTC') : '';
  return (
    <ViewZone schedule={batch.schedule ? ownZone : undefined}>
      <Loaded {...props} />
    </ViewZone>
  );
}

function Loaded(props: Props) {
  const { batch, store, definition, deleted } = props;
  const { t } = useTranslation('batch');
  const isPhone = useMatch('(max-width: 600px)', false);
  const isWide = useMatch('(min-width: 900px)', true);
  const hasRoomForStrip = useMatch('(min-width: 1100px) and (min-height: 760px)', false);
  const runs = useThrottledRuns(store);
  const allowed = useMemo(() => allowedToFail(definition), [definition]);
  const titles = useMemo(() => titlesOf(definition), [definition]);
  const jobTitles = useMemo(() => jobTitlesOf(definition), [definition]);
  const summary = useMemo(() => summarize(runs, allowed), [runs, allowed]);
  const keys = useTaskKeys(store);
  const zone = useShownZone();
  const address = useAddress();
  const { search, show } = address;
  // Pixels that the drawer and the banners cover.
  const [coveredRight, setCoveredRight] = useState(0);
  const [coveredTop, setCoveredTop] = useState(0);
  const graph = useMemo(() => definition && toGraph(definition), [definition]);
  const savedView = useRef<SceneState>(undefined);
  const { actions, node } = useBatchActions(batch.id, batch.schedule);
  useTitle(batch, runs);
  useVisit({ kind: 'batch', id: batch.id, schedule: batch.schedule });
  useCommands({
    commands: useBatchCommands({ batch, summary, keys, actions, deleted }),
    tasks: useMemo(() => keys.map((key) => ({ key, title: titles.get(key) })), [keys, titles]),
    openTask: show,
    keySet: keySetOf(search.view, isPhone),
  });
  const links = useMemo(
    () => !deleted && <Around batch={batch} definition={definition} />,
    [batch, definition, deleted],
  );
  const onRepair = deleted ? undefined : actions.repair;
  const showsGraph = search.view === undefined && !isPhone;
  // Tasks are found and sorted by their titles, so the views need the definition.
  const loading = !definition && !props.problem;
  return (
    <TaskTitles value={titles}>
      <JobTitles value={jobTitles}>
        <div className={styles.page}>
          <Announcer batch={batch} summary={summary} />
          <Header batch={batch} deleted={deleted} loading={loading} summary={summary} links={isPhone && links}>
            {!deleted && <Actions batch={batch} summary={summary} keys={keys} actions={actions} menuOnly={isPhone} />}
          </Header>
          <ViewTabs view={search.view} isPhone={isPhone}>
            {!isPhone && links}
          </ViewTabs>
          <div className={styles.body}>
            <div
              className={styles.column}
              style={{ '--to': `${String(showsGraph ? coveredRight : 0)}px` } as CSSProperties}
            >
              <BannerStack over={showsGraph} onHeight={setCoveredTop}>
                <Banners batch={batch} summary={summary} deleted={deleted} onSelect={show} />
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
                    onRepair={onRepair}
                    graph={graph}
                    savedView={savedView}
                    coveredRight={coveredRight}
                    coveredTop={coveredTop}
                  />
                )}
              </ViewRegion>
            </div>
            <TaskSide {...props} address={address} onRepair={onRepair} isWide={isWide} onWidth={setCoveredRight} />
          </div>
          {hasRoomForStrip && showsGraph && runs.length > 1 && (
            <div className={styles.strip}>
              <Strip batch={batch} store={store} zone={zone} selected={taskKeyOf(search.task)} onSelect={show} />
            </div>
          )}
          <PhoneActions {...{ isPhone, deleted, batch, actions }} resumable={summary.resumable} />
          {!deleted && node}
        </div>
      </JobTitles>
    </TaskTitles>
  );
}

/** The keys that a view has. */
function keySetOf(view: BatchSearch['view'], isPhone: boolean) {
  if (view === 'timeline') return 'timeline';
  return view === undefined && !isPhone ? 'graph' : undefined;
}

interface BannersProps extends Pick<Props, 'batch' | 'deleted'> {
  summary: Summary;
  onSelect: (task: string) => void;
}

/** What is to be known before the view. Of a deleted batch nothing else matters. */
function Banners({ batch, summary, deleted, onSelect }: BannersProps) {
  return (
    <>
      <Stale />
      {deleted ? (
        <Deleted batch={batch} />
      ) : (
        <>
          <ArchivedNote name={batch.schedule} />
          <Notice batch={batch} summary={summary} onSelect={onSelect} />
          <ChainRepair batch={batch} />
        </>
      )}
    </>
  );
}

interface PhoneActionsProps extends Omit<ComponentProps<typeof MainActions>, 'size'> {
  isPhone: boolean;
  deleted: boolean;
}

/** The main actions at the lower edge of a phone. */
function PhoneActions({ isPhone, deleted, ...props }: PhoneActionsProps) {
  if (!isPhone || deleted) return null;
  return (
    <div className={styles.bottom}>
      <MainActions {...props} size="lg" />
    </div>
  );
}

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

interface TabsProps {
  view: BatchSearch['view'];
  isPhone: boolean;
  /** At the end of the row. */
  children?: ReactNode;
}

/** The links to the views. */
const ViewTabs = memo(function ViewTabs({ view, isPhone, children }: TabsProps) {
  const { t } = useTranslation('batch');
  const row = useRef<HTMLDivElement>(null);
  useEdgeFades(row);
  return (
    <div ref={row} className={styles.tabs}>
      <nav aria-label={t('views')}>
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
      {children}
    </div>
  );
});

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
  const { batch, store, definition, runs, zone, address, onRepair } = props;
  const { search, change, select, filter } = address;
  const usual = useUsualRuns(batch.id);
  switch (search.view) {
    case 'timeline':
      return (
        <Timeline
          batch={batch}
          store={store}
          definition={definition}
          graph={props.graph}
          allowed={props.allowed}
          zone={zone}
          filter={search}
          onFilter={filter}
          selected={search.task}
          onSelect={select}
        />
      );
    case 'table':
      return (
        <Table
          runs={runs}
          usual={usual}
          filter={search}
          onFilter={filter}
          selected={search.task}
          onSelect={select}
          onRepair={onRepair}
        />
      );
    case 'history':
      return (
        <History batch={batch} store={store} allowed={props.allowed} zone={zone} search={search} onSearch={change} />
      );
    case undefined:
      if (props.isPhone) return <List runs={runs} usual={usual} onSelect={select} onRepair={onRepair} />;
  }
  if (!definition || !props.graph)
    return (
      <div className={styles.alone}>
        <ErrorNote error={props.problem} retry={props.retry} />
      </div>
    );
  if (search.view === 'params') return <Params batch={batch} definition={definition} />;
  const { savedView, coveredRight, coveredTop } = props;
  return (
    <Graph
      batch={batch}
      store={store}
      graph={props.graph}
      usual={usual}
      selected={taskKeyOf(search.task)}
      onSelect={select}
      reveal={taskKeyOf(address.reveal)}
      savedView={savedView}
      coveredRight={coveredRight}
      coveredTop={coveredTop}
      onRepair={onRepair}
    />
  );
}
