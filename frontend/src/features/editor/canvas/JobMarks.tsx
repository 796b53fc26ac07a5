import { useMemo } from 'react';
import type { GraphJob } from '@/graph';
import { ChosenBy } from '../presence/ChosenBy';
import { namesOfAny } from '../presence/people';
import { useCanvasState, useCardTexts } from './canvasStore';

/** Who else has chosen tasks of a job, where the cards of the tasks are not drawn. */
export function JobMarks({ job, spoken }: { job: GraphJob; spoken?: boolean }) {
  const { t } = useCardTexts();
  const tasks = useMemo(() => new Set(job.tasks.map(({ key }) => key)), [job]);
  const names = useCanvasState((s) => namesOfAny(s.chosenBy, tasks))?.split('\n');
  if (!names) return null;
  const text = t('lane.chosenBy', { names: names.join(', ') });
  return spoken ? <span className="hg-visually-hidden">{` (${text})`}</span> : <ChosenBy names={names} title={text} />;
}
