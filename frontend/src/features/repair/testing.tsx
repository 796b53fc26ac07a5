import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { Schemas } from '@/api/client';
import { renderPage } from '@/test/render';
import { type Answer, type Call, fakeServer, type LOST } from '@/test/server';
import { TaskTitles, ViewZone } from '@/ui';
import { dismissToast, getToasts } from '@/ui/Toasts';
import type { PlanRow, RepairPlan, RepairRequest } from './plan';
import { useRepair } from './useRepair';

/** A task run of the batch weather-report. */
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

/** The failed batch of weather-report with these runs. */
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

/** A row of a plan. */
export const row = (number: number, task: string, over: Partial<PlanRow> = {}): PlanRow => ({
  number,
  task,
  job: 'job',
  from: 'failed',
  to: 'waiting',
  why: 'failed',
  ...over,
});

/** A plan to resume the batch. */
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

/** The runs of the batch: one failed, and one was skipped because of it. */
const RUNS = [
  run(0, 'extract', 'succeeded'),
  run(1, 'load', 'succeeded'),
  run(2, 'monthly', 'failed', { error: 'no such column: precipitation_mm' }),
  run(3, 'extremes', 'succeeded'),
  run(4, 'report', 'skipped', { cause: 'monthly' }),
];
/** The plan of its resume. */
export const RESUME = plan([
  row(2, 'monthly'),
  row(4, 'report', { from: 'skipped', why: 'skipped', cause: 'monthly' }),
]);
/** An applied command. */
export const DONE = {
  id: 1,
  batch: 7,
  kind: 'repair',
  state: 'applied',
  createdAt: '2026-11-20T19:20:00.000Z',
  createdBy: 'ada',
};

/** The answer of a test to a call. Undefined means: the default server answers. */
export type MaybeAnswer = Answer | typeof LOST | undefined;

/** Serves the batch and its schedule. `answer` may answer a call first. */
export function server(
  answer: (call: Call) => MaybeAnswer | Promise<MaybeAnswer>,
  over: Parameters<typeof batch>[1] = {},
  newest = 1,
) {
  return fakeServer((call) => {
    const special = answer(call);
    if (special !== undefined) return special;
    switch (call.path) {
      case '/batches/7':
        return { body: batch(RUNS, over) };
      case '/batches/7/definition':
        return { body: definition('precipitation_mm') };
      case '/schedules/weather-report':
        return {
          body: {
            name: 'weather-report',
            timezone: 'Asia/Shanghai',
            revision: newest,
            definition: definition('precipitation'),
          },
        };
      default:
        return undefined;
    }
  });
}

/** A definition with one task that reads a column. */
export const definition = (column: string) => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'weather-report',
  jobs: [{ key: 'j', tasks: [{ key: 'monthly', handler: 'sql', params: { column } }] }],
});

/** Shows a page with a button that opens the dialog. */
export function show(request: RepairRequest = { action: 'resume' }, titles: Record<string, string> = {}) {
  const named = new Map(Object.entries(titles));
  renderPage(function Page() {
    const repair = useRepair();
    return (
      <ViewZone schedule="Asia/Shanghai">
        <TaskTitles value={named}>
          <button
            type="button"
            onClick={() => {
              repair.open(7, request);
            }}
          >
            open
          </button>
          {repair.node}
        </TaskTitles>
      </ViewZone>
    );
  });
}

/** Opens the dialog, and returns the user and the dialog. */
export async function open(request?: RepairRequest, titles?: Record<string, string>) {
  const user = userEvent.setup();
  show(request, titles);
  await user.click(await screen.findByText('open'));
  return { user, dialog: within(await screen.findByRole('dialog')) };
}

/** The orders among the calls. */
export const applied = (calls: Call[]) => calls.filter((c) => c.path === '/batches/7/repairs');
/** The requests for plans among the calls. */
export const planned = (calls: Call[]) => calls.filter((c) => c.path === '/batches/7/repair-plans');
/** Answers each request for a plan with this one. */
export const plans =
  (p: RepairPlan) =>
  (call: Call): MaybeAnswer =>
    call.path === '/batches/7/repair-plans' ? { body: p } : undefined;

/** Removes the toasts of the test before. */
export const clearToasts = () => {
  getToasts().forEach((toast) => {
    dismissToast(toast.id);
  });
};
