import type { Schemas } from '@/api/client';
import type { PlanRow, RepairPlan } from './plan';

/** A batch of weather-report whose task monthly failed, as tests begin with it. */
export const run = (
  number: number,
  key: string,
  state: Schemas['RunState'],
  over: Partial<Schemas['TaskRun']> = {},
): Schemas['TaskRun'] => ({
  number,
  key,
  job: 'job',
  state,
  reason: '',
  attempts: 1,
  executor: 'embedded',
  error: '',
  round: 1,
  ...over,
});

export const batch = (tasks: Schemas['TaskRun'][], over: Partial<Schemas['Batch']> = {}): Schemas['Batch'] => ({
  id: 7,
  schedule: 'weather-report',
  revision: 1,
  kind: 'manual',
  state: 'failed',
  wish: 'run',
  reason: '',
  round: 1,
  live: false,
  moment: '2026-11-20T19:20:00.000Z',
  createdAt: '2026-11-20T19:20:00.000Z',
  createdBy: 'ada',
  params: {},
  tasks,
  ...over,
});

export const row = (number: number, task: string, over: Partial<PlanRow> = {}): PlanRow => ({
  number,
  task,
  job: 'job',
  from: 'failed',
  to: 'waiting',
  why: 'failed',
  ...over,
});

export const plan = (rows: PlanRow[], over: Partial<RepairPlan> = {}): RepairPlan => ({
  batch: 7,
  action: 'resume',
  round: 2,
  revision: 1,
  hash: 'h1',
  rows,
  kept: [],
  ...over,
});
