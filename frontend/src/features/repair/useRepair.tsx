import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { keys } from '@/api/queries';
import { lazyPreload, toast } from '@/ui';
import type { Command } from './calls';
import type { RepairPlan, RepairRequest } from './plan';
import { doneWords } from './words';

const RepairDialog = lazyPreload(async () => (await import('./RepairDialog')).RepairDialog);

interface Asked {
  turn: number;
  batch: number;
  request: RepairRequest;
}

/** Repairs of batches, each as a plan to look at before anything changes. Render `node` once in the page; `after` hears of what was done. */
export function useRepair(after?: (batch: number) => void): {
  open: (batch: number, request: RepairRequest) => void;
  node: ReactNode;
} {
  const { t } = useTranslation('repair');
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [opened, setOpened] = useState(false);
  const open = useCallback((batch: number, request: RepairRequest) => {
    setAsked((before) => ({ turn: (before?.turn ?? 0) + 1, batch, request }));
    setOpened(true);
  }, []);
  const close = useCallback(() => {
    setOpened(false);
  }, []);
  const done = useCallback(
    (command: Command, plan: RepairPlan) => {
      setOpened(false);
      const words = doneWords(command.plan ?? plan);
      toast(t(`done.${words.key}`, words.values));
      for (const queryKey of [keys.batch(plan.batch), keys.batches, keys.schedules, keys.overview])
        void queries.invalidateQueries({ queryKey });
      after?.(plan.batch);
    },
    [after, queries, t],
  );
  const node = asked && (
    <RepairDialog
      key={asked.turn}
      batch={asked.batch}
      request={asked.request}
      opened={opened}
      onClose={close}
      onDone={done}
    />
  );
  return { open, node };
}
