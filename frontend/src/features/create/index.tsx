import { type ReactNode, useCallback, useState } from 'react';
import { lazyPreload } from '@/ui';
import type { Initial } from './useCreate';

export { Drafts } from './Drafts';
export { nameFault, nameFrom } from './name';

const NewSchedule = lazyPreload(async () => (await import('./NewSchedule')).NewSchedule);

/**
 * Opens the dialog for a new schedule, which opens the draft of the schedule. `onCreated` is called afterwards. Render
 * `node` once in the page.
 */
export function useNewSchedule(onCreated?: () => void): { open: (initial?: Initial) => void; node: ReactNode } {
  const [request, setRequest] = useState<Initial & { turn: number }>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((initial: Initial = {}) => {
    setRequest((before) => ({ ...initial, turn: (before?.turn ?? 0) + 1 }));
    setOpened(true);
  }, []);
  const node = request && (
    <NewSchedule
      key={request.turn}
      initial={request}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
      onCreated={onCreated}
    />
  );
  return { open, node };
}
