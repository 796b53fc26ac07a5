import { Checkbox } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/document';
import { Cell } from './Cell';
import styles from './TableView.module.css';

interface Props {
  task: Task;
  job: string;
  faults: number;
  /** An earlier job has tasks: without needs the task waits for all of them. */
  waits: boolean;
  index: number;
  marked: boolean;
  open: boolean;
  /** Tab reaches this row; the arrow keys reach the others. */
  reachable: boolean;
  onMark: (index: number, on: boolean, range: boolean) => void;
  onOpen: (key: string) => void;
}

/** The row of one task. */
export const TaskRow = memo(function TaskRow({
  task,
  job,
  faults,
  waits,
  index,
  marked,
  open,
  reachable,
  onMark,
  onOpen,
}: Props) {
  const { t } = useTranslation('views');
  const tab = reachable ? 0 : -1;
  return (
    <tr
      data-index={index}
      data-row={task.key}
      data-marked={marked || undefined}
      data-open={open || undefined}
      data-off={task.disabled || undefined}
      aria-rowindex={index + 2}
    >
      <td className={styles.check}>
        <Checkbox
          size="xs"
          checked={marked}
          aria-label={t('table.mark', { task: task.title ?? task.key })}
          tabIndex={tab}
          onChange={(e) => {
            onMark(index, e.currentTarget.checked, (e.nativeEvent as unknown as MouseEvent).shiftKey);
          }}
        />
      </td>
      <Cell task={task} column="task" tab={tab} className={styles.task}>
        <div>
          <button
            type="button"
            data-opens=""
            tabIndex={tab}
            onClick={() => {
              onOpen(task.key);
            }}
          >
            <bdi>{task.title ?? task.key}</bdi>
          </button>
          {task.title && (
            <small>
              <bdi>{task.key}</bdi>
            </small>
          )}
          {task.disabled && <small>{t('table.off')}</small>}
          {faults > 0 && (
            <span className={styles.faulty} title={t('table.faults', { count: faults })}>
              !<span className="hg-visually-hidden">{t('table.faults', { count: faults })}</span>
            </span>
          )}
        </div>
      </Cell>
      <td>
        <bdi>{job}</bdi>
      </td>
      <td className={styles.code}>{task.handler}</td>
      <Cell task={task} column="group" tab={tab} />
      <td title={task.needs?.join(', ')} className={styles.needs}>
        {task.needs?.length ? (
          <bdi>{task.needs.join(', ')}</bdi>
        ) : (
          <span className="hg-quiet">{waits ? t('table.needsAll') : '–'}</span>
        )}
      </td>
      <td>
        {task.rule ? (
          t(`rule.${task.rule}`)
        ) : (
          <span className="hg-quiet" title={t('rule.all_success')}>
            –
          </span>
        )}
      </td>
      <Cell task={task} column="timeout" tab={tab} className={styles.number} />
      <Cell task={task} column="retry" tab={tab} className={styles.number} />
      <Cell task={task} column="priority" tab={tab} className={styles.number} />
    </tr>
  );
});
