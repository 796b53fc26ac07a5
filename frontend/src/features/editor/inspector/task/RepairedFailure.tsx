import { lazy, Suspense, useContext, useState } from 'react';
import { loadTexts } from '@/i18n';
import { useEditor } from '../../context';
import { SessionContext } from '../../shell/session';

const TaskFailure = lazy(async () => {
  const [{ TaskFailure: loaded }] = await Promise.all([import('@/features/task'), loadTexts('task')]);
  return { default: loaded };
});

/** The failures that the author has closed, by batch and task. They stay closed until the page is loaded again. */
const closed = new Set<string>();

/** How the task failed in the batch that the author repairs, until the repair is published or the author closes it. */
export function RepairedFailure({ task }: { task: string }) {
  const { batch } = useEditor().search;
  const published = useContext(SessionContext)?.publishedHere;
  const [, setClosings] = useState(0);
  const key = `${String(batch)} ${task}`;
  if (batch === undefined || published !== undefined || closed.has(key)) return null;
  return (
    <Suspense fallback={null}>
      <TaskFailure
        batch={batch}
        task={task}
        onClose={() => {
          closed.add(key);
          setClosings((count) => count + 1);
        }}
      />
    </Suspense>
  );
}
