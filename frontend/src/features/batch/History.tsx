import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { type Batch, type RunStore, type TaskRun, useRuns } from '@/live';
import { Ago, CountsBar, ErrorNote, exact, useTook } from '@/ui';
import { Table } from './Table';
import type { BatchSearch } from './search';
import { summarize } from './summary';
import { useAttempts } from './useAttempts';
import styles from './History.module.css';

type Attempt = Schemas['Attempt'];

interface Props {
  batch: Batch;
  store: RunStore;
  allowed: ReadonlySet<string>;
  search: BatchSearch;
  onSearch: (search: Partial<BatchSearch>) => void;
}

/** The rounds of a batch: what ran in each round, and the states of all tasks at its end. */
export function History({ batch, store, allowed, search, onSearch }: Props) {
  const { t } = useTranslation('batch');
  const took = useTook();
  const runs = useRuns(store);
  const attempts = useAttempts(batch.id, store);
  const past = useQuery({
    queryKey: [...keys.batch(batch.id), 'history', batch.round],
    queryFn: () => data(api.GET('/api/v1/batches/{id}/history', { params: { path: { id: batch.id } } })),
  });
  const rounds = useMemo(() => {
    const rows = past.data?.items ?? [];
    return Array.from({ length: batch.round }, (_, n) => n + 1)
      .reverse()
      .map((round) => {
        const runsAtEnd = runsOfRound(runs, rows, round).map(asRun);
        return { round, runs: runsAtEnd, summary: summarize(runsAtEnd, allowed), ...activityOf(attempts, round) };
      });
  }, [past.data, runs, attempts, allowed, batch.round]);
  const selected = rounds.find((r) => r.round === search.round);
  if (past.error)
    return (
      <div className={styles.page}>
        <ErrorNote error={past.error} retry={() => void past.refetch()} />
      </div>
    );
  return (
    <div className={styles.page}>
      <ol className={styles.rounds}>
        {rounds.map((r) => (
          <li key={r.round} data-selected={r.round === search.round}>
            <Link
              from="/batches/$id"
              to="."
              search={(s) => ({ ...s, view: 'history', round: s.round === r.round ? undefined : r.round })}
            >
              <b>{t('round', { n: r.round })}</b>
              {r.round === batch.round && <em>{t('history.current')}</em>}
            </Link>
            <span className={styles.bar}>
              <CountsBar counts={r.summary.counts} />
            </span>
            <span>{t('done', { done: r.summary.done, count: r.summary.total })}</span>
            <span className={styles.activity}>
              {r.ran > 0 ? t('history.ran', { count: r.ran }) : t('history.ranNothing')}
              {r.from !== undefined && r.to !== undefined && ` · ${took(r.to - r.from)}`}
            </span>
            <span className="hg-quiet">{r.from !== undefined && <Ago at={new Date(r.from).toISOString()} />}</span>
            {r.round === 1 && (
              <span className="hg-quiet">
                {t('history.begun', { by: batch.createdBy, at: exact(batch.createdAt) })}
              </span>
            )}
          </li>
        ))}
      </ol>
      {selected && (
        <section className={styles.selectedRound} aria-label={t('history.then', { n: selected.round })}>
          <h2>{t('history.then', { n: selected.round })}</h2>
          <div>
            <Table
              runs={selected.runs}
              filter={search}
              onFilter={onSearch}
              selected={search.task}
              onSelect={(task) => {
                onSearch({ task });
              }}
            />
          </div>
        </section>
      )}
    </div>
  );
}

/** How many tasks ran in a round, and the start and end of the activity (milliseconds since 1970). */
function activityOf(attempts: readonly Attempt[], round: number): { ran: number; from?: number; to?: number } {
  const ofRound = attempts.filter((a) => a.round === round && a.startedAt);
  if (ofRound.length === 0) return { ran: 0 };
  const moments = ofRound
    .flatMap((a) => [a.startedAt, a.finishedAt])
    .filter((m) => m !== undefined)
    .map((m) => Date.parse(m));
  return { ran: new Set(ofRound.map((a) => a.task)).size, from: Math.min(...moments), to: Math.max(...moments) };
}

type PastRun = Schemas['PastRun'];

/**
 * The task runs at the end of a round. Each repair stores the rows that it changes with their round, so the state of a
 * run in round n is its row of the latest round up to n. Tasks that were added in a later round are left out.
 */
export function runsOfRound(runs: readonly TaskRun[], past: readonly PastRun[], round: number): (TaskRun | PastRun)[] {
  const rows = new Map<number, TaskRun | PastRun>();
  for (const row of [...past, ...runs]) {
    const latest = rows.get(row.number);
    if (row.round <= round && (!latest || row.round >= latest.round)) rows.set(row.number, row);
  }
  return [...rows.values()].sort((a, b) => a.number - b.number);
}

/** Converts a run of the past to a task run. */
export function asRun(row: TaskRun | PastRun): TaskRun {
  return 'executor' in row ? row : { ...row, executor: '', error: row.state === 'failed' ? (row.detail ?? '') : '' };
}
