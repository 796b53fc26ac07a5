import { type ReactNode, useCallback, useState } from 'react';
import { lazyPreload } from '@/ui';

const RunDialog = lazyPreload(async () => (await import('./RunDialog')).RunDialog);

interface Asked {
  turn: number;
  schedule: string;
  task?: string;
}

/** Runs of a schedule, or of one task of it, by hand. Render `node` once in the page. */
export function useRun(): { open: (schedule: string, task?: string) => void; node: ReactNode } {
  const [asked, setAsked] = useState<Asked>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((schedule: string, task?: string) => {
    setAsked((before) => ({ turn: (before?.turn ?? 0) + 1, schedule, task }));
    setOpened(true);
  }, []);
  const node = asked && (
    <RunDialog
      key={asked.turn}
      schedule={asked.schedule}
      task={asked.task}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
    />
  );
  return { open, node };
}
