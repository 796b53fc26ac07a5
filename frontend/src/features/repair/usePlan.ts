import { useCallback, useEffect, useReducer, useRef } from 'react';
import { ApiError } from '@/api/client';
import { awaitDecision, type Command, type Order, sendOrder } from './calls';
import { mayHaveBeenDone, orderOf, planOf } from './orders';
import type { RepairPlan, RepairRequest } from './plan';
import { openRepair, type RepairEvent, repairReducer, type RepairState } from './repairMachine';

/** The state of a repair, and the actions of its dialog. */
export interface Planner {
  state: RepairState;
  /** Requests a plan with other options. */
  changeOptions: (change: Partial<RepairRequest>) => void;
  /** Carries out the plan on the screen, once. After a lost answer it sends the same order again. */
  apply: (note: string) => void;
  /** Requests the plan again after a failure. */
  planAgain: () => void;
}

/** The event for a refused order. After a conflict, the event contains a new plan. */
async function afterRefusal(batch: number, request: RepairRequest, plan: RepairPlan, refusal: unknown) {
  if (!(refusal instanceof ApiError) || refusal.status !== 409)
    return { type: 'refused', error: refusal } satisfies RepairEvent;
  try {
    const next = request.action === 'close' ? plan : await planOf(batch, request);
    return { type: 'replanned', plan: next, refusal } satisfies RepairEvent;
  } catch (error) {
    return { type: 'planFailed', error } satisfies RepairEvent;
  }
}

/**
 * Plans a repair of a batch, and carries out the plan on the screen. This hook makes the calls; repairMachine decides
 * which call comes next.
 */
export function usePlan(
  batch: number,
  initialRequest: RepairRequest,
  onDone: (command: Command, plan: RepairPlan) => void,
): Planner {
  const [state, dispatch] = useReducer(repairReducer, initialRequest, openRepair);
  const { request, turn } = state;
  const order = useRef<Order>(undefined);
  const busy = useRef(false); // set while an order is on its way: a double click sends it once
  const alive = useRef(new AbortController());
  const done = useRef(onDone);
  useEffect(() => {
    done.current = onDone;
  });

  useEffect(() => {
    const control = new AbortController();
    alive.current = control;
    return () => {
      control.abort();
    };
  }, []);

  useEffect(() => {
    let current = true;
    order.current = undefined;
    planOf(batch, request).then(
      (plan) => {
        if (current) dispatch({ type: 'planned', plan });
      },
      (error: unknown) => {
        if (current) dispatch({ type: 'planFailed', error });
      },
    );
    return () => {
      current = false;
    };
  }, [batch, request, turn]);

  const apply = useCallback(
    (note: string) => {
      const { plan, phase } = state;
      if (!plan || busy.current || (phase !== 'shown' && phase !== 'unsure')) return;
      busy.current = true;
      const { signal } = alive.current;
      const dispatchIfAlive = (event: RepairEvent) => {
        if (!signal.aborted) dispatch(event);
      };
      const failed = async (error: unknown) => {
        if (signal.aborted) return;
        if (mayHaveBeenDone(error)) {
          dispatch({ type: 'answerLost', error });
          return;
        }
        order.current = undefined;
        dispatchIfAlive(await afterRefusal(batch, request, plan, error));
      };
      dispatch({ type: 'sent' });
      sendOrder(batch, (order.current ??= orderOf(request, plan, note)))
        .then((command) => {
          if (command.state === 'pending') dispatchIfAlive({ type: 'stored' });
          return awaitDecision(command, signal);
        })
        .then((command) => {
          if (!signal.aborted) done.current(command, plan);
        }, failed)
        .finally(() => {
          busy.current = false;
        });
    },
    [batch, request, state],
  );

  const changeOptions = useCallback((change: Partial<RepairRequest>) => {
    dispatch({ type: 'optionsChanged', change });
  }, []);
  const planAgain = useCallback(() => {
    dispatch({ type: 'planAgain' });
  }, []);
  return { state, changeOptions, apply, planAgain };
}
