import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/api/problem';
import { RunActions } from '@/features/task';
import type { TaskRun } from '@/live';
import { Ago, Elapsed, Glyph, reasonText, type ShownState, shownState, STATE_ORDER, useTaskName, useTook } from '@/ui';
import { durationOf, isUnderWay } from './table';
import type { BatchActions } from './useBatchActions';
import styles from './List.module.css';

/** States whose tasks are told one by one; of the others only how many there are, until somebody asks. */
const SHOWN: ReadonlySet<ShownState> = new Set([
  'failed',
  'unknown',
  'retrying',
  'running',
  'ready',
  'canceled',
  'skipped',
]);
/** Of one state, so many are told at most before somebody asks. */
const MOST = 12;

interface Props {
  runs: readonly TaskRun[];
  onSelect: (task: string) => void;
  onRepair: BatchActions['repair'];
}

/** The batch on a phone: what failed, with its error; what waits for it and what runs; the rest folded. */
export function List({ runs, onSelect, onRepair }: Props) {
  const groups = new Map<ShownState, TaskRun[]>(STATE_ORDER.map((state) => [state, []]));
  for (const run of runs) groups.get(shownState(run))?.push(run);
  return (
    <div className={styles.list}>
      {[...groups].map(
        ([state, of]) =>
          of.length > 0 && <Group key={state} state={state} runs={of} onSelect={onSelect} onRepair={onRepair} />,
      )}
    </div>
  );
}

function Group({ state, runs, onSelect, onRepair }: Props & { state: ShownState }) {
  const { t } = useTranslation('batch');
  const [open, setOpen] = useState(false);
  const shown = open ? runs : SHOWN.has(state) ? runs.slice(0, MOST) : runs.length === 1 ? runs : [];
  const rest = runs.length - shown.length;
  return (
    <>
      {shown.map((run) => (
        <Item key={run.key} run={run} onSelect={onSelect} onRepair={onRepair} />
      ))}
      {rest > 0 && (
        <Line
          state={state}
          onClick={() => {
            setOpen(true);
          }}
          expanded={false}
        >
          <b>{t('list.more', { count: rest, context: state })}</b>
        </Line>
      )}
    </>
  );
}

function Line({
  state,
  onClick,
  expanded,
  children,
}: {
  state: ShownState;
  onClick: () => void;
  expanded?: boolean;
  children: ReactNode;
}) {
  return (
    <UnstyledButton className={styles.line} onClick={onClick} aria-expanded={expanded}>
      <Glyph state={state} size={22} />
      <span className={styles.words} data-state={state}>
        {children}
      </span>
      <svg viewBox="0 0 8 12" width={7} height={11} aria-hidden="true">
        <path d={expanded === undefined ? 'M1.5 1l5 5-5 5' : 'M0 4l4 4 4-4'} />
      </svg>
    </UnstyledButton>
  );
}

function Item({ run, onSelect, onRepair }: Omit<Props, 'runs'> & { run: TaskRun }) {
  const { t } = useTranslation('states');
  const state = shownState(run);
  const name = useTaskName(run.key);
  const cause = useTaskName(run.cause ?? '');
  const why = reasonText({ ...run, cause }, t);
  const took = useTook();
  const ms = durationOf(run, 0);
  return (
    <>
      <Line
        state={state}
        onClick={() => {
          onSelect(run.key);
        }}
      >
        <b>{name}</b>
        <small>
          <span>
            {t(state)}
            {why && ` · ${why}`}
          </span>
          {isUnderWay(run) ? (
            <span>
              <Elapsed from={run.startedAt} />
            </span>
          ) : (
            ms !== undefined && <span>{took(ms)}</span>
          )}
          {run.state === 'failed' && run.finishedAt && <Ago at={run.finishedAt} />}
        </small>
      </Line>
      {run.error && (
        <UnstyledButton
          className={styles.error}
          onClick={() => {
            onSelect(run.key);
          }}
        >
          {errorText(run, t)}
        </UnstyledButton>
      )}
      {(run.state === 'failed' || run.reason === 'held') && (
        <div className={styles.actions}>
          <RunActions run={run} onRepair={onRepair} />
        </div>
      )}
    </>
  );
}
