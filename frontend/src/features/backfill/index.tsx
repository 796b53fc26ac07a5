import { type ReactNode, useCallback, useState } from 'react';
import { loadTexts } from '@/i18n';
import { lazyPreload } from '@/ui';

export { BackfillOfBatches } from './Strip';

const BackfillDialog = lazyPreload(async () => {
  const [loaded] = await Promise.all([import('./BackfillDialog'), loadTexts('backfill')]);
  return loaded.BackfillDialog;
});

/** Opens the dialog that makes a backfill of a schedule. Render `node` once in the page. */
export function useBackfillDialog(): { open: (schedule: string) => void; node: ReactNode } {
  const [request, setRequest] = useState<{ turn: number; schedule: string }>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((schedule: string) => {
    setRequest((before) => ({ turn: (before?.turn ?? 0) + 1, schedule }));
    setOpened(true);
  }, []);
  const node = request && (
    <BackfillDialog
      key={request.turn}
      schedule={request.schedule}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
    />
  );
  return { open, node };
}
