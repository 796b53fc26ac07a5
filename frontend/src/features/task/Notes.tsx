import { Trans, useTranslation } from 'react-i18next';
import { type RunStore, type TaskRun, useRuns } from '@/live';
import { FINAL } from '@/ui';
import styles from './Notes.module.css';
import type { Relations } from './relations';
import { TaskLink, TaskLinks } from './TaskLink';
import { WhyNote } from './WhyNote';

/** What the parts of the drawer need of the run that it shows. */
export interface Shared {
  batch: number;
  store: RunStore;
  task: string;
  run: TaskRun;
  relations: Relations;
  onSelect: (task: string) => void;
}

const BLOCKS: ReadonlySet<string> = new Set(['failed', 'canceled', 'unknown']);
const WAITS: ReadonlySet<string> = new Set(['waiting', 'ready', 'unknown']);

/** What a person must know before the log: what waits for the task, or what the task waits for. */
export function Notes({ live, ...shared }: Shared & { live: boolean }) {
  const { run, batch, store, task, onSelect } = shared;
  if (run.state === 'skipped') return <Skipped {...shared} />;
  if (run.state === 'ignored') return <Ignored run={run} />;
  return (
    <>
      {WAITS.has(run.state) && (
        <WhyNote batch={batch} store={store} task={task} state={run.state} hold={run.hold} onSelect={onSelect} />
      )}
      {BLOCKS.has(run.state) && <Waiters {...shared} live={live} />}
    </>
  );
}

/** What was skipped, or waits, because of a task that did not succeed. */
function Waiters({ store, relations, run, live, onSelect }: Shared & { live: boolean }) {
  const { t } = useTranslation('task');
  const runs = useRuns(store);
  const below = new Set(relations.downstream);
  const waiting = runs
    .filter((r) => below.has(r.key) && (r.state === 'skipped' || r.state === 'waiting'))
    .map((r) => r.key);
  const others = live && runs.some((r) => r.key !== run.key && !below.has(r.key) && !FINAL.has(r.state));
  if (waiting.length === 0) return null;
  return (
    <div className={styles.note} data-tone={run.state === 'failed' ? 'bad' : 'quiet'}>
      <b>{t('waiters', { count: waiting.length })}</b>
      {t('colon')}
      <TaskLinks tasks={waiting} store={store} onSelect={onSelect} />
      {t('stop')}
      {others && <> {t('othersGoOn')}</>}
    </div>
  );
}

function Skipped({ run, store, onSelect }: Shared) {
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
          components={{ task: <TaskLink store={store} task={run.cause} onSelect={onSelect} sign /> }}
        />
      ) : (
        (run.detail ?? t('skipped'))
      )}
    </div>
  );
}

function Ignored({ run }: { run: TaskRun }) {
  const { t } = useTranslation('task');
  const known = ['when', 'disabled', 'removed', 'person'].includes(run.reason);
  return (
    <div className={styles.note} data-tone="quiet">
      {known ? t(`ignored.${run.reason as 'when'}`) : t('ignored.other')}
      {run.detail && <span className="hg-quiet"> {run.detail}</span>}
    </div>
  );
}
