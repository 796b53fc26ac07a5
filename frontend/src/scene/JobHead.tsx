import { useCallback, useContext, useMemo, useSyncExternalStore } from 'react';
import type { GraphJob } from '@/graph';
import type { RunStore, TaskRun } from '@/live';
import { clock, Glyph, useNow } from '@/ui';
import { RunsContext } from './Card';
import { type JobRollUp, rollUp } from './jobRollUp';
import { LaneTitle } from './LaneTitle';
import type { Lane } from './types';
import styles from './LanesAndEdges.module.css';

/** The head of a lane in a batch: its title, and what its tasks amount to, such as `12/40 · 03:12` with a glyph. */
export function JobHead({ lane, job }: { lane: Lane; job?: GraphJob }) {
  const sum = useRollUp(job);
  return <LaneTitle index={lane.index} job={job} note={sum && <Note sum={sum} />} />;
}

/** Returns a function that reads the roll-up of a job, as a text: equal texts are the same value for React. */
function readerOf(job: GraphJob | undefined, runs: RunStore | undefined): () => string {
  const allowed = new Set(job?.tasks.flatMap((task) => (task.allowFailure ? [task.key] : [])));
  let [version, text]: [number | undefined, string] = [undefined, 'null'];
  return () => {
    if (!runs || version === runs.getVersion()) return text; // React reads several times
    version = runs.getVersion();
    const list = job?.tasks.flatMap(({ key }): TaskRun | TaskRun[] => runs.getRun(runs.numberOf(key) ?? -1) ?? []);
    text = JSON.stringify(rollUp(list ?? [], allowed) ?? null);
    return text;
  };
}

/** The roll-up of a job. It renders again only if that changes, and not with each change of a run. */
function useRollUp(job: GraphJob | undefined): JobRollUp | undefined {
  const runs = useContext(RunsContext)?.runs;
  const read = useMemo(() => readerOf(job, runs), [job, runs]);
  const subscribe = useCallback((listener: () => void) => runs?.subscribe(listener) ?? (() => undefined), [runs]);
  const text = useSyncExternalStore(subscribe, read);
  return useMemo(() => (JSON.parse(text) as JobRollUp | null) ?? undefined, [text]);
}

function Note({ sum }: { sum: JobRollUp }) {
  const { state, done, total, startedAt, finishedAt } = sum;
  const from = startedAt && Date.parse(startedAt);
  return (
    <span className={styles.note} data-state={state}>
      <Glyph state={state} size={11} bare />
      {`${String(done)}/${String(total)}`}
      {from !== undefined && from !== '' && (
        <>
          {' · '}
          {finishedAt ? clock(Math.max(0, Date.parse(finishedAt) - from)) : <Since from={from} />}
        </>
      )}
    </span>
  );
}

/** The time since a moment. Only this component renders again with each tick of the clock. */
function Since({ from }: { from: number }) {
  return <>{clock(Math.max(0, useNow() - from))}</>;
}
