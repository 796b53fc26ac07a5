import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { awaitDecision, fetchPlan, type Order, sendOrder } from './calls';
import { applyAll, type Calls, type ManyOptions, type Part, planAll, requestOf, type Target } from './many';
import { closingPlan } from './orders';
import type { PlanAction } from './plan';

const CALLS: Calls = {
  plan: (batch, request) =>
    request.action === 'close' ? Promise.resolve(closingPlan(batch)) : fetchPlan(batch, request),
  send: sendOrder,
  await: awaitDecision,
};

/** The plans of several batches, and the functions that change and apply them. */
export function useManyPlan(targets: readonly Target[], action: PlanAction, onApplied: (batch: number) => void) {
  const [options, setOptions] = useState<ManyOptions>({ downstream: false, latest: false });
  const [parts, setParts] = useState<readonly Part[]>(() =>
    targets.map((target) => ({ target, outcome: 'planning' as const })),
  );
  const [phase, setPhase] = useState<'preview' | 'applying' | 'applied'>('preview');
  const [turn, setTurn] = useState(0);
  const orders = useRef(new Map<number, Order>());
  const alive = useRef(new AbortController());
  const applied = useRef(onApplied);
  useEffect(() => {
    applied.current = onApplied;
  });
  const requestFor = useMemo(() => (target: Target) => requestOf(action, target, options), [action, options]);
  const report = useCallback((batch: number, change: Partial<Part>) => {
    setParts((before) => before.map((part) => (part.target.batch === batch ? { ...part, ...change } : part)));
    if (change.outcome === 'done') applied.current(batch);
  }, []);

  useEffect(() => {
    const control = new AbortController();
    alive.current = control;
    return () => {
      control.abort();
    };
  }, []);
  useEffect(() => {
    const control = new AbortController();
    void planAll(targets, requestFor, CALLS, report, control.signal);
    return () => {
      control.abort();
    };
  }, [targets, requestFor, report, turn]);

  const planning = () => {
    setParts((before) => before.map(({ target }) => ({ target, outcome: 'planning' as const })));
  };
  return {
    options,
    parts,
    phase,
    changeOptions: (change: Partial<ManyOptions>) => {
      planning();
      setOptions((before) => ({ ...before, ...change }));
    },
    planAgain: () => {
      planning();
      setPhase('preview');
      setTurn((n) => n + 1);
    },
    apply: (note: string) => {
      if (phase === 'applying') return;
      setPhase('applying');
      const { signal } = alive.current;
      void applyAll(parts, requestFor, note, orders.current, CALLS, report, signal).then(() => {
        if (!signal.aborted) setPhase('applied');
      });
    },
  };
}
