import { type ReactNode, useCallback, useState } from 'react';
import { lazyPreload } from '@/ui';

export { ParamFields } from './ParamFields';
export { changedParams, fieldsOf, paramFaults, type Typed } from './params';

const RunDialog = lazyPreload(async () => (await import('./RunDialog')).RunDialog);

/** The run that the dialog was last opened for. */
interface OpenRequest {
  /** Counts the openings, so that each one gets a new dialog. */
  turn: number;
  schedule: string;
  task?: string;
}

/** Opens the dialog that runs a schedule, or one task of it. Render `node` once in the page. */
export function useRun(): { open: (schedule: string, task?: string) => void; node: ReactNode } {
  const [request, setRequest] = useState<OpenRequest>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((schedule: string, task?: string) => {
    setRequest((before) => ({ turn: (before?.turn ?? 0) + 1, schedule, task }));
    setOpened(true);
  }, []);
  const node = request && (
    <RunDialog
      key={request.turn}
      schedule={request.schedule}
      task={request.task}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
    />
  );
  return { open, node };
}
