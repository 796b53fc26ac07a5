import { MantineProvider } from '@mantine/core';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TaskRun } from '@/live';
import { JobTitles, TaskTitles } from '@/ui';
import { Table } from './Table';

const run = (number: number, state: TaskRun['state'], more: Partial<TaskRun> = {}): TaskRun => ({
  number,
  key: `t${String(number)}`,
  job: 'j',
  state,
  reason: '',
  attempts: 1,
  executor: '',
  error: '',
  round: 1,
  ...more,
});
const runs = [
  run(0, 'succeeded'),
  run(1, 'failed', { reason: 'exit', exitCode: 3, error: 'boom' }),
  run(2, 'skipped', { reason: 'upstream_failed', cause: 't1' }),
];
const [onFilter, onSelect, onRepair] = [vi.fn(), vi.fn(), vi.fn()];

function show(props: Partial<Parameters<typeof Table>[0]> = {}) {
  return render(
    <MantineProvider>
      <Table runs={runs} filter={{}} onFilter={onFilter} onSelect={onSelect} onRepair={onRepair} {...props} />
    </MantineProvider>,
  );
}

beforeEach(() => {
  for (const f of [onFilter, onSelect, onRepair]) f.mockClear();
  // jsdom has no layout, and rows are rendered only if the table has a size.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(1200);
});

describe('the table', () => {
  it('shows states and reasons as texts', () => {
    show();
    expect(screen.getAllByRole('row')).toHaveLength(4);
    const failed = screen.getByRole('button', { name: 't1' }).closest('tr')!;
    expect(within(failed).getByText('failed')).toBeInTheDocument();
    expect(within(failed).getByText('exit code 3')).toBeInTheDocument();
    expect(within(failed).getByText('boom')).toBeInTheDocument();
    expect(screen.getByText('because of t1')).toBeInTheDocument();
  });

  it('names tasks and jobs by their titles, with the key of the task beside it', () => {
    render(
      <MantineProvider>
        <TaskTitles value={new Map([['t1', 'Rain by month']])}>
          <JobTitles value={new Map([['j', 'Summarise']])}>
            <Table runs={runs} filter={{ q: 'RAIN' }} onFilter={onFilter} onSelect={onSelect} onRepair={onRepair} />
          </JobTitles>
        </TaskTitles>
      </MantineProvider>,
    );
    const row = screen.getByRole('button', { name: 'Rain by month' }).closest('tr')!;
    expect(within(row).getByText('t1')).toBeInTheDocument();
    expect(within(row).getByText('Summarise')).toBeInTheDocument();
    expect(within(row).getByRole('checkbox', { name: 'Mark Rain by month' })).toBeInTheDocument();
    expect(screen.getAllByRole('row')).toHaveLength(2);
  });

  it('opens tasks, sorts and filters through the address', async () => {
    const user = userEvent.setup();
    show({ filter: { sort: 'task' } });
    expect(screen.getByRole('columnheader', { name: 'Task' })).toHaveAttribute('aria-sort', 'ascending');
    await user.click(screen.getByRole('button', { name: 'Task' }));
    expect(onFilter).toHaveBeenLastCalledWith({ sort: '-task' });
    await user.type(screen.getByRole('textbox', { name: 'Find tasks' }), 'x');
    expect(onFilter).toHaveBeenLastCalledWith({ sort: 'task', q: 'x' });
    await user.click(screen.getByRole('button', { name: 't2' }));
    expect(onSelect).toHaveBeenCalledWith('t2');
  });

  it('opens one plan for all marked tasks; running tasks cannot be marked as ended', async () => {
    const user = userEvent.setup();
    const { rerender } = show();
    await user.click(screen.getByRole('checkbox', { name: 'Mark t1' }));
    await user.click(screen.getByRole('checkbox', { name: 'Mark t2' }));
    expect(screen.getByText('2 tasks marked')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Rerun…' }));
    expect(onRepair).toHaveBeenCalledWith({ action: 'rerun', tasks: ['t1', 't2'] });
    expect(screen.getByRole('button', { name: 'Cancel…' })).toBeDisabled();
    rerender(
      <MantineProvider>
        <Table
          runs={[runs[0]!, run(1, 'running'), runs[2]!]}
          filter={{}}
          onFilter={onFilter}
          onSelect={onSelect}
          onRepair={onRepair}
        />
      </MantineProvider>,
    );
    expect(screen.getByRole('button', { name: 'Mark as succeeded…' })).toBeDisabled();
    expect(screen.getByRole('button', { name: 'Cancel…' })).toBeEnabled();
    await user.click(screen.getByRole('button', { name: 'Mark none' }));
    expect(screen.getByText('3 tasks')).toBeInTheDocument();
  });

  it('marks all rows, and acts only on the rows that the filter shows', async () => {
    const user = userEvent.setup();
    const { rerender } = show();
    await user.click(screen.getByRole('checkbox', { name: 'Mark all' }));
    rerender(
      <MantineProvider>
        <Table runs={runs} filter={{ only: 'failed' }} onFilter={onFilter} onSelect={onSelect} onRepair={onRepair} />
      </MantineProvider>,
    );
    await user.click(screen.getByRole('button', { name: 'Mark as ignored…' }));
    expect(onRepair).toHaveBeenCalledWith({ action: 'mark_skip', tasks: ['t1'] });
  });

  it('moves the focus by the arrow keys, with one tab stop', async () => {
    const user = userEvent.setup();
    show();
    const task = (n: number) => screen.getByRole('button', { name: `t${String(n)}` });
    expect([0, 1, 2].map((n) => task(n).tabIndex)).toEqual([0, -1, -1]);
    task(0).focus();
    await user.keyboard('{ArrowDown}');
    await vi.waitFor(() => {
      expect(task(1)).toHaveFocus();
    });
    expect([0, 1, 2].map((n) => task(n).tabIndex)).toEqual([-1, 0, -1]);
    await user.keyboard('{End}');
    await vi.waitFor(() => {
      expect(task(2)).toHaveFocus();
    });
    await user.keyboard('{Enter}');
    expect(onSelect).toHaveBeenCalledWith('t2');
  });

  it('has no marks for the past, and reports when no row matches', async () => {
    show({ onRepair: undefined, filter: { q: 'zzz', sort: 'task' } });
    expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
    expect(screen.getByText('No task matches')).toBeInTheDocument();
    await userEvent.setup().click(screen.getAllByRole('button', { name: 'Clear' }).at(-1)!);
    expect(onFilter).toHaveBeenCalledWith({ sort: 'task' });
  });
});
