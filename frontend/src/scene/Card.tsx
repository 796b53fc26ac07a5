import { createContext, memo, useContext, useState, useSyncExternalStore } from 'react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { GraphTask } from '@/graph';
import { RunStore, type TaskRun, useRun } from '@/live';
import {
  clock,
  doneShards,
  Elapsed,
  FINAL,
  Glyph,
  isDeclared,
  reasonText,
  ShardStrip,
  type ShownState,
  shownState,
  TookUsually,
  type UsualRun,
  useNow,
  useSpan,
  useTaskName,
  waitReasonText,
} from '@/ui';
import styles from './Card.module.css';
import { CardFrame, isTooLong } from './CardFrame';
import type { Turn } from './motion';

interface Runs {
  /** The state of the batch that is shown on the graph. */
  runs: RunStore;
  /** The names of states, looked up once for all cards. */
  stateName: TFunction<'states'>;
  /** When the tasks usually run, by key. Empty until it is known. */
  usual: ReadonlyMap<string, UsualRun>;
  /** The usual duration in words. */
  usually: (usual: UsualRun) => string;
  /** The texts of second lines. Each lookup of a card of its own would cost time while cards are mounted. */
  t: TFunction<readonly ['scene', 'states']>;
  /** A duration in words. */
  took: (ms: number, running?: boolean) => string;
}

/** Provides the runs of the batch to its cards. */
export const RunsContext = createContext<Runs | null>(null);

/** The card of a task in a batch, with its state and time. It renders again only if its own run changes. */
export const Card = memo(function Card({ task, job, width }: { task: GraphTask; job: string; width: number }) {
  const context = useContext(RunsContext);
  if (!context) throw new Error('a card of a batch needs its runs');
  const { runs, stateName, usually } = context;
  const run = useRun(runs, runs.numberOf(task.key));
  const state: ShownState = run ? shownState(run) : 'none';
  const usual = isCompared(run, state) ? context.usual.get(task.key) : undefined;
  const place = placeOf(run, state, width, usual, context);
  return (
    <CardFrame
      task={task}
      job={job}
      width={width}
      state={state}
      turn={useTurn(state)}
      sign={<Glyph state={state} byPerson={run && isDeclared(run)} />}
      tooltipLines={[stateName(state), run && reasonText(run, stateName), usual && usually(usual), place.hint]}
      line={
        <>
          <span className={styles.word} data-cut={isLong(run, state, stateName(state), width, usual) || undefined}>
            <Line
              task={task}
              run={run}
              state={state}
              word={stateName(state)}
              usual={usual}
              executor={place.shown}
              context={context}
            />
          </span>
          {run?.shards && (
            <span className={styles.attempts}>
              {doneShards(run.shards)}/{run.shards.length}
            </span>
          )}
          {run && run.attempts > 1 && <span className={styles.attempts}>×{run.attempts}</span>}
        </>
      }
    >
      {state === 'running' && <Progress run={run} />}
      {run?.shards && (
        <span className={styles.shards}>
          <ShardStrip shards={run.shards} />
        </span>
      )}
    </CardFrame>
  );
});

function Progress({ run }: { run?: TaskRun }) {
  if (run?.progress === undefined) return null;
  return (
    <span className={styles.progress}>
      <i style={{ transform: `scaleX(${Math.min(1, Math.max(0, run.progress))})` }} />
    </span>
  );
}

/** The executor of a running task: `hint` for the tooltip, and `shown` on the card if there is room. */
function placeOf(
  run: TaskRun | undefined,
  state: ShownState,
  width: number,
  usual: UsualRun | undefined,
  { t, usually }: Runs,
): { hint?: string; shown?: string } {
  if (state !== 'running' || !run?.executor) return {};
  const line = ['00:00', usual && usually(usual), run.executor].filter(Boolean).join(' · ');
  return {
    hint: t('scene:onExecutor', { name: run.executor }),
    shown: isTooLong(line, width) ? undefined : run.executor,
  };
}

/** The second line of the card of a task, where its card is not drawn. */
export function TaskLine({ task }: { task: GraphTask }) {
  const context = useContext(RunsContext);
  const run = useRun(context?.runs ?? NO_RUNS, context?.runs.numberOf(task.key));
  if (!context) return null;
  const state: ShownState = run ? shownState(run) : 'none';
  const usual = isCompared(run, state) ? context.usual.get(task.key) : undefined;
  return <Line task={task} run={run} state={state} word={context.stateName(state)} usual={usual} context={context} />;
}

/** The last change of a state while the card is mounted, if it is the start or the end of a run. */
function useTurn(state: ShownState): Turn | undefined {
  const [now, setNow] = useState<{ state: ShownState; turn?: Turn }>({ state });
  if (now.state !== state) {
    const ended = now.state === 'running' && FINAL.has(state);
    setNow({ state, turn: state === 'running' ? 'started' : ended ? 'ended' : undefined });
  }
  return now.turn;
}

/** Whether the duration of a run is compared with the usual one. A canceled run was not as long as its work. */
const isCompared = (run: TaskRun | undefined, state: ShownState): boolean =>
  run?.startedAt !== undefined &&
  !isDeclared(run) &&
  (state === 'running' || (run.finishedAt !== undefined && (state === 'succeeded' || state === 'failed')));

/** Durations from a second to an hour have short texts: two of them fit on the narrowest card. */
const SHORT = { from: 1000, to: 3_600_000 };

/** Whether the second line may be too long for the card. */
function isLong(
  run: TaskRun | undefined,
  state: ShownState,
  word: string,
  width: number,
  usual: UsualRun | undefined,
): boolean {
  if (!run) return isTooLong(word, width);
  if (run.shards !== undefined) return true; // the number of its shards stands beside it
  if (usual) return run.attempts > 1 || usual.took < SHORT.from || usual.took >= SHORT.to;
  return VARYING.has(state) || run.attempts > 1 || isDeclared(run) || isTooLong(word, width);
}

/** The states in which the second line is more than the name of the state. */
const VARYING: ReadonlySet<ShownState> = new Set(['retrying', 'ready', 'waiting']);

interface LineProps {
  task: GraphTask;
  run?: TaskRun;
  state: ShownState;
  word: string;
  usual?: UsualRun;
  /** The name of the executor that runs it, if there is room. */
  executor?: string;
  context: Runs;
}

/** The second line: why the task does not run yet, or the name of the state and the duration of the run. */
function Line(props: LineProps) {
  const { task, run, state, word, context } = props;
  const { t } = context;
  if (run && isDeclared(run)) return [word, reasonText(run, t)].filter(Boolean).join(' · ');
  if (run && state === 'retrying' && run.notBefore) return <RetryCountdown run={run} at={run.notBefore} />;
  if (run && state === 'ready') return <ReadyReason task={task} run={run} word={word} t={t} />;
  if (state === 'waiting' && task.needs.length > 0) return <WaitReason task={task} word={word} context={context} />;
  if (state === 'waiting' && task.waitsForAll)
    // Screen readers get it after the job.
    return (
      <>
        <span className={styles.spoken}>{word}</span>
        <span aria-hidden="true">{t('scene:needsAll')}</span>
      </>
    );
  return <StateAndDuration {...props} />;
}

function StateAndDuration({ run, state, word, usual, executor, context: { took } }: LineProps) {
  if (usual && run?.startedAt)
    return (
      <>
        <span className={styles.spoken}>{word} </span>
        <TookUsually
          from={run.startedAt}
          to={state === 'running' ? undefined : run.finishedAt}
          usual={usual}
          hidden={styles.spoken}
        />
        <OnExecutor name={executor} />
      </>
    );
  if (run?.startedAt && state === 'running') return <RunningFor word={word} from={run.startedAt} executor={executor} />;
  if (run?.startedAt && run.finishedAt && (state === 'succeeded' || state === 'failed' || state === 'canceled')) {
    return (
      <>
        {word} · {took(Date.parse(run.finishedAt) - Date.parse(run.startedAt))}
      </>
    );
  }
  return <>{word}</>;
}

/** How long a task has run, and where. The sign shows its state, so the executor may take the place of the word. */
function RunningFor({ word, from, executor }: { word: string; from: string; executor?: string }) {
  if (executor === undefined)
    return (
      <>
        {word} · <Elapsed from={from} />
      </>
    );
  return (
    <>
      <span className={styles.spoken}>{word} </span>
      <Elapsed from={from} />
      <OnExecutor name={executor} />
    </>
  );
}

const OnExecutor = ({ name }: { name?: string }) => name !== undefined && ` · ${name}`;

/** Why no executor takes a ready task. The sign shows its state, so only screen readers get that too. */
function ReadyReason({ task, run, word, t }: { task: GraphTask; run: TaskRun; word: string; t: Runs['t'] }) {
  const reason =
    run.hold === 'no_executor' ? t('scene:noExecutor', { group: task.group ?? 'default' }) : reasonText(run, t);
  return reason ? <Reason word={word} reason={reason} /> : <>{word}</>;
}

/** What a waiting task needs that has not ended. */
function WaitReason({ task, word, context: { runs, t } }: Pick<LineProps, 'task' | 'word' | 'context'>) {
  const pending = useSyncExternalStore(runs.subscribe, () => {
    const keys = task.needs.filter((key) => !FINAL.has(runs.getRun(runs.numberOf(key) ?? -1)?.state ?? 'none'));
    return `${String(keys.length)} ${keys[0] ?? ''}`;
  });
  const [count = '', first = ''] = pending.split(' ');
  const name = useTaskName(first);
  const more = Number(count) - 1;
  if (more < 0) return <>{word}</>;
  return (
    <Reason
      word={word}
      reason={more === 0 ? t('scene:waitsFor', { task: name }) : t('scene:waitsForMore', { task: name, count: more })}
    />
  );
}

function Reason({ word, reason }: { word: string; reason: string }) {
  return (
    <>
      <span className={styles.spoken}>{word} </span>
      {reason}
    </>
  );
}

const NO_RUNS = new RunStore();

/** Counts down to the next attempt, and then says what it waits for. */
function RetryCountdown({ run, at }: { run: TaskRun; at: string }) {
  const { t } = useTranslation(['scene', 'states']);
  const span = useSpan();
  const seconds = Math.ceil((Date.parse(at) - useNow()) / 1000);
  return (
    <>
      {seconds > 0
        ? t('againIn', { time: seconds < 60 ? span(seconds * 1000) : clock(seconds * 1000) })
        : run.hold
          ? t('againHeld', { why: waitReasonText(run.hold, t) })
          : t('againNow')}
    </>
  );
}
