import { Trans, useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RunStore, type TaskRun, useRun, useRuns } from '@/live';
import { Ago, FINAL, Glyph, relative, type RunState, shownState, useNow, useTaskName } from '@/ui';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { limitText } from './limitText';
import styles from './Notes.module.css';
import type { Relations } from './relations';

/** The run that the drawer shows, for its notes and tabs. */
export interface TabProps {
  batch: number;
  store: RunStore;
  task: string;
  run: TaskRun;
  relations: Relations;
  onSelect: (task: string) => void;
}

const BLOCKING: ReadonlySet<string> = new Set(['failed', 'canceled', 'unknown']);
const WAITING: ReadonlySet<string> = new Set(['waiting', 'ready', 'unknown']);

/** The notes above the tabs: why the task waits or was skipped, and which tasks wait for it. */
export function Notes({ live, ...tabProps }: TabProps & { live: boolean }) {
  const { run, batch, store, task, onSelect } = tabProps;
  if (run.state === 'skipped') return <Skipped {...tabProps} />;
  if (run.state === 'ignored') return <Ignored run={run} />;
  return (
    <>
      {WAITING.has(run.state) && (
        <WhyNote batch={batch} store={store} task={task} state={run.state} hold={run.hold} onSelect={onSelect} />
      )}
      {BLOCKING.has(run.state) && <Waiters {...tabProps} live={live} />}
    </>
  );
}

/** The tasks that were skipped or wait because the task did not succeed. */
function Waiters({ store, relations, run, live, onSelect }: TabProps & { live: boolean }) {
  const { t } = useTranslation('task');
  const runs = useRuns(store);
  const downstream = new Set(relations.downstream);
  const after = runs.filter((r) => downstream.has(r.key) && (r.state === 'skipped' || r.state === 'waiting'));
  const waiting = after.map((r) => r.key);
  const skipped = after.every((r) => r.state === 'skipped');
  const others = live && runs.some((r) => r.key !== run.key && !downstream.has(r.key) && !FINAL.has(r.state));
  if (waiting.length === 0) return null;
  return (
    <div className={styles.note} data-tone={run.state === 'failed' ? 'bad' : 'quiet'}>
      <b>{t(skipped ? 'skippedByIt' : 'waiters', { count: waiting.length })}</b>
      {t('colon')}
      <TaskLinks tasks={waiting} store={store} onSelect={onSelect} />
      {t('stop')}
      {others && <> {t('othersGoOn')}</>}
    </div>
  );
}

function Skipped({ run, store, onSelect }: TabProps) {
  const { t } = useTranslation('task');
  const { t: states } = useTranslation('states');
  const cause = run.cause ? store.getRun(store.numberOf(run.cause) ?? -1) : undefined;
  return (
    <div className={styles.note} data-tone="quiet">
      {run.cause ? (
        <Trans
          t={t}
          i18nKey={run.reason === 'rule' ? 'skippedRule' : 'skippedBecause'}
          values={{ state: cause ? states(cause.state) : '' }}
          components={{ task: <TaskLink store={store} task={run.cause} onSelect={onSelect} glyph /> }}
        />
      ) : (
        (run.detail ?? t('skipped'))
      )}
    </div>
  );
}

function Ignored({ run }: { run: TaskRun }) {
  const { t } = useTranslation('task');
  const hasText = ['when', 'disabled', 'job_disabled', 'removed', 'person'].includes(run.reason);
  return (
    <div className={styles.note} data-tone="quiet">
      {hasText ? t(`ignored.${run.reason as 'when'}`) : t('ignored.other')}
      {run.detail && <span className="hg-quiet"> {run.detail}</span>}
    </div>
  );
}

interface TaskLinkProps {
  store: RunStore;
  task: string;
  onSelect: (task: string) => void;
  /** Whether to show its state as a glyph, with a text for screen readers. */
  glyph?: boolean;
}

/** A link to another task of the batch. */
function TaskLink({ store, task, onSelect, glyph }: TaskLinkProps) {
  const { t } = useTranslation('states');
  const run = useRun(store, store.numberOf(task));
  const state = run && shownState(run);
  const name = useTaskName(task);
  return (
    <button
      type="button"
      className={styles.link}
      data-state={state}
      onClick={() => {
        onSelect(task);
      }}
    >
      {glyph && state && <Glyph state={state} size={14} bare />}
      <span title={name === task ? undefined : task}>{name}</span>
      {glyph && state && <span className="hg-visually-hidden">{t(state)}</span>}
    </button>
  );
}

/** Links to several tasks. Beyond `max` of them, only the number of the others is shown. */
function TaskLinks({
  tasks,
  max = 6,
  ...rest
}: Omit<TaskLinkProps, 'task'> & { tasks: readonly string[]; max?: number }) {
  const { t } = useTranslation('task');
  const more = tasks.length - max;
  return (
    <>
      {tasks.slice(0, max).map((task, i) => (
        <span key={task}>
          {i > 0 && t('comma')}
          <TaskLink task={task} {...rest} />
        </span>
      ))}
      {more > 0 && <span>{t('andMore', { count: more })}</span>}
    </>
  );
}

interface WhyNoteProps {
  batch: number;
  store: RunStore;
  task: string;
  state: RunState;
  /** Why no executor takes the task, from the live run. */
  hold?: string;
  onSelect: (task: string) => void;
}

const POLL_INTERVAL = 3000;
const WAIT_REASONS = ['no_executor', 'no_handler', 'no_match', 'offline', 'silent', 'busy', 'gone'] as const;
type WaitReason = (typeof WAIT_REASONS)[number];

/** Why the task does not run: the first unmet condition, since when, and the tasks that it waits for. */
function WhyNote({ batch, store, task, state, hold, onSelect }: WhyNoteProps) {
  const { t } = useTranslation('task');
  const { data: why } = useQuery({
    queryKey: [...keys.batch(batch), 'why', task, state, hold ?? ''],
    queryFn: () => data(api.GET('/api/v1/batches/{id}/tasks/{task}/why', { params: { path: { id: batch, task } } })),
    refetchInterval: POLL_INTERVAL,
    placeholderData: (before) => (before?.task === task ? before : undefined),
  });
  if (!why || why.code === 'final' || why.code === 'running') return null;
  if (why.limit) return <LimitNote why={why} limit={why.limit} />;
  const detail =
    why.code === 'executor' && WAIT_REASONS.includes(hold as WaitReason) ? t(`hold.${hold as WaitReason}`) : undefined;
  return (
    <div className={styles.note} data-tone={why.code === 'stuck' || why.code === 'held' ? 'bad' : 'quiet'}>
      <p>
        <b>{detail ?? t(`why.${why.code}`, { count: why.on?.length ?? 0 })}</b>
        <Times why={why} />
      </p>
      <Causes on={why.on ?? []} store={store} onSelect={onSelect} />
      <Holders holders={why.holders ?? []} />
    </div>
  );
}

/** The limit or the pool that the task waits for: who set it, and what it counts. */
function LimitNote({ why, limit }: { why: Schemas['Why']; limit: Schemas['RunLimit'] }) {
  const { t } = useTranslation('task');
  const { name, used, most, setBy: by, reason } = limit;
  const slots = why.slots ?? 1;
  return (
    <div className={styles.note} data-tone="quiet">
      <p>
        <b>{t(limitText(limit, slots), { name, used, most, slots, free: most - used })}</b>
        <Times why={why} />
      </p>
      {by && <p className="hg-quiet">{reason ? t('limit.reason', { by, reason }) : t('limit.by', { by })}</p>}
      <Holders holders={why.holders ?? []} />
    </div>
  );
}

/** The time at which the wait ends by itself, relative to now. */
function Until({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const now = useNow();
  return <span className="hg-quiet">{relative(Math.max(new Date(at).getTime(), now), now, i18n.language)}</span>;
}

interface CausesProps extends Pick<WhyNoteProps, 'store' | 'onSelect'> {
  on: NonNullable<Schemas['Why']['on']>;
}

/** The tasks that the task waits for. */
function Causes({ on, store, onSelect }: CausesProps) {
  const { t } = useTranslation('task');
  if (on.length === 0) return null;
  return (
    <ul>
      {on.slice(0, 8).map((o) => (
        <li key={o.task}>
          <TaskLink store={store} task={o.task} onSelect={onSelect} glyph />
          {o.since && (
            <span>
              <Ago at={o.since} />
            </span>
          )}
        </li>
      ))}
      {on.length > 8 && (
        <li>
          <span>{t('andMore', { count: on.length - 8 })}</span>
        </li>
      )}
    </ul>
  );
}

/** The runs that occupy the slots of the executors. */
function Holders({ holders }: { holders: NonNullable<Schemas['Why']['holders']> }) {
  const { t } = useTranslation('task');
  if (holders.length === 0) return null;
  return (
    <ul aria-label={t('holders')}>
      {holders.slice(0, 5).map((h) => (
        <li key={`${String(h.batch)} ${h.task}`}>
          <Link to="/batches/$id" params={{ id: h.batch }} search={{ task: h.task }}>
            {h.schedule ? `${h.schedule} / ${h.task}` : h.task}
          </Link>
          <span>{h.executor}</span>
          {h.since && (
            <span>
              <Ago at={h.since} />
            </span>
          )}
        </li>
      ))}
      {holders.length > 5 && (
        <li>
          <span>{t('andMore', { count: holders.length - 5 })}</span>
        </li>
      )}
    </ul>
  );
}

/** When the wait began, and when it ends by itself. */
function Times({ why }: { why: Schemas['Why'] }) {
  return (
    <>
      {why.since && (
        <span className="hg-quiet">
          {' '}
          <Ago at={why.since} />
        </span>
      )}
      {why.until && (
        <span className="hg-quiet">
          {' '}
          · <Until at={why.until} />
        </span>
      )}
    </>
  );
}
