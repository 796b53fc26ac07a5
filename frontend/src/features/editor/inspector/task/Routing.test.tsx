import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Doc, taskOf } from '@/document';
import { setLanguage } from '@/i18n';
import { useDoc } from '../../context';
import { DOC, show } from '../testing';
import { useTaskEdit } from '../useEdit';
import { Routing } from './Routing';

function Shown() {
  const task = useDoc((s) => taskOf(s.doc, 'a'));
  const { set } = useTaskEdit(['a']);
  return task ? <Routing task={task} set={set} /> : null;
}

const doc = (policy?: Doc['policy']): Doc => ({
  ...DOC,
  policy,
  jobs: [{ key: 'j', tasks: [{ key: 'a', handler: 'shell' }] }],
});

describe('the form of the route of a task', () => {
  beforeEach(() => setLanguage('en'));

  it('sets and unsets each field', async () => {
    const s = show(<Shown />, { doc: doc() });
    await userEvent.type(screen.getByLabelText('Conditions on labels'), 'gpu');
    await userEvent.selectOptions(screen.getByLabelText('Which executor'), 'consistent_hash');
    await userEvent.type(screen.getByLabelText('Route key'), 'tick.date');
    await userEvent.type(screen.getByLabelText('Rejected at most, times'), '0');
    await userEvent.type(screen.getByLabelText('Pause after that'), '5s');
    expect(taskOf(s.doc(), 'a')).toMatchObject({
      selector: 'gpu',
      route: 'consistent_hash',
      routeKey: 'tick.date',
      reject: { max: 0, interval: '5s' },
    });
    await userEvent.clear(screen.getByLabelText('Conditions on labels'));
    await userEvent.clear(screen.getByLabelText('Route key'));
    await userEvent.selectOptions(screen.getByLabelText('Which executor'), '');
    await userEvent.clear(screen.getByLabelText('Rejected at most, times'));
    await userEvent.clear(screen.getByLabelText('Pause after that'));
    expect(taskOf(s.doc(), 'a')).toEqual({ key: 'a', handler: 'shell' });
    expect(screen.queryByLabelText('Route key')).not.toBeInTheDocument();
  });

  it('has a key if the route of the schedule takes one', () => {
    show(<Shown />, { doc: doc({ route: 'consistent_hash' }) });
    expect(screen.getByLabelText('Route key')).toBeInTheDocument();
  });

  it.each(['en', 'zh'] as const)('explains every route in %s', async (language) => {
    await setLanguage(language);
    show(<Shown />, { doc: doc() });
    const select = screen.getByLabelText(language === 'en' ? 'Which executor' : '选哪个执行器');
    const means = new Set<string>();
    for (const option of select.querySelectorAll('option')) {
      await userEvent.selectOptions(select, option);
      means.add(select.closest('[data-field]')?.textContent ?? '');
    }
    expect(means.size).toBe(11);
  });
});
