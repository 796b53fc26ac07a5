import { useState } from 'react';
import type { Grid, Line } from './grid';
import type { Place } from './marks';

const lineKey = (line: Line | undefined) => line && (line.kind === 'job' ? `job ${line.job}` : `task ${line.row.task}`);

/**
 * The current cell, which stays within the grid. It begins at the newest batch, or follows the chosen place. A new
 * batch moves the columns, and the cell goes with its batch and its line.
 */
export function useCursor(grid: Grid, lines: readonly Line[], chosen: Place | undefined) {
  const [wanted, setWanted] = useState<Place & { batch?: number; line?: string }>();
  const found = (index: number, before: number) => (index < 0 ? before : index);
  const at = wanted
    ? {
        x: found(
          grid.batches.findIndex(({ id }) => id === wanted.batch),
          wanted.x,
        ),
        y: found(
          lines.findIndex((line) => lineKey(line) === wanted.line),
          wanted.y,
        ),
      }
    : (chosen ?? { x: Infinity, y: 0 });
  const within = (v: number, count: number) => Math.max(0, Math.min(v, count - 1));
  const place: Place = { x: within(at.x, grid.batches.length), y: within(at.y, lines.length) };
  const setCursor = (next: Place) => {
    setWanted({ ...next, batch: grid.batches[next.x]?.id, line: lineKey(lines[next.y]) });
  };
  return [place, setCursor] as const;
}
