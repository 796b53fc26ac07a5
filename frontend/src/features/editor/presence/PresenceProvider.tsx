import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { meQuery } from '@/api/queries';
import { usePresence, WINDOW } from '@/live';
import { useDoc, useEditor } from '../context';
import { useSession } from '../shell/session';
import { type Other, othersOf, validTasks } from './people';

/** Who else has the schedule open. */
interface Others {
  others: readonly Other[];
  /** How many more there are, without their names. */
  more: number;
}

const OthersContext = createContext<Others>({ others: [], more: 0 });

/** Who else has the schedule open in the editor. */
export const useOthers = (): Others => useContext(OthersContext);

/** Tells the others who have the schedule open what this window does, and provides who they are. */
export function PresenceProvider({ children }: { children: ReactNode }) {
  const { name } = useEditor();
  const { changed, changes, draft } = useSession();
  const { data: me } = useQuery(meQuery);
  const chosen = useDoc((s) => s.selection.tasks);
  // Everything in a schedule without a revision is a change.
  const parts = useDoc((s) =>
    draft.base ? 0 : s.doc.jobs.reduce((sum, job) => sum + 1 + (job.tasks?.length ?? 0), 0),
  );
  const count = changed ? Math.max(1, changes, parts) : 0;
  const { people, more } = usePresence(
    name,
    useMemo(() => ({ changes: count, tasks: validTasks(chosen) }), [count, chosen]),
  );
  const others = useMemo(() => ({ others: othersOf(people, me?.name, WINDOW), more }), [people, more, me?.name]);
  return <OthersContext value={others}>{children}</OthersContext>;
}
