import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keys } from '@/api/queries';
import { lazyPreload, toast } from '@/ui';
import type { Command } from './calls';
import { countedRows, type RepairPlan, type RepairRequest } from './plan';

const RepairDialog = lazyPreload(async () => (await import('./RepairDialog')).RepairDialog);

/** The repair that the dialog was last opened for. */
interface OpenRequest {
  /** Counts the openings, so that each one gets a new dialog. */
  turn: number;
  batch: number;
  request: RepairRequest;
}

/**
 * Opens the repair dialog, which shows the plan of a repair before anything changes. Render `node` once in the page.
 * `onRepaired` is called with the batch after its repair was carried out.
 */
export function useRepair(onRepaired?: (batch: number) => void): {
  open: (batch: number, request: RepairRequest) => void;
  node: ReactNode;
} {
  const { t } = useTranslation('repair');
  const queries = useQueryClient();
  const [current, setCurrent] = useState<OpenRequest>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((batch: number, request: RepairRequest) => {
    setCurrent((before) => ({ turn: (before?.turn ?? 0) + 1, batch, request }));
    setOpened(true);
  }, []);
  const close = useCallback(() => {
    setOpened(false);
  }, []);
  const done = useCallback(
    (command: Command, plan: RepairPlan) => {
      setOpened(false);
      const text = doneText(command.plan ?? plan);
      toast(t(`done.${text.key}`, text.values));
      for (const queryKey of [keys.batch(plan.batch), keys.batches, keys.schedules, keys.overview])
        void queries.invalidateQueries({ queryKey });
      onRepaired?.(plan.batch);
    },
    [onRepaired, queries, t],
  );
  const node = current && (
    <RepairDialog
      key={current.turn}
      batch={current.batch}
      request={current.request}
      opened={opened}
      onClose={close}
      onDone={done}
    />
  );
  return { open, node };
}

/** The text after a plan was carried out: a key under `done`, with its values. */
export function doneText(plan: RepairPlan): {
  key: 'round' | 'cancelTasks' | 'close' | 'marked';
  values: { round: number; count: number };
} {
  const values = { round: plan.round, count: countedRows(plan).length };
  switch (plan.action) {
    case 'close':
      return { key: 'close', values };
    case 'cancel':
      return { key: 'cancelTasks', values };
    case 'mark_success':
    case 'mark_skip':
      return { key: plan.rows.some((row) => row.to === 'waiting') ? 'round' : 'marked', values };
    default:
      return { key: 'round', values };
  }
}
