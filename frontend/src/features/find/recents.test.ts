import { afterEach, expect, it } from 'vitest';
import { lastSchedule, MAX_RECENTS, noteVisit, readRecents, type Visit } from './recents';

afterEach(() => {
  localStorage.clear();
});

const schedule = (name: string): Visit => ({ kind: 'schedule', name });

it('lists the latest first, each once, and at most so many', () => {
  for (let i = 0; i < MAX_RECENTS + 3; i++) noteVisit('ada', schedule(`s${String(i)}`));
  noteVisit('ada', schedule('s5'));
  noteVisit('ada', { kind: 'batch', id: 7, schedule: 's5' });
  const list = readRecents('ada');
  expect(list).toHaveLength(MAX_RECENTS);
  expect(list.slice(0, 3)).toEqual([{ kind: 'batch', id: 7, schedule: 's5' }, schedule('s5'), schedule('s14')]);
});

it('shows nothing of another user, who begins anew', () => {
  noteVisit('ada', schedule('a'));
  expect(readRecents('bob')).toEqual([]);
  noteVisit('bob', schedule('b'));
  expect([readRecents('ada'), readRecents('bob')]).toEqual([[], [schedule('b')]]);
});

it('knows the schedule that was open before another one', () => {
  expect(lastSchedule('ada', 'a')).toBeUndefined();
  for (const visit of [schedule('b'), { kind: 'batch', id: 7, schedule: 'c' } as const, schedule('a')])
    noteVisit('ada', visit);
  expect(lastSchedule('ada', 'a')).toBe('b');
  expect(lastSchedule('ada', 'b')).toBe('a');
});

it.each([
  'nonsense',
  'null',
  '{"user":"ada"}',
  '{"user":"ada","list":[null,{"kind":"schedule"},{"kind":"batch","id":"x","schedule":""},{"kind":"page"}]}',
])('leaves out what it cannot read: %s', (stored) => {
  localStorage.setItem('hivego.recents', stored);
  expect(readRecents('ada')).toEqual([]);
});
