import { useReactFlow } from '@xyflow/react';
import { type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import { type JobBundle, jobBundles } from '@/graph';
import { READABLE, reveal, type Size, uncovered, type View } from '../camera';
import type { SceneProps } from '../sceneApi';
import { useSceneContext } from '../sceneStore';
import type { Layout } from '../types';
import { layoutJobs, openJob } from './jobsLayout';
import { barHeight, jobOfTask, laneAtHeight, opensAsJobs, viewOfBar, viewOfLane, type Zooms, zoomsOf } from './level';

/** Given the view before a change of the layout, returns the view after it. */
export type Jump = (before: View, layout: Layout) => View;

/** The level of a scene, and the ways to other levels. */
export interface Level {
  /** The layout of the level; undefined until it is ready. */
  layout?: Layout;
  /** The level of jobs is shown. */
  jobs: boolean;
  /** The key of the open job, at the level of jobs. */
  open?: string;
  zooms: Zooms;
  bundles: readonly JobBundle[];
  /** The next change of the layout moves the view by this. */
  jump: RefObject<Jump | undefined>;
  /** Opens a job, or folds it if it is open. Its bar keeps its place. */
  toggle: (job: string) => void;
  /** Folds the open job. */
  fold: () => void;
  /** Opens the job of a task, and shows the task. */
  openFor: (task: string) => void;
  toJobs: () => void;
  /** Leaves the level of jobs for cards or tiles: at the job under the pointer, or else in the middle. */
  toTasks: (zoom: number) => void;
  /** Notes the job under the pointer. */
  point: (job: string | undefined) => void;
}

interface Options extends Omit<SceneProps, 'children'> {
  /** The layout of cards and tiles; undefined until it is ready. */
  layout?: Layout;
  size: Size;
}

/** The level that a scene shows. A large graph opens at the level of jobs, with the job of the selected task open. */
export function useLevel(props: Options): Level {
  const { graph, layout: full, size, selected, reveal: revealed, savedView, coveredRight = 0, coveredTop = 0 } = props;
  const flow = useReactFlow();
  const { sceneStore } = useSceneContext();
  const [state, setState] = useState((): { jobs: boolean; open?: string } => {
    const saved = savedView?.current;
    if (saved) return { jobs: saved.jobs !== undefined, open: saved.jobs?.open };
    return { jobs: opensAsJobs(graph), open: jobOfTask(graph, revealed ?? selected) };
  });
  const [seen, setSeen] = useState({ selected, revealed });
  if (seen.selected !== selected || seen.revealed !== revealed) {
    setSeen({ selected, revealed });
    const job = jobOfTask(graph, seen.revealed === revealed ? selected : revealed);
    if (job !== undefined && job !== state.open) setState({ ...state, open: job });
  }
  const { jobs, open } = state;
  const folded = useJobsLayout(props, open);
  const layout = jobs ? folded : full;
  const zooms = useMemo(
    () => zoomsOf(graph, full, uncovered(size, coveredRight, coveredTop)),
    [graph, full, size, coveredRight, coveredTop],
  );
  const bundles = useMemo(() => jobBundles(graph), [graph]);
  const jump = useRef<Jump>(undefined);
  const pointed = useRef<string>(undefined);

  const setOpen = useCallback(
    (job: string | undefined, kept: string | undefined) => {
      const before = folded.lanes.find((lane) => lane.key === kept);
      jump.current = (view, after) => {
        const lane = after.lanes.find((each) => each.key === kept);
        return before && lane ? { ...view, y: view.y + (before.y - lane.y) * view.zoom } : view;
      };
      setState({ jobs: true, open: job });
    },
    [folded],
  );
  const ways = useMemo(
    (): Pick<Level, 'toggle' | 'fold' | 'openFor' | 'toJobs' | 'toTasks' | 'point'> => ({
      toggle: (job) => {
        setOpen(job === open ? undefined : job, job);
      },
      fold: () => {
        setOpen(undefined, open);
      },
      openFor: (task) => {
        jump.current = (view, after) => {
          const box = after.boxes.get(task);
          return box ? reveal(view, box, after, size, coveredRight, coveredTop) : view;
        };
        setState({ jobs: true, open: jobOfTask(graph, task) });
      },
      toJobs: () => {
        if (!full) return;
        const lane = laneAtHeight(full, flow.getViewport(), size.height / 2);
        jump.current = (_, after) => viewOfBar(after, lane?.key, size.height / 2, size);
        setState({ jobs: true });
      },
      toTasks: (zoom) => {
        if (!full) return;
        const view = flow.getViewport();
        const key = pointed.current ?? open;
        const lane =
          folded.lanes.find((each) => each.key === key) ?? laneAtHeight(folded, view, size.height / 2) ?? undefined;
        const at = { zoom, height: lane ? barHeight(folded, lane, view) : 0 };
        const { active } = sceneStore.getState();
        const task = active !== undefined && jobOfTask(graph, active) === lane?.key ? active : undefined;
        jump.current = (_, after) => viewOfLane(after, { job: lane?.key, task }, at, size);
        pointed.current = undefined;
        setState({ jobs: false });
      },
      point: (job) => {
        pointed.current = job;
      },
    }),
    [flow, sceneStore, graph, full, folded, open, size, coveredRight, coveredTop, setOpen],
  );
  return { layout, jobs, open, zooms, bundles, jump, ...ways };
}

/** The layout of the level of jobs. Its order is that of the states when the job was opened. */
function useJobsLayout({ graph, size, editing = false }: Options, open: string | undefined): Layout {
  const { renderer } = useSceneContext();
  const opened = useMemo(() => {
    const job = graph.jobs.find(({ key }) => key === open);
    return job && openJob(job, renderer.stateOf, editing);
  }, [graph, open, editing, renderer]);
  return useMemo(() => layoutJobs(graph, size, opened), [graph, size, opened]);
}

/** The zooms of cards and tiles that a person can choose. Tiles are left out if all cards are readable. */
export const CHOSEN_ZOOMS = { cards: Math.max(READABLE, 0.8), tiles: 0.4 } as const;
