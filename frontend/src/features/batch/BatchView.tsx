import { useMediaQuery } from '@mantine/hooks';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type CSSProperties, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Definition } from '@/api/definition';
import { RunActions, TaskDrawer } from '@/features/task';
import { toGraph } from '@/graph';
import { type Batch, type RunStore, useRun, useRuns } from '@/live';
import { SceneView, type View } from '@/scene';
import { BannerStack, Empty, ErrorNote, JobTitles, type ShownState, TaskTitles } from '@/ui';
import { Actions, MainActions } from './Actions';
import { Announcer } from './Announcer';
import { Header } from './Header';
import { History } from './History';
import { List } from './List';
import { NoTask } from './NoTask';
import { Notice, Stale } from './Notice';
import { Params } from './Params';
import type { BatchSearch } from './search';
import { allowedToFail, jobTitlesOf, mood, summarize, titlesOf } from './summary';
import { Table } from './Table';
import { Timeline } from './Timeline';
import { Side } from './Side';
import { useTabState } from './title';
import { type Doings, useDoings } from './useDoings';
import styles from './BatchPage.module.css';

export interface ViewProps {
  batch: Batch;
  store: RunStore;
  /** Undefined until it is read. */
  definition?: Definition;
  /** Why the definition cannot be read. */
  problem: unknown;
  retry: () => void;
}

const VIEWS = [undefined, 'timeline', 'table', 'params', 'history'] as const;

/** The page of a batch that is known. */
export function BatchView(props: ViewProps) {
  const { batch, store, definition } = props;
  const { t } = useTranslation('batch');
  const search = useSearch({ from: '/shell/batches/$id' });
  const navigate = useNavigate({ from: '/batches/$id' });
  const phone = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const wide = useMediaQuery('(min-width: 900px)', undefined, { getInitialValueInEffect: false }) ?? true;
  const roomy =
    useMediaQuery('(min-width: 1100px) and (min-height: 760px)', undefined, { getInitialValueInEffect: false }) ??
    false;
  const runs = useRuns(store);
  const allowed = useMemo(() => allowedToFail(definition), [definition]);
  const titles = useMemo(() => titlesOf(definition), [definition]);
  const jobTitles = useMemo(() => jobTitlesOf(definition), [definition]);
  const summary = useMemo(() => summarize(runs, allowed), [runs, allowed]);
  const zone = definition?.timezone ?? (definition ? 'UTC' : undefined);

  const change = useCallback(
    (part: Partial<BatchSearch>, replace = false) => {
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
  // What is chosen outside the graph is brought into its sight; what is chosen in it is there already.
  const [reveal, setReveal] = useState(search.task);
  const show = useCallback(
    (task: string) => {
      setReveal(task);
      select(task);
    },
    [select],
  );
  const graph = useMemo(() => definition && toGraph(definition), [definition]);
  const filter = useCallback(
    (part: Partial<BatchSearch>) => {
      change({ q: undefined, only: undefined, sort: undefined, ...part }, true);
    },
    [change],
  );

  // The task and what there is to say stand over the graph, so that the graph stays where it is.
  const [covered, setCovered] = useState(0);
  const [above, setAbove] = useState(0);
  const place = useRef<View>(undefined);

  const { doings, node } = useDoings(batch.id, batch.schedule);
  const keys = useMemo(() => runs.map((run) => run.key), [runs]);
  const close = useCallback(() => {
    select(undefined);
  }, [select]);
  const { repair } = doings;
  const actions = useCallback(
    (task: string) => <CardActions store={store} task={task} onRepair={repair} />,
    [store, repair],
  );

  const name = batch.schedule || (runs[0]?.key ?? '');
  const state = mood(batch);
  useTabState(t('tab', { name, state: t(`mood.${state}`) }), tabState(batch));

  const drawn = search.view === undefined && !phone;
  const plain = search.view === 'params'; // nothing in it takes the focus: it scrolls by itself
  // Tasks are found, sorted and called by their titles: until those are known, "nothing found" would not be true.
  const early = !definition && !props.problem;
  const view = () => {
    if (early) return null;
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
            onRepair={doings.repair}
          />
        );
      case 'history':
        return <History batch={batch} store={store} allowed={allowed} search={search} onSearch={change} />;
      default:
    }
    if (search.view === undefined && phone) return <List runs={runs} onSelect={select} onRepair={repair} />;
    if (!definition || !graph)
      return (
        <div className={styles.alone}>
          <ErrorNote error={props.problem} retry={props.retry} />
        </div>
      );
    if (search.view === 'params') return <Params batch={batch} definition={definition} />;
    return (
      <SceneView
        graph={graph}
        store={store}
        selected={search.task}
        onSelect={select}
        reveal={reveal}
        covered={covered}
        above={above}
        savedView={place}
        actions={batch.live && batch.wish === 'cancel' ? undefined : actions}
      />
    );
  };

  const drawer = (task: string) => {
    if (store.numberOf(task) === undefined) return <NoTask batch={batch} task={task} onClose={close} over={!wide} />;
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
          onRepair={doings.repair}
          onEdit={
            batch.schedule
              ? () =>
                  void navigate({
                    to: '/schedules/$name',
                    params: { name: batch.schedule },
                    search: { task, batch: batch.id },
                  })
              : undefined
          }
        />
      )
    );
  };

  return (
    <TaskTitles value={titles}>
      <JobTitles value={jobTitles}>
        <div className={styles.page}>
          <Announcer batch={batch} summary={summary} />
          <Header batch={batch} zone={zone} early={early} summary={summary}>
            <Actions batch={batch} summary={summary} keys={keys} doings={doings} small={phone} />
          </Header>
          <nav className={styles.tabs} aria-label={t('views')}>
            {VIEWS.map((v) => (
              <Link
                key={v ?? 'graph'}
                from="/batches/$id"
                to="."
                search={(s) => ({ ...s, view: v })}
                activeOptions={{ explicitUndefined: true }}
                // By the view that is shown: an address may name one that there is not.
                aria-current={v === search.view ? 'page' : undefined}
              >
                {t(v === undefined && phone ? 'view.list' : `view.${v ?? 'graph'}`)}
              </Link>
            ))}
          </nav>
          <div className={styles.body}>
            <div className={styles.column} style={{ '--to': `${String(drawn ? covered : 0)}px` } as CSSProperties}>
              <BannerStack over={drawn} onHeight={setAbove}>
                <Stale />
                <Notice batch={batch} summary={summary} onSelect={show} />
              </BannerStack>
              <div
                className={styles.view}
                role={plain ? 'region' : undefined}
                // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keyboard once it has focus
                tabIndex={plain ? 0 : undefined}
                aria-label={plain ? t('view.params') : undefined}
              >
                {runs.length === 0 ? <Empty title={t('noTasks')} /> : view()}
              </div>
            </div>
            {search.task !== undefined &&
              (wide ? (
                <Side over={search.view === undefined} onWidth={setCovered}>
                  {drawer(search.task)}
                </Side>
              ) : (
                drawer(search.task)
              ))}
          </div>
          {roomy && drawn && runs.length > 1 && (
            <div className={styles.strip}>
              <Timeline strip batch={batch} store={store} zone={zone} selected={search.task} onSelect={show} />
            </div>
          )}
          {phone && (
            <div className={styles.bottom}>
              <MainActions batch={batch} summary={summary} doings={doings} size="lg" />
            </div>
          )}
          {node}
        </div>
      </JobTitles>
    </TaskTitles>
  );
}

/** The state for the browser's tab. */
function tabState(batch: Batch): ShownState {
  return batch.stuck ? 'failed' : batch.state;
}

/** What can be done with a task, at its card. */
function CardActions({ store, task, onRepair }: { store: RunStore; task: string; onRepair: Doings['repair'] }) {
  const run = useRun(store, store.numberOf(task));
  return run && <RunActions run={run} onRepair={onRepair} />;
}
