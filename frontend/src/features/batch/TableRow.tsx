import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/api/problem';
import { RunActions } from '@/features/task';
import { taskKeyOf, type TaskRun } from '@/live';
import {
  Ago,
  doneShards,
  Glyph,
  isDeclared,
  reasonText,
  shownState,
  useJobName,
  useTaskName,
  useTook,
  type UsualRun,
} from '@/ui';
import { RunDuration } from './RunDuration';
import type { BatchActions } from './Actions';
import styles from './Table.module.css';

interface Props {
  run: TaskRun;
  usual?: UsualRun;
  index: number;
  selected: boolean;
  /** Whether Tab reaches this row. The arrow keys reach the others. */
  reachable: boolean;
  /** Undefined if rows cannot be marked. */
  marked?: boolean;
  onMark: (index: number, on: boolean, range: boolean) => void;
  /** Whether the rows of its shards are below it. Undefined for a task without shards. */
  unfolded?: boolean;
  onUnfold: (task: string, on: boolean) => void;
  onSelect: (task: string) => void;
  /** Undefined for the past, which cannot be repaired. */
  onRepair?: BatchActions['repair'];
}

/** The row of a task run. It renders again only when its run changes. */
export const TableRow = memo(function TableRow({
  run,
  usual,
  index,
  selected,
  reachable,
  marked,
  onMark,
  unfolded,
  onUnfold,
  onSelect,
  onRepair,
}: Props) {
  const { t } = useTranslation(['batch', 'states']);
  const state = shownState(run);
  const took = useTook();
  const [name, job, cause] = [useTaskName(run.key), useJobName(run.job), useTaskName(run.cause ?? '')];
  const why = reasonText({ ...run, cause }, t);
  const error = errorText(run, t);
  return (
    <tr data-index={index} data-selected={selected} aria-rowindex={index + 2}>
      {marked !== undefined && (
        <td className={styles.check}>
          <Checkbox
            size="xs"
            checked={marked}
            aria-label={t('table.mark', { task: name })}
            tabIndex={reachable ? 0 : -1}
            onChange={(e) => {
              onMark(index, e.currentTarget.checked, (e.nativeEvent as unknown as MouseEvent).shiftKey);
            }}
          />
        </td>
      )}
      <TaskCell {...{ run, name, selected, reachable, unfolded, onUnfold, onSelect }} />
      <td className={styles.job} title={job === run.job ? undefined : run.job}>
        {job}
      </td>
      <td data-state={state} className={styles.stateCell}>
        <span>
          <Glyph state={state} size={16} byPerson={isDeclared(run)} />
          <b>{t(`states:${state}`)}</b>
          {why && <small title={why}>{why}</small>}
        </span>
      </td>
      <td>{run.startedAt && <Ago at={run.startedAt} />}</td>
      <td className={styles.number} title={usual && t('states:usually', { time: took(usual.took) })}>
        <RunDuration run={run} usual={usual} short />
      </td>
      <td className={styles.number}>
        {run.shards
          ? `${String(doneShards(run.shards))}/${String(run.shards.length)}`
          : run.attempts > 0 && run.attempts}
      </td>
      <td>{run.executor}</td>
      <td className={styles.number}>{run.exitCode}</td>
      <td className={styles.error} title={error || undefined}>
        {error}
      </td>
      {onRepair && (
        <td className={styles.actions}>
          <RunActions run={run} onRepair={onRepair} reachable={reachable} />
        </td>
      )}
    </tr>
  );
});

type TaskCellProps = Pick<Props, 'run' | 'selected' | 'reachable' | 'unfolded' | 'onUnfold' | 'onSelect'>;

/** The name of the task or shard, and the button that shows the shards. */
function TaskCell({ run, name, selected, reachable, unfolded, onUnfold, onSelect }: TaskCellProps & { name: string }) {
  const { t } = useTranslation('batch');
  return (
    <td className={styles.task} data-shard={taskKeyOf(run.key) !== run.key || undefined}>
      {unfolded !== undefined && (
        <button
          type="button"
          className={styles.unfold}
          tabIndex={reachable ? 0 : -1}
          aria-expanded={unfolded}
          aria-label={t('table.shards', { task: name })}
          onClick={() => {
            onUnfold(run.key, !unfolded);
          }}
        />
      )}
      <button
        type="button"
        tabIndex={reachable ? 0 : -1}
        aria-pressed={selected}
        onClick={() => {
          onSelect(run.key);
        }}
      >
        {name}
      </button>
      {name !== run.key && <small title={run.key}>{run.key}</small>}
    </td>
  );
}
