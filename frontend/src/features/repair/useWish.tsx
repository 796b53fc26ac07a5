import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, newIdempotencyKey } from '@/api/client';
import { isTransient, problemText } from '@/api/problem';
import { keys } from '@/api/queries';
import { toast } from '@/ui';
import { type Order, sendOrder, awaitDecision, type Wish } from './calls';
import { useRepair } from './useRepair';

/**
 * Sends the wishes of a batch. `pause` and `unpause` are sent at once; `cancel` opens the dialog, which lists the
 * affected runs. `pending` is the wish whose answer has not arrived yet.
 */
export function useWish(batch: number): {
  pause: () => void;
  unpause: () => void;
  cancel: () => void;
  node: ReactNode;
  pending: Wish | undefined;
} {
  const { t } = useTranslation(['repair', 'problems']);
  const { t: problems } = useTranslation('problems');
  const queries = useQueryClient();
  const { open, node } = useRepair();
  const [pending, setPending] = useState<Wish>();
  const busy = useRef(false);
  const lost = useRef<Order>(undefined); // an order without an answer: the same wish is sent again with its key
  const alive = useRef(new AbortController());
  useEffect(() => {
    const control = new AbortController();
    alive.current = control;
    lost.current = undefined;
    return () => {
      control.abort();
    };
  }, [batch]);

  const wish = useCallback(
    (wanted: 'run' | 'pause') => {
      if (busy.current) return;
      busy.current = true;
      const signal = alive.current.signal;
      const before = lost.current;
      const order: Order =
        before && 'wish' in before && before.wish === wanted ? before : { key: newIdempotencyKey(), wish: wanted };
      lost.current = order;
      setPending(wanted);
      sendOrder(batch, order)
        .then((command) => awaitDecision(command, signal))
        .then(
          () => {
            lost.current = undefined;
            toast(t(`wish.${wanted}`));
            return queries.invalidateQueries({ queryKey: keys.batch(batch) });
          },
          (error: unknown) => {
            if (signal.aborted) return;
            if (error instanceof ApiError && !isTransient(error)) lost.current = undefined;
            const { title, detail } = problemText(error, problems);
            toast(`${title}. ${detail}`, { error: true });
          },
        )
        .finally(() => {
          busy.current = false;
          if (!signal.aborted) setPending(undefined);
        });
    },
    [batch, problems, queries, t],
  );

  return {
    pause: useCallback(() => {
      wish('pause');
    }, [wish]),
    unpause: useCallback(() => {
      wish('run');
    }, [wish]),
    cancel: useCallback(() => {
      open(batch, { action: 'cancel' });
    }, [batch, open]),
    node,
    pending,
  };
}
