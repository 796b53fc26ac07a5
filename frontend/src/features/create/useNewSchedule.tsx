import { type ReactNode, useCallback, useState } from 'react';
import { lazyPreload } from '@/ui';
import type { Initial } from './useCreate';

const NewSchedule = lazyPreload(async () => (await import('./NewSchedule')).NewSchedule);

/**
 * Opens the dialog for a new schedule, which leads to its draft. `onMade` is called once the schedule is made. Render
 * `node` once in the page.
 */
export function useNewSchedule(onMade?: () => void): { open: (initial?: Initial) => void; node: ReactNode } {
  const [asked, setAsked] = useState<Initial & { turn: number }>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((initial: Initial = {}) => {
    setAsked((before) => ({ ...initial, turn: (before?.turn ?? 0) + 1 }));
    setOpened(true);
  }, []);
  const node = asked && (
    <NewSchedule
      key={asked.turn}
      initial={asked}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
      onMade={onMade}
    />
  );
  return { open, node };
}
