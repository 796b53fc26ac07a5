import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { keys } from '@/api/queries';
import { lazyPreload } from '@/ui';
import type { Target } from './many';
import type { PlanAction } from './plan';

const ManyRepairDialog = lazyPreload(async () => (await import('./ManyRepairDialog')).ManyRepairDialog);

interface OpenRequest {
  /** Counts the openings, so that each one gets a new dialog. */
  turn: number;
  targets: readonly Target[];
  action: PlanAction;
}

/**
 * Opens the dialog that repairs several batches. Render `node` once in the page, which must have loaded the texts of
 * `runs`. `onRepaired` is called with each batch after its repair was carried out.
 */
export function useManyRepair(onRepaired: (batch: number) => void): {
  open: (targets: readonly Target[], action: PlanAction) => void;
  node: ReactNode;
} {
  const queries = useQueryClient();
  const [current, setCurrent] = useState<OpenRequest>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((targets: readonly Target[], action: PlanAction) => {
    setCurrent((before) => ({ turn: (before?.turn ?? 0) + 1, targets, action }));
    setOpened(true);
  }, []);
  const applied = (batch: number) => {
    for (const queryKey of [keys.batch(batch), keys.batches, keys.schedules, keys.overview])
      void queries.invalidateQueries({ queryKey });
    onRepaired(batch);
  };
  const node = current && (
    <ManyRepairDialog
      key={current.turn}
      targets={current.targets}
      action={current.action}
      opened={opened}
      onClose={() => {
        setOpened(false);
      }}
      onApplied={applied}
    />
  );
  return { open, node };
}
