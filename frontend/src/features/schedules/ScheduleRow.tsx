import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { done, Glyph, RunHistory, total, useSpan } from '@/ui';
import { RowMenu } from './RowMenu';
import { Next, Runs } from './Runs';
import { latest, type Recent, rowState, type Schedule, troubled } from './rows';
import { useFreshNext } from './useSchedules';
import styles from './Schedules.module.css';

/**
 * What a row can start: each gets the name of the schedule, `resume` the number of a batch. Keep the object stable, as
 * rows are memoized.
 */
export interface RowActions {
  run: (name: string) => void;
  pickTask: (name: string) => void;
  resume: (batch: number) => void;
  turn: (name: string, enabled: boolean) => void;
}

/** One schedule: how it is, when it runs, how it went, and the next thing to do with it. */
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
  const { name, title, usualSeconds, enabled } = schedule;
  const trouble = troubled(schedule);
  return (
    <tr className={styles.row}>
      <td className={styles.glyph}>
        <Glyph state={trouble ? 'failed' : rowState(schedule)} />
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
        </span>
        <Line schedule={schedule} />
      </th>
      <td className={styles.runs}>
        <Runs schedule={schedule} />
      </td>
      <td className={styles.next}>
        <Next schedule={schedule} />
      </td>
      <td className={styles.strip}>
        <RunHistory name={name} recent={schedule.recent} zone={schedule.timezone} />
      </td>
      <td className={styles.usual}>{usualSeconds !== undefined && span(usualSeconds * 1000)}</td>
      <td className={styles.actions}>
        {trouble ? (
          <Button
            variant="filled"
            onClick={() => {
              actions.resume(trouble.id);
            }}
            aria-label={t('schedules:resumeOf', { name })}
          >
            {t('schedules:resume')}
          </Button>
        ) : (
          <Button
            onClick={() => {
              actions.run(name);
            }}
            aria-label={t('schedules:runOf', { name })}
          >
            {t('schedules:run')}
          </Button>
        )}
        <RowMenu
          schedule={schedule}
          onRun={
            trouble &&
            (() => {
              actions.run(name);
            })
          }
          onTask={() => {
            actions.pickTask(name);
          }}
          onSwitch={() => {
            actions.turn(name, !enabled);
          }}
        />
      </td>
    </tr>
  );
});

/** Actions that stay the same object, so that rows are drawn anew for their own changes only. */
export function useStable(actions: RowActions): RowActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      run: (name) => {
        latest.current.run(name);
      },
      pickTask: (name) => {
        latest.current.pickTask(name);
      },
      resume: (batch) => {
        latest.current.resume(batch);
      },
      turn: (name, enabled) => {
        latest.current.turn(name, enabled);
      },
    }),
    [],
  );
}

/** How the latest batch of a schedule is, in a few words, with a link to it. */
function Line({ schedule }: { schedule: Schedule }) {
  const batch = troubled(schedule) ?? latest(schedule);
  const words = useWords(batch);
  if (!batch) return <span className={styles.words}>{words}</span>;
  return (
    <Link
      className={styles.words}
      to="/batches/$id"
      params={{ id: batch.id }}
      preload={false}
      data-state={batch.state === 'failed' && !batch.closed ? 'failed' : undefined}
    >
      {words}
    </Link>
  );
}

function useWords(batch?: Recent): string {
  const { t } = useTranslation(['schedules', 'states']);
  if (!batch) return t('states:none');
  const { counts, state, wish, closed } = batch;
  const failed = counts.failed ?? 0;
  const skipped = counts.skipped ?? 0;
  if (state === 'running') {
    const progress = { done: done(counts, state), all: total(counts) };
    if (wish === 'cancel') return t('schedules:line.canceling');
    if (failed > 0) return t('schedules:line.runningFailed', { count: failed });
    return total(counts) === 0
      ? t('states:running')
      : wish === 'pause'
        ? t('schedules:line.paused', progress)
        : t('schedules:line.running', progress);
  }
  if (state !== 'failed') return t(`states:${state}`);
  if (closed) return t('schedules:line.closed');
  return skipped > 0 ? t('schedules:line.failedSkipped', { count: skipped }) : t('states:failed');
}
