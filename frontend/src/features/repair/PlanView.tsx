import { Box, Checkbox, TextInput, UnstyledButton } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { shardName, shardsOf, type TaskRun } from '@/live';
import { Glyph, useTaskName, useTaskNames } from '@/ui';
import {
  changeOf,
  destroys,
  doubtful,
  type UnchangedGroup,
  rowName,
  unchangedGroups,
  type PlanRow,
  type RepairPlan,
  summarise,
  whyOf,
} from './plan';
import type { Planner } from './usePlan';
import type { RepairSubject } from './useRepairSubject';
import styles from './Repair.module.css';

interface Props {
  planner: Planner;
  subject: RepairSubject;
  plan: RepairPlan;
  /** An order is on its way, or its answer was lost. */
  locked: boolean;
}

/** The rows of a plan, and the runs that it does not change. Renders nothing for a plan without rows. */
export function PlanView({ planner, subject, plan, locked }: Props) {
  const { phase, request, difference } = planner.state;
  const { batch, later } = subject;
  if (!batch || plan.rows.length === 0) return null;
  const rerunKept = (tasks: string[]) => {
    planner.changeOptions({ rerunKept: tasks.length > 0 ? tasks : undefined });
  };
  return (
    <div className={styles.plan} data-stale={phase === 'planning'}>
      {destroys(plan) && <KillWarning plan={plan} />}
      <PlanRows
        plan={plan}
        runs={batch.tasks}
        named={!!request.tasks?.length}
        changed={difference?.changed}
        different={request.latest ? later?.different : undefined}
      />
      <UnchangedRuns
        plan={plan}
        runs={batch.tasks}
        disabled={locked}
        onRerun={request.action === 'cancel' ? undefined : rerunKept}
      />
    </div>
  );
}

/** Names how many running tasks the plan kills. */
function KillWarning({ plan }: { plan: RepairPlan }) {
  const { t, i18n } = useTranslation('repair');
  const count = summarise(plan, 0).kill;
  if (count === 0) return <p className="hg-quiet">{t('asItGoes')}</p>;
  return (
    <p className={styles.killed}>
      <b>{t(plan.action === 'cancel' ? 'kill' : 'killFirst', { count, n: count.toLocaleString(i18n.language) })}</b>
      {plan.action === 'cancel' && ` ${t('asItGoes')}`}
    </p>
  );
}

/** A list with more rows than this scrolls by itself, renders only its visible rows, and has a search field. */
const LONG = 40;

interface PlanRowsProps {
  plan: RepairPlan;
  /** Their errors are quoted; empty for a plan that was applied before. */
  runs: readonly TaskRun[];
  /** The request names tasks. */
  named: boolean;
  /** Tasks whose rows differ from the plan that was shown before. */
  changed?: ReadonlySet<string>;
  /** Tasks that the plan's revision defines in another way. */
  different?: ReadonlySet<string>;
}

/** The task runs that a plan changes: the state of each, the reason, and the change. */
export function PlanRows({ plan, runs, named, changed, different }: PlanRowsProps) {
  const { t } = useTranslation('repair');
  const byNumber = useMemo(
    () => new Map(runs.flatMap((run) => [run, ...shardsOf(run)]).map((run) => [run.number, run])),
    [runs],
  );
  const renderRow = (row: PlanRow) => (
    <Row
      row={row}
      plan={plan}
      run={byNumber.get(row.number)}
      named={named}
      changed={!!changed?.has(rowName(row))}
      different={!!different?.has(row.task) && row.why !== 'new' && row.why !== 'removed'}
    />
  );
  if (plan.rows.length > LONG) return <LongList rows={plan.rows} renderRow={renderRow} />;
  return (
    <ul className={styles.rows} aria-label={t('rows')}>
      {plan.rows.map((row) => (
        <li key={row.number < 0 ? rowName(row) : row.number}>{renderRow(row)}</li>
      ))}
    </ul>
  );
}

function LongList({ rows, renderRow }: { rows: PlanRow[]; renderRow: (row: PlanRow) => ReactNode }) {
  const { t } = useTranslation('repair');
  const [text, setText] = useState('');
  const query = useDeferredValue(text).trim().toLowerCase();
  const nameOf = useTaskNames();
  const found = useMemo(
    () => rows.filter((row) => [rowName(row), nameOf(row.task)].some((text) => text.toLowerCase().includes(query))),
    [rows, query, nameOf],
  );
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the result is not passed to memoized components
  const list = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 53,
    overscan: 8,
    getItemKey: (i) => `${String(found[i]?.number)} ${found[i]?.task ?? ''}`,
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
        {query ? t('found', { count: found.length }) : ''}
      </p>
      <Box ref={scroller} className={styles.long} tabIndex={0} role="region" aria-label={t('rows')}>
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
              {renderRow(found[item.index] as PlanRow)}
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
  changed,
  different,
}: {
  row: PlanRow;
  plan: RepairPlan;
  run?: TaskRun;
  named: boolean;
  changed: boolean;
  different: boolean;
}) {
  const { t } = useTranslation(['repair', 'states']);
  const name = useTaskName(row.task);
  const cause = useTaskName(row.cause ?? '');
  const why = whyOf(row, plan, run, named, t);
  const from = row.from ? t(`states:${row.from}`) : t('new');
  return (
    <div className={styles.row} data-kill={row.kill} data-changed={changed}>
      <Glyph state={row.from ?? 'none'} />
      <div>
        <b>{name}</b>
        {(name !== row.task || row.shard !== undefined) && (
          <code className={styles.key}>{row.shard === undefined ? row.task : shardName(row.task, row.shard)}</code>
        )}
        {changed && <span className={styles.tag}>{t('changed')}</span>}
        {different && <span className={styles.tag}>{t('differs', { revision: plan.revision })}</span>}
        <p>{t(`why.${why.key}`, { ...why.values, cause })}</p>
      </div>
      <span className={styles.change}>{t(`change.${changeOf(row)}`, { from })}</span>
    </div>
  );
}

/** How many names of a group are shown while it is folded, and while it is unfolded. */
const FOLDED_NAMES = 12;
const UNFOLDED_NAMES = 500;
/** With more doubtful runs than this, one checkbox covers all of them. */
const SEPARATE_DOUBTS = 8;

interface UnchangedProps {
  plan: RepairPlan;
  runs: readonly TaskRun[];
  disabled: boolean;
  /** Asks for a plan that runs these unchanged tasks again. Undefined if the action cannot rerun tasks. */
  onRerun?: (tasks: string[]) => void;
}

/** The runs that a plan does not change, with warnings about them. */
function UnchangedRuns({ plan, runs, disabled, onRerun }: UnchangedProps) {
  const { t } = useTranslation(['repair', 'states']);
  const nameOf = useTaskNames();
  const groups = unchangedGroups(plan, runs);
  const redefined = plan.kept.filter((k) => k.changed).map((k) => nameOf(k.task));
  const doubts = onRerun ? doubtful(plan) : [];
  return (
    <>
      {groups.length > 0 && (
        <section className={styles.kept} aria-label={t('kept.title')}>
          {groups.map((group) => (
            <Group key={group.state} group={group} />
          ))}
          <p>{t(groups.every((g) => g.state === 'succeeded') ? 'kept.label' : 'kept.labelOther')}</p>
          {redefined.length > 0 && (
            <p className={styles.warn}>
              {t('kept.differ', {
                revision: plan.revision,
                tasks: redefined.slice(0, FOLDED_NAMES).join(', ') + (redefined.length > FOLDED_NAMES ? ' …' : ''),
              })}
            </p>
          )}
        </section>
      )}
      {doubts.length > 0 && onRerun && (
        <fieldset className={styles.doubts} disabled={disabled}>
          <legend>{t('kept.doubt')}</legend>
          {doubts.length > SEPARATE_DOUBTS ? (
            <Checkbox
              label={t('kept.doubtAll', { count: doubts.length })}
              checked={doubts.every((d) => d.again)}
              indeterminate={doubts.some((d) => d.again) && !doubts.every((d) => d.again)}
              onChange={(event) => {
                onRerun(event.currentTarget.checked ? doubts.map((d) => d.task) : []);
              }}
            />
          ) : (
            doubts.map((d) => (
              <Checkbox
                key={d.task}
                label={t('kept.doubtOne', { task: nameOf(d.task), cause: nameOf(d.cause) })}
                checked={d.again}
                onChange={(event) => {
                  const others = doubts
                    .filter((other) => other.again && other.task !== d.task)
                    .map((other) => other.task);
                  onRerun(event.currentTarget.checked ? [...others, d.task] : others);
                }}
              />
            ))
          )}
        </fieldset>
      )}
    </>
  );
}

function Group({ group }: { group: UnchangedGroup }) {
  const { t } = useTranslation(['repair', 'states']);
  const nameOf = useTaskNames();
  const [open, setOpen] = useState(false);
  const hidden = group.tasks.length - FOLDED_NAMES;
  const shown = group.tasks.slice(0, open ? UNFOLDED_NAMES : FOLDED_NAMES);
  return (
    <div className={styles.group}>
      <Glyph state={group.state} />
      <span>
        <span className="hg-visually-hidden">{`${t(`states:${group.state}`)}: `}</span>
        {shown.map(nameOf).join(', ')}
        {open &&
          group.tasks.length > UNFOLDED_NAMES &&
          ` … ${t('kept.more', { count: group.tasks.length - UNFOLDED_NAMES })}`}
        {hidden > 0 && (
          <>
            {' '}
            <UnstyledButton
              className={styles.fold}
              aria-expanded={open}
              onClick={() => {
                setOpen(!open);
              }}
            >
              {open ? t('kept.less') : t('kept.more', { count: hidden })}
            </UnstyledButton>
          </>
        )}
      </span>
    </div>
  );
}
