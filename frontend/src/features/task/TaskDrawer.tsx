import { ActionIcon, Drawer, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Fragment, type KeyboardEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Definition, DefinitionTask } from '@/api/definition';
import { Hooks, taskHasHooks } from '@/features/hooks';
import { type RunStore, taskKeyOf, type TaskRun, useBatch, useRun } from '@/live';
import { Ago, Elapsed, Empty, FINAL, isDeclared, lazyPreload, shownState, StateChip } from '@/ui';
import { ActionMenu, Actions } from './Actions';
import { Attempts } from './Attempts';
import { Command, Outputs } from './Details';
import { Needs } from './Needs';
import { relationsOf } from './relations';
import { Notes, type TabProps } from './Notes';
import { pairOf, type Tab, tabsOf, type TaskSearch } from './search';
import { Shards } from './Shards';
import styles from './TaskDrawer.module.css';
import { TaskLog } from './TaskLog';
import { Tabs } from './Tabs';
import { Icon } from './log/icons';

const CompareLogs = lazyPreload(async () => (await import('./compare/CompareLogs')).CompareLogs);

/** The tab, the attempt and the line are in `search`, which changes only by `onSearch`. */
export interface TaskDrawerProps {
  batch: number;
  store: RunStore;
  definition: Definition;
  /** Key of the task. */
  task: string;
  search: TaskSearch;
  /** Changes the address. Undefined values are removed from it; `task` shows another task. */
  onSearch: (change: TaskSearch & { task?: string }) => void;
  onClose: () => void;
  /** Shows the plan of a repair. Undefined if the batch cannot be repaired. */
  onRepair?: (request: Schemas['RepairRequest']) => void;
  /** Opens the definition of the task. Undefined if the definition cannot be edited. */
  onEdit?: () => void;
  /** More about the task, below its notes. */
  notes?: ReactNode;
}

/** The details of one task of a batch, beside the graph. On a narrow screen it covers the page from below. */
export function TaskDrawer(props: TaskDrawerProps) {
  const { t } = useTranslation('task');
  const wide = useMediaQuery('(min-width: 900px)', true, { getInitialValueInEffect: false });
  const region = useRef<HTMLElement>(null);
  const { onClose } = props;
  const opener = useOpener();
  const close = () => {
    onClose();
    opener.current?.focus({ preventScroll: true });
  };
  const closeOnEscape = (e: KeyboardEvent) => {
    if (e.key !== 'Escape' || e.defaultPrevented) return;
    e.stopPropagation();
    close();
  };
  if (!wide) {
    return (
      <Drawer.Root
        opened
        onClose={onClose}
        position="bottom"
        size="94dvh"
        padding={0}
        keepMounted={false}
        classNames={{ content: styles.drawer }}
      >
        <Drawer.Overlay backgroundOpacity={0.35} />
        <Drawer.Content aria-label={t('region', { task: props.task })}>
          <Drawer.Body className={styles.body}>
            <Content {...props} onClose={onClose} />
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    );
  }
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape in it closes it
    <section
      ref={region}
      className={styles.drawer}
      aria-label={t('region', { task: props.task })}
      onKeyDown={closeOnEscape}
    >
      <Content {...props} onClose={close} />
    </section>
  );
}

/** The element that had the focus when the drawer opened. */
function useOpener() {
  const opener = useRef<HTMLElement>(null);
  useEffect(() => {
    opener.current =
      document.activeElement instanceof HTMLElement && document.activeElement !== document.body
        ? document.activeElement
        : null;
  }, []);
  return opener;
}

function Content({
  batch,
  store,
  definition,
  task,
  search,
  onSearch,
  onClose,
  onRepair,
  onEdit,
  notes,
}: TaskDrawerProps) {
  const run = useRun(store, store.numberOf(task));
  const live = useBatch(store)?.live ?? false;
  // The task whose log offers the actions below its error line. They are not offered twice.
  const [taskWithRemedy, setTaskWithRemedy] = useState<string>();
  const onError = useCallback(
    (found: boolean) => {
      setTaskWithRemedy(found ? task : undefined);
    },
    [task],
  );
  const relations = useMemo(() => relationsOf(definition, taskKeyOf(task)), [definition, task]);
  const select = (other: string) => {
    onSearch({ task: other, attempt: undefined, at: undefined });
  };
  if (!run) return <Gone task={task} />;
  const tabs = tabsOf(isSharded(run, relations.task));
  const tab = tabs.find((name) => name === search.tab) ?? tabs[0] ?? 'log';
  const logHasRemedy = taskWithRemedy === task;
  const attempt = attemptOf(search, run);
  const tabProps = { batch, store, task, run, relations, onSelect: select };
  const counts: Partial<Record<Tab, string>> = {
    shards: run.shards && String(run.shards.length),
    attempts: run.attempts > 1 ? String(run.attempts) : undefined,
    needs: `${String(relations.needs.length)}→${String(relations.dependants.length)}`,
  };
  return (
    <>
      <Head
        run={run}
        spec={relations.task}
        attempt={attempt}
        onClose={onClose}
        menu={(onRepair ?? onEdit) && <ActionMenu run={run} onRepair={onRepair} onEdit={onEdit} />}
      />
      {taskKeyOf(task) !== task && <OfTask store={store} name={task} onSelect={select} />}
      <Notes {...tabProps} live={live} />
      {notes}
      <TaskHooks batch={batch} definition={definition} task={taskKeyOf(task)} />
      {!(tab === 'log' && logHasRemedy) && <Actions run={run} onRepair={onRepair} onEdit={onEdit} />}
      <Tabs
        tabs={tabs}
        tab={tab}
        counts={counts}
        onTab={(next) => {
          onSearch({ tab: next === tabs[0] || next === 'log' ? undefined : next });
        }}
      >
        <TabPanel {...{ tab, tabProps, definition, attempt, search, onSearch, onRepair, onEdit, onError }} />
      </Tabs>
      <Comparison batch={batch} run={run} search={search} onSearch={onSearch} />
    </>
  );
}

interface PanelProps extends Pick<TaskDrawerProps, 'definition' | 'search' | 'onSearch' | 'onRepair' | 'onEdit'> {
  tab: Tab;
  /** What most tabs take. */
  tabProps: TabProps;
  attempt?: number;
  onError: (found: boolean) => void;
}

/** What the chosen tab shows. */
function TabPanel({ tab, tabProps, definition, attempt, search, onSearch, onRepair, onEdit, onError }: PanelProps) {
  const { run, relations, onSelect } = tabProps;
  switch (tab) {
    case 'log':
      return <TaskLog {...tabProps} {...{ attempt, onSearch, onRepair, onError, onEdit }} at={search.at} />;
    case 'shards':
      return <Shards run={run} onSelect={onSelect} onRepair={onRepair} />;
    case 'command':
      return <Command spec={relations.task} declared={definition.params} />;
    case 'outputs':
      return <Outputs {...tabProps} attempt={attempt} />;
    case 'attempts':
      return (
        <Attempts
          {...tabProps}
          attempt={attempt}
          onSelectAttempt={(number) => {
            onSearch({ tab: undefined, attempt: number, at: undefined });
          }}
          onCompare={(left, right) => {
            onSearch({ compare: `${String(left)}-${String(right)}` });
          }}
        />
      );
    case 'needs':
      return <Needs {...tabProps} />;
  }
}

/** Whether a run has shards, or will have them. An empty list of shards is left out of the run. */
const isSharded = (run: TaskRun, spec: DefinitionTask | undefined) =>
  run.shards !== undefined || (spec?.shard !== undefined && run.attempts === 0 && taskKeyOf(run.key) === run.key);

/** What stands in the drawer of a task that the batch does not have any more. */
function Gone({ task }: { task: string }) {
  const { t } = useTranslation('task');
  return (
    <Empty title={t('gone.title')}>
      <p>{t('gone.detail', { task })}</p>
    </Empty>
  );
}

/** The attempt of the address, if the run has it. */
function attemptOf({ attempt }: TaskDrawerProps['search'], run: TaskRun) {
  return attempt !== undefined && attempt <= run.attempts ? attempt : undefined;
}

/** The logs of the two attempts that the address names. */
function Comparison({
  batch,
  run,
  search,
  onSearch,
}: Pick<TaskDrawerProps, 'batch' | 'search' | 'onSearch'> & { run: TaskRun }) {
  const pair = pairOf(search.compare, run.attempts);
  if (!pair) return null;
  return (
    <CompareLogs
      batch={batch}
      task={run.key}
      attempts={run.attempts}
      pair={pair}
      onPair={([left, right]) => {
        onSearch({ compare: `${String(left)}-${String(right)}` });
      }}
      onClose={() => {
        onSearch({ compare: undefined });
      }}
    />
  );
}

/** The way from a shard back to its task. */
function OfTask({ store, name, onSelect }: { store: RunStore; name: string; onSelect: (task: string) => void }) {
  const { t } = useTranslation('task');
  const key = taskKeyOf(name);
  const task = useRun(store, store.numberOf(key));
  return (
    <p className={styles.ofTask}>
      {t('shards.of', { index: Number(name.slice(key.length + 1)), count: task?.shards?.length ?? 0 })}
      <button
        type="button"
        onClick={() => {
          onSelect(key);
        }}
      >
        {t('shards.all')}
      </button>
    </p>
  );
}

/** The hooks that have followed the task. */
function TaskHooks({ batch, definition, task }: Pick<TaskDrawerProps, 'batch' | 'definition' | 'task'>) {
  if (!taskHasHooks(definition, task)) return null;
  return (
    <div className={styles.hooks}>
      <Hooks batch={batch} definition={definition} task={task} />
    </div>
  );
}

interface HeadProps {
  run: TaskRun;
  spec?: DefinitionTask;
  /** The selected attempt; undefined means the latest. */
  attempt?: number;
  onClose: () => void;
  /** The menu with the actions for the task. */
  menu: ReactNode;
}

/** The title of the drawer: the names of the task, its state, and when it ran. */
function Head({ run, spec, attempt, onClose, menu }: HeadProps) {
  const { t } = useTranslation('task');
  return (
    <div className={styles.head}>
      <div className={styles.names}>
        <h2>{spec?.title ?? run.key}</h2>
        {spec?.title && <code>{run.key}</code>}
      </div>
      <div className={styles.buttons}>
        {menu}
        <Tooltip label={t('close')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={30}
            aria-label={t('close')}
            onClick={onClose}
            className={styles.close}
          >
            <Icon name="close" />
          </ActionIcon>
        </Tooltip>
      </div>
      <p className={styles.facts}>
        <span>
          <StateChip state={shownState(run)} byPerson={isDeclared(run)} />
        </span>
        {useFacts(run, spec, attempt).map((fact, i) => (
          <span key={i}>{fact}</span>
        ))}
      </p>
    </div>
  );
}

/** When the task ran and for how long, its handler, and its executor. */
function useFacts(run: TaskRun, spec: DefinitionTask | undefined, attempt: number | undefined): ReactNode[] {
  const { t } = useTranslation('task');
  const facts: ReactNode[] = timesOf(run, t('took'));
  if (spec) facts.push(spec.handler);
  if (run.executor) facts.push(t('executor', { name: run.executor }));
  if (run.attempts > 0) facts.push(t('attemptOf', { number: attempt ?? run.attempts, count: run.attempts }));
  if (run.exitCode !== undefined && run.state === 'failed') facts.push(t('exit', { code: run.exitCode }));
  return facts;
}

function timesOf(run: TaskRun, took: string): ReactNode[] {
  if (run.state === 'running' && run.startedAt) return [<Elapsed key="running" from={run.startedAt} />];
  if (!FINAL.has(run.state) || !run.finishedAt) return [];
  const ago = <Ago key="ago" at={run.finishedAt} />;
  if (!run.startedAt) return [ago];
  return [
    ago,
    <Fragment key="took">
      {took} <Elapsed from={run.startedAt} to={run.finishedAt} />
    </Fragment>,
  ];
}
