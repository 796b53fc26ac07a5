import { loadTexts } from '@/i18n';
import { lazyPreload } from '@/ui';

/** The tasks of one batch, on an axis that other batches share. */
export const TasksOnAxis = lazyPreload(async () => {
  const [part] = await Promise.all([import('./timeline/TasksOnAxis'), loadTexts('batch', 'timeline')]);
  return part.TasksOnAxis;
});
