import { type RefObject, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Doc, type DocFault, faultKind, faultText, type Job, type Task, worseKind } from '@/document';
import { laneMark, newSceneStore, type SceneRenderer } from '@/scene';
import { type GraphTask, type TaskGraph, toGraph } from '@/graph';
import { isDrawer, useEditor, useFaults } from '../context';
import { namesByTask } from '../presence/people';
import { useOthers } from '../presence/PresenceProvider';
import { type CanvasContextValue, newCanvasStore, newPointerStore, type TaskFault } from './canvasStore';
import { newEditActions } from './editActions';
import { JobMarks } from './JobMarks';
import { LaneHead } from './LaneHead';
import { TaskCard } from './TaskCard';

/** Makes the stores of a canvas, and updates them from each other, from the document and from its faults. */
export function useCanvasStores(container: RefObject<HTMLElement | null>): {
  context: CanvasContextValue;
  renderer: SceneRenderer;
} {
  const { store } = useEditor();
  const [context] = useState((): CanvasContextValue => ({
    canvas: newCanvasStore(),
    sceneStore: newSceneStore(),
    pointer: newPointerStore(),
    edit: newEditActions(store, isDrawer),
  }));
  const { canvas } = context;
  const { t } = useTranslation('zoom');
  const renderer = useMemo(
    (): SceneRenderer => ({
      Card: TaskCard,
      Head: LaneHead,
      JobMarks,
      stateOf: (key) => (canvas.getState().faults.get(key)?.kind === 'wrong' ? 'failed' : 'none'),
      nameOfState: (state) => (state === 'failed' ? t('faulty') : ''),
      failureEdges: () => [],
      subscribe: (listener) =>
        canvas.subscribe((now, before) => {
          if (now.faults !== before.faults) listener();
        }),
      firstTask: () => undefined,
    }),
    [canvas, t],
  );
  useTaskFaults(context);
  useChosenBy(context);
  useActiveFollowsSelection(context);
  useGestureMarks(context, container);
  return { context, renderer };
}

/** Makes the selected task or job the active one of the scene, so that the next key applies to it. */
function useActiveFollowsSelection({ sceneStore }: CanvasContextValue): void {
  const { store } = useEditor();
  useEffect(() => {
    const follow = () => {
      const { tasks, job } = store.getState().selection;
      const { active } = sceneStore.getState();
      const task = tasks.includes(active ?? '') ? active : (tasks[0] ?? active);
      sceneStore.setState({ selected: new Set(tasks), active: job === undefined ? task : laneMark(job) });
    };
    follow();
    return store.subscribe((now, before) => {
      if (now.selection !== before.selection) follow();
    });
  }, [store, sceneStore]);
}

/**
 * Lights no trail during a drag or while a dependency is drawn. During a drag, it sets the kind of the subject as an
 * attribute for the styles.
 */
function useGestureMarks({ canvas, sceneStore }: CanvasContextValue, container: RefObject<HTMLElement | null>): void {
  useEffect(
    () =>
      canvas.subscribe(({ gesture, connectingFrom }) => {
        const dragging = gesture.phase === 'dragging';
        sceneStore.setState({ noTrail: dragging || connectingFrom !== undefined });
        if (dragging) container.current?.setAttribute('data-drag', gesture.subject.kind);
        else container.current?.removeAttribute('data-drag');
      }),
    [canvas, sceneStore, container],
  );
}

/** Stores the faults of each task as text by its key, so that a card renders only for its own faults. */
function useTaskFaults({ canvas }: CanvasContextValue): void {
  const { store } = useEditor();
  const faults = useFaults();
  const { t } = useTranslation('document');
  useEffect(() => {
    const byTask = new Map<string, TaskFault>();
    const { doc } = store.getState();
    for (const fault of faults) {
      const task = fault.task ?? taskAt(doc, fault);
      if (task === undefined) continue;
      const { message, remedy } = faultText(t, fault);
      const text = [message, remedy].filter(Boolean).join(' ');
      const before = byTask.get(task);
      byTask.set(task, {
        text: before ? `${before.text}\n${text}` : text,
        kind: worseKind(before?.kind ?? 'warning', faultKind(fault)),
      });
    }
    canvas.setState({ faults: byTask });
  }, [faults, canvas, store, t]);
}

/** Stores who else has chosen each task, so that a card renders only for its own. */
function useChosenBy({ canvas }: CanvasContextValue): void {
  const { others } = useOthers();
  useEffect(() => {
    canvas.setState({ chosenBy: namesByTask(others) });
  }, [others, canvas]);
}

const TASK_PATH = /^jobs\[(\d+)\]\.tasks\[(\d+)\]/;

/** The key of the task that has a fault. The server names positions instead of keys. */
function taskAt(doc: Doc, { path }: DocFault): string | undefined {
  const [, job, task] = TASK_PATH.exec(path) ?? [];
  return task === undefined ? undefined : doc.jobs[Number(job)]?.tasks?.[Number(task)]?.key;
}

/** The most graphs that are remembered, and the most letters of their texts. */
const [MAX_GRAPHS, MAX_GRAPH_LETTERS] = [60, 8_000_000];

/**
 * Returns a function that computes the graph of a document. Edits that change nothing drawn return the same object, and
 * so does an undone step: the scene then shows the picture from before the step. A new graph shares the objects of
 * unchanged tasks, so that only changed cards render.
 */
export function newGraphCache(): (doc: Doc) => TaskGraph {
  const written = new WeakMap<Job, string>();
  const textOf = (job: Job) => {
    const text = written.get(job) ?? JSON.stringify([job.key, job.title, job.disabled, (job.tasks ?? []).map(drawnOf)]);
    written.set(job, text);
    return text;
  };
  let jobs: readonly Job[] | undefined;
  let text = '';
  let graph: TaskGraph = { jobs: [], redundant: new Set() };
  const remembered = new Map<string, TaskGraph>();
  const remember = () => {
    remembered.delete(text);
    remembered.set(text, graph);
    const most = Math.min(MAX_GRAPHS, Math.ceil(MAX_GRAPH_LETTERS / Math.max(1, text.length)));
    for (const oldest of [...remembered.keys()].slice(0, Math.max(0, remembered.size - most)))
      remembered.delete(oldest);
  };
  return (doc) => {
    if (jobs === doc.jobs) return graph;
    jobs = doc.jobs;
    const now = doc.jobs.map(textOf).join('\n');
    if (now !== text || graph.jobs.length !== doc.jobs.length) {
      text = now;
      graph = remembered.get(text) ?? sharing(toGraph(doc), graph);
      remember();
    }
    return graph;
  };
}

/** The fields of a task on which its card, its edges and their redundancy depend. */
const drawnOf = ({ key, title, handler, needs, rule, allowFailure, disabled, when }: Task) => [
  key,
  title,
  handler,
  needs,
  rule,
  allowFailure,
  disabled,
  when,
];

/** Replaces the task objects of a graph by equal ones of an earlier graph. */
function sharing(graph: TaskGraph, before: TaskGraph): TaskGraph {
  const tasksBefore = new Map(before.jobs.flatMap((job) => job.tasks.map((task) => [task.key, task] as const)));
  const shared = (task: GraphTask) => {
    const old = tasksBefore.get(task.key);
    return old && alike(old, task) ? old : task;
  };
  return { ...graph, jobs: graph.jobs.map((job) => ({ ...job, tasks: job.tasks.map(shared) })) };
}

/** Whether two tasks of the same key have the same drawing. */
function alike(a: GraphTask, b: GraphTask): boolean {
  return (
    a.title === b.title &&
    a.handler === b.handler &&
    a.waitsForAll === b.waitsForAll &&
    a.needs.length === b.needs.length &&
    a.needs.every((need, i) => need === b.needs[i])
  );
}
