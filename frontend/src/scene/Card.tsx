import { createContext, memo, useContext } from 'react';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type { GraphTask } from '@/graph';
import { type RunStore, type TaskRun, useRun } from '@/live';
import { clock, Elapsed, Glyph, type ShownState, shownState, useNow, useSpan, useTook } from '@/ui';
import styles from './Card.module.css';
import { CardFrame, isTooLong } from './CardFrame';

interface Runs {
  /** The state of the batch that is shown on the graph. */
  runs: RunStore;
  /** The names of states, looked up once for all cards. */
  stateName: TFunction<'states'>;
}

/** Provides the runs of the batch to its cards. */
export const RunsContext = createContext<Runs | null>(null);

/** The card of a task in a batch, with its state and time. It renders again only if its own run changes. */
export const Card = memo(function Card({ task, job }: { task: GraphTask; job: string }) {
  const context = useContext(RunsContext);
  if (!context) throw new Error('a card of a batch needs its runs');
  const { runs, stateName } = context;
  const run = useRun(runs, runs.numberOf(task.key));
  const state: ShownState = run ? shownState(run) : 'none';
  return (
    <CardFrame
      task={task}
      job={job}
      state={state}
      sign={<Glyph state={state} />}
      tooltipLines={[stateName(state)]}
      line={
        <>
          <span
            className={styles.word}
            data-cut={state === 'retrying' || (run?.attempts ?? 0) > 1 || isTooLong(stateName(state)) || undefined}
          >
            <Line run={run} state={state} word={stateName(state)} />
          </span>
          {run && run.attempts > 1 && <span className={styles.attempts}>×{run.attempts}</span>}
        </>
      }
    >
      {state === 'running' && run?.progress !== undefined && (
        <span className={styles.progress}>
          <i style={{ transform: `scaleX(${Math.min(1, Math.max(0, run.progress))})` }} />
        </span>
      )}
    </CardFrame>
  );
});

/** The second line: the name of the state, and the duration of the run. */
function Line({ run, state, word }: { run?: TaskRun; state: ShownState; word: string }) {
  const took = useTook();
  if (run && state === 'retrying' && run.notBefore) return <RetryCountdown at={run.notBefore} />;
  if (run?.startedAt && state === 'running')
    return (
      <>
        {word} · <Elapsed from={run.startedAt} />
      </>
    );
  if (run?.startedAt && run.finishedAt && (state === 'succeeded' || state === 'failed' || state === 'canceled')) {
    return (
      <>
        {word} · {took(Date.parse(run.finishedAt) - Date.parse(run.startedAt))}
      </>
    );
  }
  return <>{word}</>;
}

/** Counts down to the next attempt. */
function RetryCountdown({ at }: { at: string }) {
  const { t } = useTranslation('scene');
  const span = useSpan();
  const seconds = Math.ceil((Date.parse(at) - useNow()) / 1000);
  return (
    <>
      {seconds > 0
        ? t('againIn', { time: seconds < 60 ? span(seconds * 1000) : clock(seconds * 1000) })
        : t('againNow')}
    </>
  );
}
