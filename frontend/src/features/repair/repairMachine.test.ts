import { describe, expect, it } from 'vitest';
import { ApiError, OfflineError, type Problem } from '@/api/client';
import type { RepairPlan } from './plan';
import {
  dialogStatus,
  openRepair,
  type Phase,
  type RepairEvent,
  repairReducer,
  type RepairState,
} from './repairMachine';
import { batch, plan, row, run } from './testing';

const PLAN = plan([row(0, 'a')]);
const OTHER = plan([row(1, 'b')], { hash: 'h2' });
const ERROR = new OfflineError();

const inPhase = (phase: Phase, over: Partial<RepairState> = {}): RepairState => ({
  ...openRepair({ action: 'resume' }),
  phase,
  plan: PLAN,
  ...over,
});

const EVENTS: Record<RepairEvent['type'], RepairEvent> = {
  optionsChanged: { type: 'optionsChanged', change: { latest: true } },
  planAgain: { type: 'planAgain' },
  planned: { type: 'planned', plan: OTHER },
  planFailed: { type: 'planFailed', error: ERROR },
  sent: { type: 'sent' },
  stored: { type: 'stored' },
  answerLost: { type: 'answerLost', error: ERROR },
  refused: { type: 'refused', error: ERROR },
  replanned: { type: 'replanned', plan: OTHER, refusal: ERROR },
};

/** The next phase for each event that a phase handles. */
const TABLE: Record<Phase, Partial<Record<RepairEvent['type'], Phase>>> = {
  planning: { optionsChanged: 'planning', planAgain: 'planning', planned: 'shown', planFailed: 'shown' },
  shown: { optionsChanged: 'planning', planAgain: 'planning', sent: 'sending' },
  sending: { stored: 'stored', answerLost: 'unsure', refused: 'shown', replanned: 'shown', planFailed: 'shown' },
  stored: { answerLost: 'unsure', refused: 'shown', replanned: 'shown', planFailed: 'shown' },
  unsure: { sent: 'sending' },
};

describe.each(Object.keys(TABLE) as Phase[])('in phase %s', (phase) => {
  it.each(Object.keys(EVENTS) as RepairEvent['type'][])('%s', (type) => {
    const before = inPhase(phase);
    const after = repairReducer(before, EVENTS[type]);
    const want = TABLE[phase][type];
    if (want === undefined) expect(after).toBe(before);
    else expect(after.phase).toBe(want);
  });
});

describe('the reducer', () => {
  it('keeps the plan on the screen while other options are planned, and asks once for each change', () => {
    const after = repairReducer(inPhase('shown', { error: ERROR }), EVENTS.optionsChanged);
    expect(after).toEqual({ phase: 'planning', request: { action: 'resume', latest: true }, turn: 1, plan: PLAN });
  });
  it('drops the plan if the user asks again', () => {
    expect(repairReducer(inPhase('shown'), EVENTS.planAgain)).toEqual({ ...openRepair({ action: 'resume' }), turn: 1 });
  });
  it('keeps the plan for the same order after a lost answer', () => {
    const unsure = repairReducer(inPhase('sending'), EVENTS.answerLost);
    expect(unsure).toMatchObject({ phase: 'unsure', plan: PLAN, error: ERROR });
    const again = repairReducer(unsure, EVENTS.sent);
    expect(again).toMatchObject({ phase: 'sending', plan: PLAN });
    expect(again.error).toBeUndefined();
  });
  it('shows how a new plan differs, and the refusal if it does not', () => {
    const after = repairReducer(inPhase('sending'), EVENTS.replanned);
    expect(after).toMatchObject({ plan: OTHER, difference: { changed: new Set(['b']), removed: ['a'] } });
    expect(after.error).toBeUndefined();
    const same = repairReducer(inPhase('sending'), { type: 'replanned', plan: PLAN, refusal: ERROR });
    expect(same).toMatchObject({ plan: PLAN, error: ERROR });
    expect(same.difference).toBeUndefined();
  });
  it('keeps the difference on the screen while the order is sent', () => {
    const difference = { changed: new Set(['b']), removed: [] };
    expect(repairReducer(inPhase('shown', { difference }), EVENTS.sent).difference).toBe(difference);
  });
});

describe('dialogStatus', () => {
  const FAILED = batch([run(0, 'a', 'failed')]);
  const status = (state: RepairState, shown: RepairPlan | undefined = state.plan) => dialogStatus(state, shown, FAILED);
  const refusal = (code: number) => new ApiError(code, { code: 'conflict', detail: '' } as Problem);

  it.each<[Phase, boolean, boolean]>([
    ['planning', false, false],
    ['shown', false, false],
    ['sending', false, true],
    ['stored', true, true],
    ['unsure', false, true],
  ])('%s: finished %s, locked %s', (phase, finished, locked) => {
    expect(status(inPhase(phase))).toEqual({ nothing: undefined, refused: false, finished, locked });
  });
  it('is finished after a refusal, but not while the server may answer later', () => {
    expect(status(inPhase('shown', { plan: undefined, error: refusal(409) }))).toMatchObject({
      refused: true,
      finished: true,
    });
    expect(status(inPhase('shown', { plan: undefined, error: ERROR }))).toMatchObject({
      refused: true,
      finished: false,
    });
  });
  it('is finished with an empty plan, but never for a closing', () => {
    const empty = plan([]);
    expect(status(inPhase('shown', { plan: empty }))).toMatchObject({ nothing: 'allowed', finished: true });
    const difference = { changed: new Set<string>(), removed: ['a'] };
    expect(status(inPhase('shown', { plan: empty, difference })).nothing).toBe('moved');
    expect(status(inPhase('shown', { plan: empty, request: { action: 'close' } }))).toMatchObject({
      nothing: undefined,
      finished: false,
    });
    expect(status(inPhase('planning', { plan: empty })).nothing).toBeUndefined();
  });
});
