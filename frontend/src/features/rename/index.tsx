import { type ReactNode, useCallback, useState } from 'react';
import { lazyPreload } from '@/ui';

const RenameDialog = lazyPreload(async () => (await import('./RenameDialog')).RenameDialog);

/** Opens the dialog that renames a schedule. Render `node` once in the page. */
export function useRename(): { open: (name: string) => void; node: ReactNode } {
  const [request, setRequest] = useState<{ turn: number; name: string }>();
  const open = useCallback((name: string) => {
    setRequest((before) => ({ turn: (before?.turn ?? 0) + 1, name }));
  }, []);
  const node = request && (
    <RenameDialog
      key={request.turn}
      name={request.name}
      onClose={() => {
        setRequest(undefined);
      }}
    />
  );
  return { open, node };
}
