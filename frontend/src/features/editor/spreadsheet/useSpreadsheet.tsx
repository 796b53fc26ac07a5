import { type ReactNode, useCallback, useState } from 'react';
import { loadTexts } from '@/i18n';
import { lazyPreload } from '@/ui';

const SpreadsheetDialog = lazyPreload(async () => {
  const [loaded] = await Promise.all([import('./SpreadsheetDialog'), loadTexts('spreadsheet')]);
  return loaded.SpreadsheetDialog;
});

/** The rows that are pasted; without a text the dialog asks for it. */
interface Pasted {
  text?: string;
  /** The job for new tasks. */
  into?: string;
}

/** Opens the dialog that makes tasks of the rows of a spreadsheet. Render `node` once in the view. */
export function useSpreadsheet(): { open: (pasted: Pasted) => void; node: ReactNode } {
  const [request, setRequest] = useState<Pasted & { turn: number }>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((pasted: Pasted) => {
    setRequest((before) => ({ ...pasted, turn: (before?.turn ?? 0) + 1 }));
    setOpened(true);
  }, []);
  const node = request && (
    <SpreadsheetDialog
      key={request.turn}
      text={request.text}
      into={request.into}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
    />
  );
  return { open, node };
}
