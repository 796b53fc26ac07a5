import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Glyph, RunHistory, useSpan } from '@/ui';
import { Line } from './Line';
import { RowMenu } from './RowMenu';
import { rowState, type Schedule, troubled } from './rows';
import { Next, Runs } from './Runs';
import { useFreshNext } from './useSchedules';
import styles from './Schedules.module.css';

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
