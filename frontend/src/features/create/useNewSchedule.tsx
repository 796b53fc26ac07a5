import { type ReactNode, useCallback, useState } from 'react';
import { lazyPreload } from '@/ui';
import type { Beginning } from './NewSchedule';

const NewSchedule = lazyPreload(async () => (await import('./NewSchedule')).NewSchedule);

/** Asks for a new schedule, and goes to its draft; `onMade` hears of it. Render `node` once in the page. */
export function useNewSchedule(onMade?: () => void): { open: (beginning?: Beginning) => void; node: ReactNode } {
  const [asked, setAsked] = useState<Beginning & { turn: number }>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((beginning: Beginning = {}) => {
    setAsked((before) => ({ ...beginning, turn: (before?.turn ?? 0) + 1 }));
    setOpened(true);
  }, []);
  const node = asked && (
    <NewSchedule
      key={asked.turn}
      beginning={asked}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
      onMade={onMade}
    />
  );
  return { open, node };
}
