import { UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/api/problem';
import { RunActions } from '@/features/task';
import type { TaskRun } from '@/live';
import {
  Ago,
  Glyph,
  isDeclared,
  reasonText,
  type ShownState,
  shownState,
  STATE_ORDER,
  useTaskName,
  type UsualRun,
} from '@/ui';
import { RunDuration } from './RunDuration';
import type { BatchActions } from './Actions';
import styles from './List.module.css';

/** States whose tasks are listed. Other states show only their count until the user unfolds them. */
const LISTED: ReadonlySet<ShownState> = new Set([
  'failed',
  'unknown',
  'retrying',
  'running',
  'ready',
  'canceled',
  'skipped',
]);
/** How many tasks of one state are listed before the user unfolds it. */
const MAX_FOLDED = 12;

interface Props {
  runs: readonly TaskRun[];
  /** When the tasks usually run, by key. */
  usual: ReadonlyMap<string, UsualRun>;
  onSelect: (task: string) => void;
  /** Undefined if the batch cannot be repaired. */
  onRepair?: BatchActions['repair'];
}

/** The tasks of a batch on a phone, grouped by state. Failed tasks come first; succeeded ones are folded. */
export function List({ runs, usual, onSelect, onRepair }: Props) {
  const groups = new Map<ShownState, TaskRun[]>(STATE_ORDER.map((state) => [state, []]));
  for (const run of runs) groups.get(shownState(run))?.push(run);
  return (
    <div className={styles.list}>
      {[...groups].map(
        ([state, members]) =>
          members.length > 0 && (
            <Group key={state} state={state} runs={members} usual={usual} onSelect={onSelect} onRepair={onRepair} />
          ),
      )}
    </div>
  );
}

function Group({ state, runs, usual, onSelect, onRepair }: Props & { state: ShownState }) {
  const { t } = useTranslation('batch');
  const [open, setOpen] = useState(false);
  const listed = open ? runs : LISTED.has(state) ? runs.slice(0, MAX_FOLDED) : runs.length === 1 ? runs : [];
  const hidden = runs.length - listed.length;
  return (
    <>
      {listed.map((run) => (
        <Item key={run.key} run={run} usual={usual.get(run.key)} onSelect={onSelect} onRepair={onRepair} />
      ))}
      {hidden > 0 && (
        <Line
          state={state}
          onClick={() => {
            setOpen(true);
          }}
          expanded={false}
        >
          <b>{t('list.more', { count: hidden, context: state })}</b>
        </Line>
      )}
    </>
  );
}

function Line({
  state,
  byPerson,
  onClick,
  expanded,
  children,
}: {
  state: ShownState;
  byPerson?: boolean;
  onClick: () => void;
  expanded?: boolean;
  children: ReactNode;
}) {
  return (
    <UnstyledButton className={styles.line} onClick={onClick} aria-expanded={expanded}>
      <Glyph state={state} size={22} byPerson={byPerson} />
      <span className={styles.text} data-state={state}>
        {children}
      </span>
      <svg viewBox="0 0 8 12" width={7} height={11} aria-hidden="true">
        <path d={expanded === undefined ? 'M1.5 1l5 5-5 5' : 'M0 4l4 4 4-4'} />
      </svg>
    </UnstyledButton>
  );
}

interface ItemProps extends Omit<Props, 'runs' | 'usual'> {
  run: TaskRun;
  usual?: UsualRun;
}

function Item({ run, usual, onSelect, onRepair }: ItemProps) {
  const { t } = useTranslation('states');
  const state = shownState(run);
  const name = useTaskName(run.key);
  const cause = useTaskName(run.cause ?? '');
  const why = reasonText({ ...run, cause }, t);
  return (
    <>
      <Line
        state={state}
        byPerson={isDeclared(run)}
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
          <span>
            <RunDuration run={run} usual={usual} />
          </span>
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
      {onRepair && (run.state === 'failed' || run.reason === 'held') && (
        <div className={styles.actions}>
          <RunActions run={run} onRepair={onRepair} />
        </div>
      )}
    </>
  );
}
