import { Box, TextInput } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskRun } from '@/live';
import { Glyph, useTaskName, useTaskNames } from '@/ui';
import { changeOf, type PlanRow, type RepairPlan, whyOf } from './plan';
import styles from './Repair.module.css';

/** Above so many rows the list scrolls by itself, draws only what is in sight, and can be searched. */
const LONG = 40;

interface Props {
  plan: RepairPlan;
  runs: readonly TaskRun[];
  /** The request names tasks. */
  named: boolean;
  /** Tasks whose rows are not those that were shown before. */
  moved?: ReadonlySet<string>;
  /** Tasks that the plan's revision has otherwise. */
  different?: ReadonlySet<string>;
}

/** The task runs that a plan changes: what they are, why, and what becomes of them. */
export function PlanRows({ plan, runs, named, moved, different }: Props) {
  const { t } = useTranslation('repair');
  const byNumber = useMemo(() => new Map(runs.map((run) => [run.number, run])), [runs]);
  const row = (one: PlanRow) => (
    <Row
      row={one}
      plan={plan}
      run={byNumber.get(one.number)}
      named={named}
      moved={!!moved?.has(one.task)}
      different={!!different?.has(one.task) && one.why !== 'new' && one.why !== 'removed'}
    />
  );
  if (plan.rows.length > LONG) return <Long rows={plan.rows} draw={row} />;
  return (
    <ul className={styles.rows} aria-label={t('rows')}>
      {plan.rows.map((one) => (
        <li key={one.task}>{row(one)}</li>
      ))}
    </ul>
  );
}

function Long({ rows, draw }: { rows: PlanRow[]; draw: (row: PlanRow) => ReactNode }) {
  const { t } = useTranslation('repair');
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text).trim().toLowerCase();
  const nameOf = useTaskNames();
  const found = useMemo(
    () => rows.filter(({ task }) => [task, nameOf(task)].some((text) => text.toLowerCase().includes(wanted))),
    [rows, wanted, nameOf],
  );
  const place = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing that is memoized gets it
  const list = useVirtualizer({
    count: found.length,
    getScrollElement: () => place.current,
    estimateSize: () => 53,
    overscan: 8,
    getItemKey: (i) => found[i]?.task ?? i,
  });
  return (
    <div>
      <TextInput
        type="search"
        aria-label={t('search', { count: rows.length })}
        placeholder={t('search', { count: rows.length })}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <p className="hg-visually-hidden" role="status">
        {wanted ? t('found', { count: found.length }) : ''}
      </p>
      <Box ref={place} className={styles.long} tabIndex={0} role="region" aria-label={t('rows')}>
        <ul
          className={styles.rows}
          style={{ height: list.getTotalSize(), position: 'relative' }}
          aria-label={t('tasks', { count: found.length })}
        >
          {list.getVirtualItems().map((item) => (
            <li
              key={item.key}
              ref={list.measureElement}
              data-index={item.index}
              aria-setsize={found.length}
              aria-posinset={item.index + 1}
              className={styles.far}
              style={{ transform: `translateY(${String(item.start)}px)` }}
            >
              {draw(found[item.index] as PlanRow)}
            </li>
          ))}
        </ul>
      </Box>
    </div>
  );
}

function Row({
  row,
  plan,
  run,
  named,
  moved,
  different,
}: {
  row: PlanRow;
  plan: RepairPlan;
  run?: TaskRun;
  named: boolean;
  moved: boolean;
  different: boolean;
}) {
  const { t } = useTranslation(['repair', 'states']);
  const name = useTaskName(row.task);
  const cause = useTaskName(row.cause ?? '');
  const why = whyOf(row, plan, run, named, t);
  const from = row.from ? t(`states:${row.from}`) : t('new');
  return (
    <div className={styles.row} data-kill={row.kill} data-moved={moved}>
      <Glyph state={row.from ?? 'none'} />
      <div>
        <b>{name}</b>
        {name !== row.task && <code className={styles.key}>{row.task}</code>}
        {moved && <span className={styles.tag}>{t('changed')}</span>}
        {different && <span className={styles.tag}>{t('differs', { revision: plan.revision })}</span>}
        <p>{t(`why.${why.key}`, { ...why.values, cause })}</p>
      </div>
      <span className={styles.change}>{t(`change.${changeOf(row)}`, { from })}</span>
    </div>
  );
}
