import { useStoreApi } from '@xyflow/react';
import { useEffect, useMemo, useRef } from 'react';
import type { Camera } from '../useCamera';
import { LEAVE_JOBS } from './level';
import type { Level } from './useLevel';

/** The camera of a scene with levels: its zooms lead from one level to the next. */
export function useLevelCamera(camera: Camera, level: Level, coveredTop: number): Camera {
  const flow = useStoreApi();
  useCrossing(level);
  const { jobs, zooms, toJobs, toTasks, fold } = level;
  return useMemo(
    (): Camera => ({
      ...camera,
      fit: () => {
        if (jobs) {
          fold();
          camera.goTo({ x: 0, y: coveredTop, zoom: 1 });
        } else if (zooms.all < zooms.jobs * 0.97) toJobs();
        else camera.fit();
      },
      zoomBy: (factor) => {
        const zoom = flow.getState().transform[2];
        if (jobs) {
          if (factor > 1) toTasks(entryZoom(level));
          else fold();
        } else if (zoom * factor < zooms.jobs) toJobs();
        else camera.zoomBy(factor);
      },
    }),
    [camera, flow, jobs, level, zooms, toJobs, toTasks, fold, coveredTop],
  );
}

/** The zoom at which a person who zooms in comes from jobs to tiles. */
const entryZoom = ({ zooms }: Level): number => Math.max(zooms.jobs * 1.2, zooms.least);

/** Changes the level when a person zooms beyond its end by wheel or fingers. */
function useCrossing(level: Level): void {
  const flow = useStoreApi();
  const latest = useRef(level);
  useEffect(() => {
    latest.current = level;
  });
  useEffect(
    () =>
      flow.subscribe((now, before) => {
        const [zoom, earlier] = [now.transform[2], before.transform[2]];
        if (zoom === earlier) return;
        const { jobs, zooms, toJobs, toTasks } = latest.current;
        if (jobs && zoom > LEAVE_JOBS && earlier <= LEAVE_JOBS && earlier >= 1) toTasks(entryZoom(latest.current));
        else if (!jobs && zoom < zooms.jobs && zoom < earlier) toJobs();
      }),
    [flow],
  );
}
