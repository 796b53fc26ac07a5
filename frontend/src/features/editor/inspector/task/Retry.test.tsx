import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { taskOf } from '@/document';
import { setLanguage } from '@/i18n';
import { useDoc } from '../../context';
import { PanelFaults, useTaskFaults } from '../faults';
import { DOC, show } from '../testing';
import { useTaskEdit } from '../useEdit';
import { TaskRetry } from './Retry';

function Shown() {
  const doc = useDoc((s) => s.doc);
  const { set } = useTaskEdit(['a']);
  const faults = useTaskFaults(doc, 'a');
  return (
    <PanelFaults value={faults}>
      <TaskRetry task="a" value={taskOf(doc, 'a')?.retry} set={set} />
    </PanelFaults>
  );
}

const field = (name: string) => document.querySelector<HTMLElement>(`[data-field="${name}"]`);

describe('the form of retries', () => {
  beforeEach(() => setLanguage('en'));

  it('spreads them, and repeats only some failures', async () => {
    const s = show(<Shown />);
    expect(screen.queryByLabelText('Repeat only after')).not.toBeInTheDocument();
    await userEvent.type(screen.getByLabelText('Retries: how often'), '2');
    await userEvent.type(screen.getByLabelText('Retries: after how long'), '30');
    await userEvent.selectOptions(screen.getByLabelText('Retries: spread of the wait'), '± 20 %');
    expect(field('retry')).toHaveTextContent('Waits 30 s, 30 s, each ± 20 %.');
    const on = screen.getByLabelText('Repeat only after');
    await userEvent.type(on, '75, 300');
    expect(on).toHaveAccessibleDescription(/300 is no exit code\. Use 0 to 255\./);
    expect(field('retry')).not.toHaveTextContent('no exit code');
    await userEvent.clear(on);
    await userEvent.type(on, '75, timeout');
    expect(on).not.toBeInvalid();
    const when = screen.getByLabelText('Repeat only if');
    await userEvent.type(when, 'exi{ArrowDown}{Enter}');
    await waitFor(() => {
      expect(when).toHaveValue('outcome.exitCode');
    });
    await userEvent.type(when, ' > 3');
    expect(taskOf(s.doc(), 'a')?.retry).toEqual({
      max: 2,
      delay: '30s',
      jitter: 0.2,
      on: '75, timeout',
      when: 'outcome.exitCode > 3',
    });
    await userEvent.clear(on);
    await userEvent.clear(when);
    await userEvent.selectOptions(screen.getByLabelText('Retries: spread of the wait'), 'exactly');
    expect(taskOf(s.doc(), 'a')?.retry).toEqual({ max: 2, delay: '30s' });
  });
  it('shows the fields that have a value without any retry', () => {
    const jobs = [{ key: 'j', tasks: [{ key: 'a', handler: 'shell', retry: { on: 'lost', jitter: 0.15 } }] }];
    show(<Shown />, { doc: { ...DOC, jobs } });
    expect(screen.getByLabelText('Repeat only after')).toHaveAccessibleDescription(/repeated by onLost, not by retry/);
    expect(screen.getByLabelText('Retries: spread of the wait')).toHaveDisplayValue('± 15 %');
  });
});
