import { Button, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from '@tanstack/react-query';
import {
  doneCount,
  Glyph,
  NeedsServer,
  Row,
  RunHistory,
  TimeUntil,
  totalCount,
  useExact,
  useShownZone,
  useSpan,
} from '@/ui';
import { scheduleQuery, takersQuery } from '@/api/queries';
import { describeTrigger } from '@/cron';
import { batchThatNeedsPerson, latestBatch, otherOpenBatches, type Recent, rowState, type Schedule } from './rows';
import { ScheduleMenu } from './ScheduleMenu';
import { useFreshNext } from './useSchedules';
import styles from './Schedules.module.css';

/**
 * The actions of a row. They get the name of the schedule; `resume` gets the number of a batch. Keep the object stable,
 * because rows are memoized.
 */
export interface RowActions {
  run: (name: string) => void;
  pickTask: (name: string) => void;
  backfill: (name: string) => void;
  resume: (batch: number) => void;
  setEnabled: (name: string, enabled: boolean) => void;
  archive: (name: string) => void;
}

/** How many tags a row shows. The search finds all of them. */
const MAX_TAGS = 3;

/** The row of a schedule: its state, its triggers, its recent batches, and its most likely action. */
export const ScheduleRow = memo(function ScheduleRow({
  schedule,
  actions,
}: {
  schedule: Schedule;
  actions: RowActions;
}) {
  const { t } = useTranslation(['schedules', 'common']);
  const span = useSpan();
  useFreshNext(schedule);
  const { name, title, tags = [], usualSeconds, enabled } = schedule;
  const needsPerson = batchThatNeedsPerson(schedule);
  return (
    <Row className={styles.row}>
      <td className={styles.glyph}>
        <Glyph state={needsPerson ? 'failed' : rowState(schedule)} />
      </td>
      <th scope="row" className={styles.name}>
        <span className={styles.names}>
          <Link to="/schedules/$name" params={{ name }} preload={false}>
            {name}
          </Link>
          {title && (
            <span className={styles.title} title={title}>
              {title}
            </span>
          )}
          {tags.slice(0, MAX_TAGS).map((tag) => (
            <Link
              key={tag}
              to="/"
              search={{ tag }}
              className={styles.tag}
              aria-label={t('schedules:tags.tagOf', { tag })}
            >
              {tag}
            </Link>
          ))}
        </span>
        <span className={styles.states}>
          <LatestBatch schedule={schedule} />
          <OtherOpen schedule={schedule} />
        </span>
      </th>
      <td className={styles.runs}>
        <Triggers schedule={schedule} />
      </td>
      <td className={styles.next}>
        <NextTick schedule={schedule} />
      </td>
      <td className={styles.strip}>
        <RunHistory name={name} recent={schedule.recent} />
      </td>
      <td className={styles.usual}>{usualSeconds !== undefined && span(usualSeconds * 1000)}</td>
      <td className={styles.actions}>
        <MainAction schedule={schedule} actions={actions} />
        <ScheduleMenu
          schedule={schedule}
          onRun={
            needsPerson &&
            (() => {
              actions.run(name);
            })
          }
          onRunTask={() => {
            actions.pickTask(name);
          }}
          onBackfill={() => {
            actions.backfill(name);
          }}
          onToggle={() => {
            actions.setEnabled(name, !enabled);
          }}
          onArchive={() => {
            actions.archive(name);
          }}
        />
      </td>
    </Row>
  );
});

/** The most likely action: to resume the batch that needs a person, or to run the schedule. */
function MainAction({ schedule, actions }: { schedule: Schedule; actions: RowActions }) {
  const { t } = useTranslation('schedules');
  const { name } = schedule;
  const failed = batchThatNeedsPerson(schedule);
  return (
    <NeedsServer>
      <Button
        onClick={() => {
          if (failed) actions.resume(failed.id);
          else actions.run(name);
        }}
        aria-label={t(failed ? 'resumeOf' : 'runOf', { name })}
      >
        {t(failed ? 'resume' : 'run')}
      </Button>
    </NeedsServer>
  );
}

/** Returns the same object in every render, so that a row renders again only for its own changes. */
export function useStableActions(actions: RowActions): RowActions {
  const latestActions = useRef(actions);
  useEffect(() => {
    latestActions.current = actions;
  });
  return useMemo(
    () => ({
      run: (name) => {
        latestActions.current.run(name);
      },
      pickTask: (name) => {
        latestActions.current.pickTask(name);
      },
      backfill: (name) => {
        latestActions.current.backfill(name);
      },
      resume: (batch) => {
        latestActions.current.resume(batch);
      },
      setEnabled: (name, enabled) => {
        latestActions.current.setEnabled(name, enabled);
      },
      archive: (name) => {
        latestActions.current.archive(name);
      },
    }),
    [],
  );
}

/** The state of the latest batch of a schedule as a short text, with a link to the batch. */
function LatestBatch({ schedule }: { schedule: Schedule }) {
  const batch = batchThatNeedsPerson(schedule) ?? latestBatch(schedule);
  const text = useBatchText(batch);
  const { t } = useTranslation('schedules');
  const { data: taker } = useQuery({ ...takersQuery, select: (takers) => batch && takers[batch.id] });
  if (!batch) return <span className={styles.latest}>{text}</span>;
  return (
    <Link
      className={styles.latest}
      to="/batches/$id"
      params={{ id: batch.id }}
      preload={false}
      data-state={batch.state === 'failed' && !batch.closed ? 'failed' : undefined}
    >
      {text}
      {taker && ` · ${t('line.taken', { name: taker })}`}
    </Link>
  );
}

/** The failed batches that the row does not show, with a link to them. */
function OtherOpen({ schedule }: { schedule: Schedule }) {
  const { t } = useTranslation('schedules');
  const count = otherOpenBatches(schedule);
  if (count === 0) return null;
  return (
    <Link
      className={styles.latest}
      to="/batches"
      search={{ schedule: schedule.name, needs: 'person' }}
      preload={false}
      data-state="failed"
    >
      {t('line.open', { count })}
    </Link>
  );
}

function useBatchText(batch?: Recent): string {
  const { t } = useTranslation(['schedules', 'states']);
  if (!batch) return t('states:none');
  const { counts, state, wish, closed } = batch;
  const failed = counts.failed ?? 0;
  const skipped = counts.skipped ?? 0;
  if (state === 'running') {
    const progress = { done: doneCount(counts, state), all: totalCount(counts) };
    if (wish === 'cancel') return t('schedules:line.canceling');
    if (failed > 0) return t('schedules:line.runningFailed', { count: failed });
    return totalCount(counts) === 0
      ? t('states:running')
      : wish === 'pause'
        ? t('schedules:line.paused', progress)
        : t('schedules:line.running', progress);
  }
  if (state !== 'failed') return t(`states:${state}`);
  if (closed) return t('schedules:line.closed');
  return skipped > 0 ? t('schedules:line.failedSkipped', { count: skipped }) : t('states:failed');
}

/** How many triggers a row shows. It counts the others. */
const MAX_TRIGGERS = 2;

/** When a schedule runs: the descriptions of its triggers, or the crons themselves if they have no description. */
function Triggers({ schedule }: { schedule: Schedule }) {
  const { t, i18n } = useTranslation('schedules');
  const { t: tCron } = useTranslation('cron');
  const triggers = schedule.triggers ?? [];
  if (triggers.length === 0) return <span className={styles.quiet}>{t('runs.byHand')}</span>;
  return (
    <Tooltip label={<TriggerDetails schedule={schedule} />} multiline>
      <div className={styles.triggers}>
        {triggers.slice(0, MAX_TRIGGERS).map((trigger) => {
          const { text, described } = describeTrigger(trigger, tCron, i18n.language);
          return (
            <div key={trigger} className={described ? styles.line : styles.cron}>
              {described ? <Dates text={text} /> : text}
            </div>
          );
        })}
        {triggers.length > MAX_TRIGGERS && (
          <div className={styles.quiet}>{t('runs.more', { count: triggers.length - MAX_TRIGGERS })}</div>
        )}
        {schedule.waitsForArchived?.map((name) => (
          <div key={name} className={styles.warning}>
            {t('runs.archived', { name })}
          </div>
        ))}
        {hasOtherZone(schedule.timezone) && <div className={styles.quiet}>{schedule.timezone}</div>}
      </div>
    </Tooltip>
  );
}

/** A text whose dates, such as 2026-12-24, stay in one line. */
function Dates({ text }: { text: string }) {
  return text.split(/(\d{4}-\d{2}-\d{2})/).map((part, i) =>
    i % 2 === 1 ? (
      <span key={i} className={styles.date}>
        {part}
      </span>
    ) : (
      part
    ),
  );
}

/** Whether the time zone of a schedule differs from the zone of the browser. */
function hasOtherZone(zone?: string): boolean {
  return (zone ?? 'UTC') !== Intl.DateTimeFormat().resolvedOptions().timeZone && zone !== undefined && zone !== '';
}

/** The tooltip of the triggers: the crons, and the next moments, which are loaded when it opens. */
function TriggerDetails({ schedule }: { schedule: Schedule }) {
  const { t } = useTranslation('schedules');
  const { data } = useQuery(scheduleQuery(schedule.name));
  const exact = useExact();
  const zone = useShownZone();
  return (
    <div className={styles.moments}>
      {schedule.triggers?.map((cron) => (
        <code key={cron}>{cron}</code>
      ))}
      <span>{zone}</span>
      {schedule.enabled &&
        (data?.nextAt ?? schedule.nextAt ?? []).map((at) => <span key={at}>{exact(at, { seconds: true })}</span>)}
      {!schedule.enabled && <span>{t('next.disabled')}</span>}
      {schedule.enabled && schedule.finished && <span>{t(`next.finishedAbout.${schedule.finished}`)}</span>}
    </div>
  );
}

/** When the schedule runs next, with a link to its ticks. */
function NextTick({ schedule }: { schedule: Schedule }) {
  const { t } = useTranslation('schedules');
  const at = schedule.nextAt?.[0];
  if (!schedule.enabled && (schedule.triggers ?? []).length > 0)
    return (
      <Link className={styles.plain} to="/schedules/$name/ticks" params={{ name: schedule.name }}>
        {t('next.disabled')}
      </Link>
    );
  if (schedule.finished)
    return (
      <Tooltip label={t(`next.finishedAbout.${schedule.finished}`)} multiline>
        <Link
          className={styles.plain}
          to="/schedules/$name"
          params={{ name: schedule.name }}
          search={{ view: 'settings' }}
        >
          {t('next.finished')}
        </Link>
      </Tooltip>
    );
  if (!at)
    return (
      <span className={styles.quiet} data-none="" aria-label={t('next.none')}>
        —
      </span>
    );
  return (
    <Link className={styles.plain} to="/schedules/$name/ticks" params={{ name: schedule.name }} preload={false}>
      <TimeUntil at={at} scheduleZone={schedule.timezone ?? 'UTC'} />
    </Link>
  );
}
