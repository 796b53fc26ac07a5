import { type RefObject, useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Doc, type DocFault, faultText } from '@/document';
import { laneMark, newSceneStore, type SceneRenderer } from '@/scene';
import { isDrawer, useEditor, useFaults } from '../context';
import { type CanvasContextValue, newCanvasStore, newPointerStore, type TaskFault } from './canvasStore';
import { newEditActions } from './editActions';
import { LaneHead } from './LaneHead';
import { TaskCard } from './TaskCard';

/** Makes the stores of a canvas and keeps them in step with each other, with the document and with its faults. */
export function useCanvasStores(place: RefObject<HTMLElement | null>): {
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
  const renderer = useMemo(
    (): SceneRenderer => ({
      Card: TaskCard,
      Head: LaneHead,
      stateOf: (key) => (canvas.getState().faults.get(key)?.warning === false ? 'failed' : 'none'),
      hot: () => [],
      subscribe: (listener) =>
        canvas.subscribe((now, before) => {
          if (now.faults !== before.faults) listener();
        }),
      first: () => undefined,
    }),
    [canvas],
  );
  useTaskFaults(context);
  useActiveFollowsSelection(context);
  useGestureMarks(context, place);
  return { context, renderer };
}

/** Makes what is selected the active thing of the scene, so that the next key is about it. */
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
 * While something is dragged or connected: lights no trail, and names what is dragged in an attribute for the styles.
 */
function useGestureMarks({ canvas, sceneStore }: CanvasContextValue, place: RefObject<HTMLElement | null>): void {
  useEffect(
    () =>
      canvas.subscribe(({ gesture, connectingFrom }) => {
        const dragging = gesture.phase === 'dragging';
        sceneStore.setState({ noTrail: dragging || connectingFrom !== undefined });
        if (dragging) place.current?.setAttribute('data-drag', gesture.subject.kind);
        else place.current?.removeAttribute('data-drag');
      }),
    [canvas, sceneStore, place],
  );
}

/** Keeps the faults of each task as text by its key, so that a card hears of its own only. */
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
        warning: (before?.warning ?? true) && fault.warning === true,
      });
    }
    canvas.setState({ faults: byTask });
  }, [faults, canvas, store, t]);
}

const TASK_PATH = /^jobs\[(\d+)\]\.tasks\[(\d+)\]/;

/** The key of the task that a fault is about: the server names places, not keys. */
function taskAt(doc: Doc, { path }: DocFault): string | undefined {
  const [, job, task] = TASK_PATH.exec(path) ?? [];
  return task === undefined ? undefined : doc.jobs[Number(job)]?.tasks?.[Number(task)]?.key;
}
