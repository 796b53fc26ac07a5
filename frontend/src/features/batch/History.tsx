import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { type Batch, type RunStore, type TaskRun, useThrottledRuns } from '@/live';
import { CountsBar, ErrorNote, StateChip, useTaskNames, useTook } from '@/ui';
import { type BatchEvent, eventsOf, filterEvents, firstRevision, publishedDuring, type Shown } from './events';
import type { Words } from './eventText';
import { HistoryEvent } from './HistoryEvent';
import { HistorySide } from './HistorySide';
import { Table } from './Table';
import type { BatchSearch } from './search';
import { type Summary, summarize } from './summary';
import { useAttempts } from './timeline/useAttempts';
import { useHistory } from './useHistory';
import styles from './History.module.css';

type Attempt = Schemas['Attempt'];

interface Props {
  batch: Batch;
  store: RunStore;
  allowed: ReadonlySet<string>;
  zone?: string;
  search: BatchSearch;
  onSearch: (search: Partial<BatchSearch>) => void;
}

interface RoundView {
  round: number;
  runs: TaskRun[];
  summary: Summary;
  ran: number;
  from?: number;
  to?: number;
}

const SHOWN: readonly Shown[] = ['all', 'persons', 'failures'];

/** What happened to a batch, by rounds and newest first: who did what and why, and what failed. */
export function History({ batch, store, allowed, zone, search, onSearch }: Props) {
  const { t, i18n } = useTranslation(['batch', 'history', 'repair', 'problems']);
  const [shown, setShown] = useState<Shown>('all');
  const runs = useThrottledRuns(store);
  const attempts = useAttempts(batch.id, store);
  const nameOf = useTaskNames();
  const past = useQuery({
    queryKey: [...keys.batch(batch.id), 'history', batch.round],
    queryFn: () => data(api.GET('/api/v1/batches/{id}/history', { params: { path: { id: batch.id } } })),
  });
  const { commands, revisions, taker, error, retry } = useHistory(batch);
  const rounds = useMemo(() => {
    const rows = (past.data?.items ?? []).filter((row) => row.shard === undefined); // the run of its task counts
    return Array.from({ length: batch.round }, (_, n) => n + 1)
      .reverse()
      .map((round): RoundView => {
        const runsAtEnd = runsOfRound(runs, rows, round).map(asRun);
        return { round, runs: runsAtEnd, summary: summarize(runsAtEnd, allowed), ...activityOf(attempts, round) };
      });
  }, [past.data, runs, attempts, allowed, batch.round]);
  const events = useMemo(
    () => eventsOf({ batch, rounds, attempts, commands, revisions: publishedDuring(batch, revisions), taker }),
    [batch, rounds, attempts, commands, revisions, taker],
  );
  const failure = past.error ?? error;
  if (failure)
    return (
      <div className={styles.page}>
        <ErrorNote error={failure} retry={past.error ? () => void past.refetch() : retry} />
      </div>
    );
  const words: Words = {
    t,
    language: i18n.language,
    batch,
    nameOf,
    zone,
    firstRevision: firstRevision(batch, revisions),
  };
  const listed = filterEvents(events, shown, batch);
  const selected = rounds.find((r) => r.round === search.round);
  return (
    <div className={styles.page}>
      <div className={styles.main}>
        <SegmentedControl
          size="xs"
          aria-label={t('history:show')}
          value={shown}
          onChange={(value) => {
            setShown(value as Shown);
          }}
          data={SHOWN.map((value) => ({ value, label: t(`history:shown.${value}`) }))}
        />
        <div className={styles.rounds} role="region" aria-label={t('history:label')}>
          {listed.length === 0 && <p className="hg-quiet">{t('history:none')}</p>}
          {rounds.map((r) => (
            <RoundSection
              key={r.round}
              view={r}
              events={listed.filter((e) => e.round === r.round)}
              words={words}
              open={selected === r}
              onSearch={onSearch}
            />
          ))}
        </div>
        {selected && (
          <section className={styles.selectedRound} aria-label={t('history:then', { n: selected.round })}>
            <h2>{t('history:then', { n: selected.round })}</h2>
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
      <HistorySide rounds={rounds} events={events} attempts={attempts} words={words} runs={runs} />
    </div>
  );
}

interface RoundProps {
  view: RoundView;
  events: readonly BatchEvent[];
  words: Words;
  /** The table of its tasks is shown. */
  open: boolean;
  onSearch: (search: Partial<BatchSearch>) => void;
}

/** A round: how it ended, what ran, and its events. */
function RoundSection({ view, events, words, open, onSearch }: RoundProps) {
  const { t } = useTranslation(['batch', 'history']);
  const took = useTook();
  const { round, summary, ran, from, to, runs } = view;
  const { batch } = words;
  const isCurrent = round === batch.round;
  const { done, counts, total } = summary;
  const doneText =
    isCurrent && batch.live
      ? t('done', { done, count: total })
      : t('succeeded', { n: counts.succeeded ?? 0, count: total });
  return (
    <section>
      <div className={styles.round}>
        <h2>{t('round', { n: round })}</h2>
        <StateChip state={isCurrent ? batch.state : stateOfRound(summary)} outlined />
        <span className={styles.bar}>
          <CountsBar counts={summary.counts} />
        </span>
        <span className="hg-quiet">
          {ran > 0
            ? t('history:ran', { count: ran })
            : t(isCurrent && batch.live ? 'history:ranNothing' : 'history:ranNone')}
          {from !== undefined && to !== undefined && ` · ${took(to - from)}`}
        </span>
        <i aria-hidden="true" />
        <button
          type="button"
          aria-pressed={open}
          aria-label={`${doneText} · ${t('history:table', { n: round })}`}
          onClick={() => {
            onSearch({ round: open ? undefined : round });
          }}
        >
          {doneText}
        </button>
      </div>
      <ol className={styles.events}>
        {events.map((event) => (
          <HistoryEvent key={event.id} event={event} words={words} total={runs.length} />
        ))}
      </ol>
    </section>
  );
}

/** The state of a batch at the end of a former round. */
function stateOfRound({ failed, held, counts }: Summary): 'failed' | 'canceled' | 'succeeded' {
  if (failed.length > 0 || held.length > 0) return 'failed';
  return counts.canceled ? 'canceled' : 'succeeded';
}

/** How many tasks ran in a round, and the start and end of the activity (milliseconds since 1970). */
function activityOf(attempts: readonly Attempt[], round: number): { ran: number; from?: number; to?: number } {
  const ofRound = attempts.filter((a) => a.round === round && a.startedAt);
  if (ofRound.length === 0) return { ran: 0 };
  let [from, to] = [Infinity, -Infinity];
  for (const { startedAt, finishedAt } of ofRound)
    for (const moment of [startedAt, finishedAt])
      if (moment) [from, to] = [Math.min(from, Date.parse(moment)), Math.max(to, Date.parse(moment))];
  return { ran: new Set(ofRound.map((a) => a.task)).size, from, to };
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
