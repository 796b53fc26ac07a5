import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useMeasureName } from '@/scene';
import type { Line } from './grid';
import { AFTER_NAME, INDENT } from './layout';

/**
 * The width that the names need so that none is shortened, in pixels, with what stands before and after them. It is
 * measured only when the lines, their names or the font change: the grid renders at each move of the pointer.
 */
export function useLongestName(lines: readonly Line[], nameOf: (line: Line) => string): number {
  const { t } = useTranslation('runs');
  const measure = useMeasureName();
  return useMemo(() => {
    const { job, task, count } = AFTER_NAME;
    return lines.reduce((most, line) => {
      const after = line.kind === 'task' ? task : job + count + measure(t('tasks', { count: line.rows.length }));
      return Math.max(most, INDENT.wide + Math.ceil(measure(nameOf(line))) + after);
    }, 0);
  }, [lines, nameOf, measure, t]);
}
