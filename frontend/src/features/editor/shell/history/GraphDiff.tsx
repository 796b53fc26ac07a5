import { createContext, useContext, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Diff, type Doc, type Job, type Task, type TaskChange, tasksOf } from '@/document';
import { edgeKey, type GraphTask, type TaskGraph, toGraph } from '@/graph';
import { CardFrame, newSceneStore, Scene, type SceneRenderer } from '@/scene';
import { ChangeList, ChangeMark, type Mark } from '../ChangeList';
import { useFieldTexts } from '../fieldTexts';
import styles from './History.module.css';

interface Changes {
  of: ReadonlyMap<string, TaskChange>;
  freed: ReadonlyMap<string, readonly string[]>;
}

const ChangesContext = createContext<Changes>({ of: new Map(), freed: new Map() });
/** The states whose colours the overview uses for the marks. */
const OVERVIEW_STATES: Record<Mark, string> = { added: 'succeeded', removed: 'failed', changed: 'running', moved: 'ready' };

/** Two documents in one drawing: what was added, removed, changed and moved, by sign, word, line and colour. */
export function GraphDiff({ before, after, diff }: { before: Doc; after: Doc; diff: Diff }) {
  const { t } = useTranslation('editor');
  const { graph, gone, freed } = useMemo(() => drawingOf(before, after, diff), [before, after, diff]);
  const marks = useMemo(() => marksOf(diff), [diff]);
  const changes = useMemo(
    (): Changes => ({ of: new Map(diff.tasks.map((task) => [task.key, task])), freed }),
    [diff, freed],
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
      hot: () => [],
      gone,
      subscribe: () => () => undefined,
      first: () => [...marks.keys()][0],
    }),
    [marks, gone],
  );
  useEffect(() => {
    sceneStore.setState({ selected: new Set(picked === undefined ? [] : [picked]) });
  }, [sceneStore, picked]);
  const change = picked === undefined ? undefined : changes.of.get(picked);
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
      {gone.size > 0 && (
        <p className={styles.legend}>
          <svg width="26" height="8" aria-hidden="true">
            <path d="M1 4h24" />
          </svg>
          {t('history.gone', { count: gone.size })}
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

function DiffCard({ task, job }: { task: GraphTask; job: string }) {
  const { t } = useTranslation('editor');
  const { label } = useFieldTexts();
  const { of, freed } = useContext(ChangesContext);
  const change = of.get(task.key);
  const removedNeeds = freed.get(task.key);
  const removedText = removedNeeds && t('history.freed', { tasks: removedNeeds.join(', ') });
  // Screen readers announce the number of its present needs, so removed ones are left out.
  const taskNow = useMemo(() => (removedNeeds ? { ...task, needs: task.needs.slice(0, -removedNeeds.length) } : task), [task, removedNeeds]);
  const mark: Mark | undefined =
    change &&
    (change.kind === 'changed' && change.fields.length === 0 && change.movedFrom !== undefined ? 'moved' : change.kind);
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
      state="none"
      data={{ 'data-diff': mark ?? 'none' }}
      tooltipLines={[mark && line, removedText]}
      spoken={removedText}
      sign={mark ? <ChangeMark kind={mark} bare /> : <span className={styles.same} aria-hidden="true" />}
      line={<span className={styles.words}>{line}</span>}
    />
  );
}

/** The mark of each changed task, by its key. */
export function marksOf(diff: Diff): ReadonlyMap<string, Mark> {
  return new Map(
    diff.tasks.map((task): [string, Mark] => [
      task.key,
      task.kind === 'changed' && task.fields.length === 0 && task.movedFrom !== undefined ? 'moved' : task.kind,
    ]),
  );
}

/** The later document with the removed jobs and tasks at their former positions, so that one drawing shows both. */
export function union(before: Doc, after: Doc, diff: Diff): Doc {
  const goneJobs = new Set(diff.jobs.filter((job) => job.kind === 'removed').map((job) => job.key));
  const goneTasks = new Set(diff.tasks.filter((task) => task.kind === 'removed').map((task) => task.key));
  const names = new Map(
    diff.jobs.flatMap((job) => (job.renamedFrom === undefined ? [] : [[job.renamedFrom, job.key] as const])),
  );
  const jobs: Job[] = after.jobs.map((job) => ({ ...job, tasks: [...(job.tasks ?? [])] }));
  const presentKeys = new Set(jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)));
  before.jobs.forEach((job, j) => {
    const removed = (job.tasks ?? []).filter((task) => goneTasks.has(task.key) && !presentKeys.has(task.key));
    if (goneJobs.has(job.key)) {
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
  gone: ReadonlySet<string>;
  /** For each remaining task, the keys of the tasks that it no longer needs. */
  freed: ReadonlyMap<string, readonly string[]>;
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
  const gone = new Set<string>();
  const freed = new Map<string, readonly string[]>();
  const jobs = graph.jobs.map((job, lane) => ({
    ...job,
    tasks: job.tasks.map((task) => {
      const { key, needs } = task;
      // The graph holds only downward dependencies. If lanes were moved, a removed dependency may run upwards: only the
      // list shows it.
      const removedNeeds = removed.has(key)
        ? needs
        : (needsBefore.get(key) ?? []).filter((need) => !needsNow.get(key)?.includes(need) && (laneOf.get(need) ?? lane) < lane);
      for (const need of removedNeeds) gone.add(edgeKey(need, key));
      if (removed.has(key) || removedNeeds.length === 0) return task;
      freed.set(key, removedNeeds);
      return { ...task, needs: [...needs, ...removedNeeds] };
    }),
  }));
  return { graph: { ...graph, jobs }, gone, freed };
}

/** The tasks of a job with the removed tasks, each after its former predecessor. */
function withRemoved(now: readonly Task[], was: readonly Task[], gone: readonly Task[]): Task[] {
  const out = [...now];
  for (const task of gone) {
    const predecessor = was.slice(0, was.indexOf(task)).findLast((one) => out.some((other) => other.key === one.key));
    out.splice(predecessor ? out.findIndex((one) => one.key === predecessor.key) + 1 : 0, 0, task);
  }
  return out;
}
