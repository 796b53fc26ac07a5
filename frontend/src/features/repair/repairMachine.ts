import { isTransient } from '@/api/problem';
import {
  compare,
  type Batch,
  type Moved,
  type NothingReason,
  type RepairPlan,
  type RepairRequest,
  whyNothing,
} from './plan';

/** Where a repair stands: `unsure` if the answer to an order was lost, `stored` while the owner has yet to decide. */
export type Phase = 'planning' | 'shown' | 'sending' | 'stored' | 'unsure';

/** The state of one repair dialog. */
export interface RepairState {
  phase: Phase;
  request: RepairRequest;
  /** Counts the plans that the user asked for: each new count asks the server once. */
  turn: number;
  /** The plan on the screen. Undefined until the first answer, and after a refusal. */
  plan?: RepairPlan;
  error?: unknown;
  /** Set if the plan replaced an outdated one: how the two differ. */
  moved?: Moved;
}

/** What happens to a repair: by the user, or as an answer of the server. */
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
const sent: Step<'sent'> = ({ plan, moved }) => ({ phase: 'sending', plan, moved });
const stored: Step<'stored'> = ({ plan }) => ({ phase: 'stored', plan });
const answerLost: Step<'answerLost'> = ({ plan }, { error }) => ({ phase: 'unsure', plan, error });
const refused: Step<'refused'> = ({ plan }, { error }) => ({ phase: 'shown', plan, error });
const replanned: Step<'replanned'> = ({ plan: before }, { plan, refusal }) =>
  before && before.hash !== plan.hash
    ? { phase: 'shown', plan, moved: compare(before, plan) }
    : { phase: 'shown', plan, error: refusal };

const afterSending = { answerLost, refused, replanned, planFailed };

/** The events of each phase. An event that is missing for a phase changes nothing in it. */
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
  /** The server refused to plan: there is no plan to look at. */
  refused: boolean;
  /** Nothing is left to confirm here: the dialog can only be closed. */
  finished: boolean;
  /** An order is on its way, or its answer was lost: its options and note cannot change. */
  locked: boolean;
}

/** Derives the status. `plan` and `batch` are undefined until everything that the dialog shows is loaded. */
export function dialogStatus(state: RepairState, plan: RepairPlan | undefined, batch: Batch | undefined): DialogStatus {
  const { phase, request, error, moved } = state;
  const empty = phase === 'shown' && request.action !== 'close' && plan?.rows.length === 0;
  const nothing = empty && batch ? whyNothing(request.action, batch, moved !== undefined) : undefined;
  const refused = phase === 'shown' && !state.plan;
  return {
    nothing,
    refused,
    finished: nothing !== undefined || phase === 'stored' || (refused && !isTransient(error)),
    locked: phase === 'sending' || phase === 'stored' || phase === 'unsure',
  };
}
