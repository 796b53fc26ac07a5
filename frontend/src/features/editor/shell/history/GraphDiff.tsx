import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Diff, type Doc, type Job, type Task, type TaskChange, tasksOf } from '@/document';
import { edgeKey, type GraphTask, type TaskGraph, toGraph } from '@/graph';
import { CardFrame, newSceneStore, Scene, type SceneRenderer } from '@/scene';
import { ChangeList, ChangeMark, type Mark } from '../ChangeList';
import { useFieldTexts } from '../fieldTexts';
import styles from './History.module.css';

interface Changes {
  byKey: ReadonlyMap<string, TaskChange>;
  removedNeedsOf: ReadonlyMap<string, readonly string[]>;
}

const ChangesContext = createContext<Changes>({ byKey: new Map(), removedNeedsOf: new Map() });
/** The states whose colours the overview uses for the marks. */
const OVERVIEW_STATES: Record<Mark, string> = {
  added: 'succeeded',
  removed: 'failed',
  changed: 'running',
  moved: 'ready',
};

/** Two documents in one drawing, which marks added, removed, changed and moved tasks by icon, text and colour. */
export function GraphDiff({ before, after, diff }: { before: Doc; after: Doc; diff: Diff }) {
  const { t } = useTranslation('editor');
  const { graph, removedEdges, removedNeedsOf } = useMemo(() => drawingOf(before, after, diff), [before, after, diff]);
  const marks = useMemo(() => marksOf(diff), [diff]);
  const changes = useMemo(
    (): Changes => ({ byKey: new Map(diff.tasks.map((task) => [task.key, task])), removedNeedsOf }),
    [diff, removedNeedsOf],
  );
  const [sceneStore] = useState(newSceneStore);
  const [picked, setPicked] = useState<string>();
  const renderer = useMemo(
    (): SceneRenderer => ({
      Card: DiffCard,
      stateOf: (key) => {
        const mark = marks.get(key);
        return mark ? OVERVIEW_STATES[mark] : 'none';
      },
      failureEdges: () => [],
      removedEdges,
      subscribe: () => () => undefined,
      firstTask: () => [...marks.keys()][0],
    }),
    [marks, removedEdges],
  );
  useEffect(() => {
    sceneStore.setState({ selected: new Set(picked === undefined ? [] : [picked]) });
  }, [sceneStore, picked]);
  const change = picked === undefined ? undefined : changes.byKey.get(picked);
  return (
    <ChangesContext value={changes}>
      <div className={styles.graph}>
        <Scene
          graph={graph}
          renderer={renderer}
          sceneStore={sceneStore}
          selected={picked}
          onSelect={setPicked}
          label={t('history.graph')}
          help={t('history.graphHelp')}
          empty={t('history.noTasks')}
        />
      </div>
      {removedEdges.size > 0 && (
        <p className={styles.legend}>
          <svg width="26" height="8" aria-hidden="true">
            <path d="M1 4h24" />
          </svg>
          {t('history.gone', { count: removedEdges.size })}
        </p>
      )}
      {change && (
        <div className={styles.detail}>
          <ChangeList diff={{ head: [], jobs: [], tasks: [change], count: 1 }} />
        </div>
      )}
    </ChangesContext>
  );
}

function DiffCard({ task, job, width }: { task: GraphTask; job: string; width: number }) {
  const { t } = useTranslation('editor');
  const { label } = useFieldTexts();
  const { byKey, removedNeedsOf } = useContext(ChangesContext);
  const change = byKey.get(task.key);
  const removedNeeds = removedNeedsOf.get(task.key);
  const removedText = removedNeeds && t('history.freed', { tasks: removedNeeds.join(', ') });
  // Screen readers announce the number of its present needs, so removed ones are left out.
  const taskNow = useMemo(
    () => (removedNeeds ? { ...task, needs: task.needs.slice(0, -removedNeeds.length) } : task),
    [task, removedNeeds],
  );
  const mark = change && markOf(change);
  const line = mark
    ? [
        t(`mark.${mark}`),
        ...(change?.fields.map(({ field }) => label(field, (change.after ?? change.before)?.handler)) ?? []),
      ].join(' · ')
    : task.handler;
  return (
    <CardFrame
      task={taskNow}
      job={job}
      width={width}
      state="none"
      data={{ 'data-diff': mark ?? 'none' }}
      tooltipLines={[mark && line, removedText]}
      spoken={removedText}
      sign={mark ? <ChangeMark kind={mark} bare /> : <span className={styles.same} aria-hidden="true" />}
      line={<span className={styles.line}>{line}</span>}
    />
  );
}

/** The mark of each changed task, by its key. */
export function marksOf(diff: Diff): ReadonlyMap<string, Mark> {
  return new Map(diff.tasks.map((change) => [change.key, markOf(change)]));
}

/** The mark of a changed task. A task that was moved and changed is marked as changed. */
const markOf = ({ kind, fields, movedFrom }: TaskChange): Mark =>
  kind === 'changed' && fields.length === 0 && movedFrom !== undefined ? 'moved' : kind;

/** The later document with the removed jobs and tasks at their former positions, so that one drawing shows both. */
export function union(before: Doc, after: Doc, diff: Diff): Doc {
  const removedJobs = new Set(diff.jobs.filter((job) => job.kind === 'removed').map((job) => job.key));
  const removedTasks = new Set(diff.tasks.filter((task) => task.kind === 'removed').map((task) => task.key));
  const names = new Map(
    diff.jobs.flatMap((job) => (job.renamedFrom === undefined ? [] : [[job.renamedFrom, job.key] as const])),
  );
  const jobs: Job[] = after.jobs.map((job) => ({ ...job, tasks: [...(job.tasks ?? [])] }));
  const presentKeys = new Set(jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)));
  before.jobs.forEach((job, j) => {
    const removed = (job.tasks ?? []).filter((task) => removedTasks.has(task.key) && !presentKeys.has(task.key));
    if (removedJobs.has(job.key)) {
      const next = before.jobs
        .slice(j + 1)
        .map((later) => jobs.findIndex((one) => one.key === (names.get(later.key) ?? later.key)))
        .find((at) => at >= 0);
      jobs.splice(next ?? jobs.length, 0, { ...job, tasks: removed });
    } else {
      const target = jobs.find((one) => one.key === (names.get(job.key) ?? job.key));
      if (target) target.tasks = withRemoved(target.tasks ?? [], job.tasks ?? [], removed);
    }
  });
  return { ...after, jobs };
}

/** The drawing of two documents. */
export interface Drawing {
  graph: TaskGraph;
  /** The removed dependencies, as `from>to`; the graph contains them as well. */
  removedEdges: ReadonlySet<string>;
  /** For each remaining task, the keys of the tasks that it no longer needs. */
  removedNeedsOf: ReadonlyMap<string, readonly string[]>;
}

/**
 * The graph of both documents. Removed dependencies neither make a present one redundant, nor are they left out as
 * redundant.
 */
export function drawingOf(before: Doc, after: Doc, diff: Diff): Drawing {
  const names = new Map(
    diff.tasks.flatMap((task) => (task.renamedFrom === undefined ? [] : [[task.renamedFrom, task.key] as const])),
  );
  const keyNow = (key: string) => names.get(key) ?? key;
  const removed = new Set(diff.tasks.filter((task) => task.kind === 'removed').map((task) => task.key));
  const needsNow = new Map(tasksOf(after).map((task) => [task.key, task.needs ?? []]));
  const needsBefore = new Map(tasksOf(before).map((task) => [keyNow(task.key), (task.needs ?? []).map(keyNow)]));
  const both = union(before, after, diff);
  const graph = toGraph({
    ...both,
    jobs: both.jobs.map((job) => ({
      ...job,
      tasks: job.tasks?.map((task) => (removed.has(task.key) ? { ...task, needs: needsBefore.get(task.key) } : task)),
    })),
  });
  const laneOf = new Map(graph.jobs.flatMap((job, lane) => job.tasks.map((task) => [task.key, lane] as const)));
  const removedEdges = new Set<string>();
  const removedNeedsOf = new Map<string, readonly string[]>();
  const jobs = graph.jobs.map((job, lane) => ({
    ...job,
    tasks: job.tasks.map((task) => {
      const { key, needs } = task;
      // The graph holds only downward dependencies. If lanes were moved, a removed dependency may run upwards: only the
      // list shows it.
      const removedNeeds = removed.has(key)
        ? needs
        : (needsBefore.get(key) ?? []).filter(
            (need) => !needsNow.get(key)?.includes(need) && (laneOf.get(need) ?? lane) < lane,
          );
      for (const need of removedNeeds) removedEdges.add(edgeKey(need, key));
      if (removed.has(key) || removedNeeds.length === 0) return task;
      removedNeedsOf.set(key, removedNeeds);
      return { ...task, needs: [...needs, ...removedNeeds] };
    }),
  }));
  return { graph: { ...graph, jobs }, removedEdges, removedNeedsOf };
}

/** The tasks of a job with the removed tasks, each after its former predecessor. */
function withRemoved(current: readonly Task[], before: readonly Task[], removed: readonly Task[]): Task[] {
  const out = [...current];
  for (const task of removed) {
    const predecessor = before
      .slice(0, before.indexOf(task))
      .findLast((one) => out.some((other) => other.key === one.key));
    out.splice(predecessor ? out.findIndex((one) => one.key === predecessor.key) + 1 : 0, 0, task);
  }
  return out;
}
