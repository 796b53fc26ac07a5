import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, newIdempotencyKey } from '@/api/client';
import { isTransient } from '@/api/problem';
import { askPlan, type Command, type Order, send, settled } from './calls';
import { compare, type Moved, type RepairPlan, type RepairRequest } from './plan';

/** Where a repair stands: `unsure` when the answer to an order was lost, `stored` while the batch's owner has yet to decide. */
export type Phase = 'planning' | 'shown' | 'sending' | 'stored' | 'unsure';

interface State {
  phase: Phase;
  plan?: RepairPlan;
  error?: unknown;
  /** The plan has replaced one that did not hold any more. */
  moved?: Moved;
}

export interface Planner extends State {
  request: RepairRequest;
  /** Plans anew with other options. */
  ask: (change: Partial<RepairRequest>) => void;
  /** Carries out what is shown, once; after a lost answer it sends the very same again. */
  apply: (note: string) => void;
  again: () => void;
}

/** The plan of a whole batch's end is a list to look at: the wish itself takes things as they then are. */
const byWish = (request: RepairRequest) => request.action === 'cancel' && !request.tasks?.length;

/** A closing changes no task run: there is nothing to ask the server for. */
const closing = (batch: number): RepairPlan => ({
  batch,
  action: 'close',
  round: 0,
  revision: 0,
  hash: '',
  rows: [],
  kept: [],
});

function orderOf(request: RepairRequest, plan: RepairPlan, note: string): Order {
  const words = note.trim() || undefined;
  if (byWish(request)) return { key: newIdempotencyKey(), wish: 'cancel', note: words };
  // By number, so that it is the revision that was shown, whatever is published meanwhile.
  const { latest, ...rest } = request;
  const revision = latest ? plan.revision : request.revision;
  return { key: newIdempotencyKey(), repair: { ...rest, revision, note: words, hash: plan.hash || undefined } };
}

/** Whether an order may have been carried out although no good answer came. */
const mayBeDone = (error: unknown) => !(error instanceof ApiError) || isTransient(error);

/** Plans a repair of a batch, and carries out what is shown. */
export function usePlan(
  batch: number,
  first: RepairRequest,
  onDone: (command: Command, plan: RepairPlan) => void,
): Planner {
  const [request, setRequest] = useState(first);
  const [state, setState] = useState<State>({ phase: 'planning' });
  const [turn, setTurn] = useState(0);
  const order = useRef<Order>(undefined);
  const busy = useRef(false); // an order is on its way: the second of two clicks is none
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
    let mine = true;
    order.current = undefined;
    const plan = request.action === 'close' ? Promise.resolve(closing(batch)) : askPlan(batch, request);
    plan.then(
      (now) => {
        if (mine) setState({ phase: 'shown', plan: now });
      },
      (error: unknown) => {
        if (mine) setState({ phase: 'shown', error });
      },
    );
    return () => {
      mine = false;
    };
  }, [batch, request, turn]);

  const replan = useCallback(
    async (before: RepairPlan, refusal: unknown) => {
      const signal = alive.current.signal;
      try {
        const now = request.action === 'close' ? before : await askPlan(batch, request);
        if (signal.aborted) return;
        setState(
          now.hash === before.hash
            ? { phase: 'shown', plan: now, error: refusal }
            : { phase: 'shown', plan: now, moved: compare(before, now) },
        );
      } catch (error) {
        if (!signal.aborted) setState({ phase: 'shown', error });
      }
    },
    [batch, request],
  );

  const apply = useCallback(
    (note: string) => {
      const { plan, phase } = state;
      if (!plan || busy.current || (phase !== 'shown' && phase !== 'unsure')) return;
      busy.current = true;
      const now = (order.current ??= orderOf(request, plan, note));
      const signal = alive.current.signal;
      setState({ phase: 'sending', plan, moved: state.moved });
      send(batch, now)
        .then((command) => {
          if (command.state === 'pending' && !signal.aborted) setState({ phase: 'stored', plan });
          return settled(command, signal);
        })
        .then(
          (command) => {
            if (!signal.aborted) done.current(command, plan);
          },
          async (error: unknown) => {
            if (signal.aborted) return;
            if (mayBeDone(error)) {
              setState({ phase: 'unsure', plan, error });
              return;
            }
            order.current = undefined;
            if (error instanceof ApiError && error.status === 409) await replan(plan, error);
            else setState({ phase: 'shown', plan, error });
          },
        )
        .finally(() => {
          busy.current = false;
        });
    },
    [batch, replan, request, state],
  );

  const ask = useCallback((change: Partial<RepairRequest>) => {
    setState((s) => ({ phase: 'planning', plan: s.plan }));
    setRequest((r) => ({ ...r, ...change }));
  }, []);
  const again = useCallback(() => {
    setState({ phase: 'planning' });
    setTurn((n) => n + 1);
  }, []);
  return { ...state, request, ask, apply, again };
}
