import { useTranslation } from 'react-i18next';
import { exact, type ShownState, useTook } from '@/ui';
import { type Batch, type Cell, cellAt, type Grid, type Line, rowsOf, shares, statsOf } from './grid';

/** The state whose symbol stands for a cell in lists. */
export const SHOWN: Readonly<Record<Cell, ShownState>> = {
  s: 'succeeded',
  r: 'succeeded',
  m: 'succeeded',
  f: 'failed',
  c: 'canceled',
  k: 'skipped',
  n: 'ignored',
  i: 'ignored',
  w: 'waiting',
  y: 'ready',
  u: 'running',
  x: 'unknown',
  '.': 'none',
};

/** The name of a batch: its logical date. */
export function useMoment(zone: string | undefined): (batch: Batch) => string {
  return ({ moment }) => exact(moment, { zone });
}

/** One sentence about a cell: its batch, and the state and the duration of its task. */
export function useDescribe(zone: string | undefined): (grid: Grid, line: Line, x: number) => string {
  const { t } = useTranslation('runs');
  const took = useTook();
  const momentOf = useMoment(zone);
  return (grid, line, x) => {
    const batch = grid.batches[x];
    if (!batch) return '';
    const parts = [momentOf(batch), t('batch', { id: batch.id })];
    if (line.kind === 'job')
      parts.push(
        ...shares(line.rows, x).map(({ cell, count }) => t('share', { count, state: t(`cell.${wordOf(cell)}`) })),
      );
    else {
      parts.push(t(`cell.${wordOf(cellAt(line.row, x))}`));
      const ms = rowsOf(line)[0]?.took[x] ?? 0;
      const { usual } = statsOf(line);
      if (ms > 0) parts.push(usual ? t('tookUsually', { took: took(ms), usual: took(usual) }) : took(ms));
    }
    return parts.join(' · ');
  };
}

/** The key of the text of a cell, under `cell`. */
export const wordOf = (cell: Cell): Exclude<Cell, '.'> | 'none' => (cell === '.' ? 'none' : cell);
