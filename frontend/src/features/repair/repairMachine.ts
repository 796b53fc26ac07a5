import { isTransient } from '@/api/problem';
import {
  comparePlans,
  type Batch,
  type PlanDifference,
  type NothingReason,
  type RepairPlan,
  type RepairRequest,
  whyNothing,
} from './plan';

/** The phase of a repair: `unsure` after a lost answer to an order, `stored` until the owner decides the command. */
export type Phase = 'planning' | 'shown' | 'sending' | 'stored' | 'unsure';

/** The state of one repair dialog. */
export interface RepairState {
  phase: Phase;
  request: RepairRequest;
  /** Counts the plans that the user requested. Each new count sends one request to the server. */
  turn: number;
  /** The plan on the screen. Undefined until the first answer, and after a refusal. */
  plan?: RepairPlan;
  error?: unknown;
  /** How the plan differs from the outdated plan that it replaced. */
  difference?: PlanDifference;
}

/** An event of a repair: an action of the user, or an answer of the server. */
export type RepairEvent =
  | { type: 'optionsChanged'; change: Partial<RepairRequest> }
  | { type: 'planAgain' }
  | { type: 'planned'; plan: RepairPlan }
  | { type: 'planFailed'; error: unknown }
  | { type: 'sent' }
  | { type: 'stored' }
  | { type: 'answerLost'; error: unknown }
  | { type: 'refused'; error: unknown }
  | { type: 'replanned'; plan: RepairPlan; refusal: unknown };

type Step<E extends RepairEvent['type']> = (
  state: RepairState,
  event: Extract<RepairEvent, { type: E }>,
) => Omit<RepairState, 'request' | 'turn'> & Partial<Pick<RepairState, 'request' | 'turn'>>;

const optionsChanged: Step<'optionsChanged'> = ({ plan, request, turn }, { change }) => ({
  phase: 'planning',
  plan,
  request: { ...request, ...change },
  turn: turn + 1,
});
const planAgain: Step<'planAgain'> = ({ turn }) => ({ phase: 'planning', turn: turn + 1 });
const planned: Step<'planned'> = (_, { plan }) => ({ phase: 'shown', plan });
const planFailed: Step<'planFailed'> = (_, { error }) => ({ phase: 'shown', error });
const sent: Step<'sent'> = ({ plan, difference }) => ({
  phase: 'sending',
  plan,
  difference,
});
const stored: Step<'stored'> = ({ plan }) => ({ phase: 'stored', plan });
const answerLost: Step<'answerLost'> = ({ plan }, { error }) => ({ phase: 'unsure', plan, error });
const refused: Step<'refused'> = ({ plan }, { error }) => ({ phase: 'shown', plan, error });
const replanned: Step<'replanned'> = ({ plan: before }, { plan, refusal }) =>
  before && before.hash !== plan.hash
    ? { phase: 'shown', plan, difference: comparePlans(before, plan) }
    : { phase: 'shown', plan, error: refusal };

const afterSending = { answerLost, refused, replanned, planFailed };

/** The transitions of each phase. Other events do not change the state. */
const TRANSITIONS: Record<Phase, { [E in RepairEvent['type']]?: Step<E> }> = {
  planning: { optionsChanged, planAgain, planned, planFailed },
  shown: { optionsChanged, planAgain, sent },
  sending: { stored, ...afterSending },
  stored: afterSending,
  unsure: { sent },
};

/** The state of a dialog that has just opened. */
export function openRepair(request: RepairRequest): RepairState {
  return { phase: 'planning', request, turn: 0 };
}

/** The state after an event. */
export function repairReducer(state: RepairState, event: RepairEvent): RepairState {
  const step = TRANSITIONS[state.phase][event.type] as Step<RepairEvent['type']> | undefined;
  return step ? { request: state.request, turn: state.turn, ...step(state, event) } : state;
}

/** What the dialog derives from the state of its repair. */
export interface DialogStatus {
  /** Why there is nothing to do, if so. */
  nothing?: NothingReason;
  /** The server refused to plan, so there is no plan. */
  refused: boolean;
  /** There is nothing to confirm: the dialog can only be closed. */
  finished: boolean;
  /** An order is on its way, or its answer was lost: the options and the note cannot change. */
  locked: boolean;
}

/** Derives the status. `plan` and `batch` are undefined until everything that the dialog shows is loaded. */
export function dialogStatus(state: RepairState, plan: RepairPlan | undefined, batch: Batch | undefined): DialogStatus {
  const { phase, request, error, difference } = state;
  const empty = phase === 'shown' && request.action !== 'close' && plan?.rows.length === 0;
  const nothing = empty && batch ? whyNothing(request.action, batch, difference !== undefined) : undefined;
  const refused = phase === 'shown' && !state.plan;
  return {
    nothing,
    refused,
    finished: nothing !== undefined || phase === 'stored' || (refused && !isTransient(error)),
    locked: phase === 'sending' || phase === 'stored' || phase === 'unsure',
  };
}
