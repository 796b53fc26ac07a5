import { memo, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { jobBundles, type TaskGraph } from '@/graph';
import { type VisibleRange, widened } from '../camera';
import { jobOfMark, useSceneContext, useSceneState } from '../sceneStore';
import { useMeasureName } from '../textWidth';
import type { Layout } from '../types';
import styles from './JobBars.module.css';
import { JobRow } from './JobRow';
import { OpenTiles } from './OpenTiles';
import { Ribbons } from './Ribbons';
import { useJobStates } from './useJobStates';

interface Props {
  graph: TaskGraph;
  layout: Layout;
  /** Only rows and ribbons in this range are mounted. */
  range: VisibleRange;
  editing: boolean;
  /** Opens or folds a job. */
  onToggle: (job: string) => void;
  /** The job under the pointer has changed. */
  onPoint: (job: string | undefined) => void;
}

/** The layer below the cards at the level of jobs: a row for each job, and ribbons between them. */
export const JobBars = memo(function JobBars({ graph, layout, range, editing, onToggle, onPoint }: Props) {
  const { renderer } = useSceneContext();
  const { t } = useTranslation('zoom');
  const states = useJobStates(graph, renderer);
  const bundles = useMemo(() => jobBundles(graph), [graph]);
  const measure = useMeasureName();
  const [over, setOver] = useState<string>();
  const active = useSceneState((s) => (s.focused ? jobOfMark(s.active) : undefined));
  const point = useCallback(
    (job: string | undefined) => {
      setOver(job);
      onPoint(job);
    },
    [onPoint],
  );
  // Ribbons and tiles cost more than a row, so they follow in larger steps.
  const { top, bottom } = widened(range);
  const wide = useMemo(() => ({ top, bottom }), [top, bottom]);
  const { bars } = layout;
  if (!bars) return null;
  const lanes = layout.lanes.filter((lane) => lane.y <= range.bottom && lane.y + lane.height >= range.top);
  return (
    <div className={styles.layer}>
      <div className={styles.paper} style={{ width: layout.width, height: layout.height }} aria-hidden="true" />
      <Ribbons
        graph={graph}
        layout={layout}
        bars={bars}
        range={wide}
        bundles={bundles}
        skipped={states.skipped}
        lit={over ?? active}
      />
      {lanes.map((lane) => (
        <JobRow
          key={lane.key}
          t={t}
          lane={lane}
          bars={bars}
          job={graph.jobs[lane.index]}
          counts={states.counts[lane.index]}
          editing={editing}
          narrow={layout.narrow}
          measure={measure}
          onToggle={onToggle}
          onPoint={point}
        />
      ))}
      <OpenTiles graph={graph} layout={layout} range={wide} />
    </div>
  );
});
