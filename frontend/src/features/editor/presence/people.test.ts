import { describe, expect, it } from 'vitest';
import { cardInitials, initials, namesByTask, namesOfAny, othersOf, shownCount, validTasks } from './people';

const person = (name: string, windows: number[], changes = 0, tasks: string[] = []) => ({
  name,
  windows,
  changes,
  tasks,
});

describe('the others', () => {
  it('are all people but this window', () => {
    const people = [person('bob', [7], 3, ['load']), person('ada', [1], 2, ['load'])];
    expect(othersOf(people, 'ada', 1)).toEqual([{ name: 'bob', self: false, changes: 3, tasks: ['load'] }]);
    expect(othersOf(people, undefined, 1)).toEqual([]);
  });

  it('are also the same user in another window, whose tasks cannot be told apart', () => {
    expect(othersOf([person('ada', [1, 5], 2, ['load'])], 'ada', 1)).toEqual([
      { name: 'ada', self: true, changes: 2, tasks: [] },
    ]);
    // The server does not list all windows, and this one may not be there yet.
    expect(othersOf([person('ada', [5])], 'ada', 1)).toHaveLength(1);
    expect(othersOf([person('ada', [])], 'ada', 1)).toEqual([]);
  });

  it('are found by the tasks that they have chosen', () => {
    const others = othersOf([person('bob', [1], 0, ['a', 'b']), person('cyd', [2], 0, ['b'])], 'ada', 3);
    const chosenBy = namesByTask(others);
    expect(Object.fromEntries(chosenBy)).toEqual({ a: 'bob', b: 'bob\ncyd' });
    expect(namesOfAny(chosenBy, new Set(['a', 'b', 'c']))).toBe('bob\ncyd');
    expect(namesOfAny(chosenBy, new Set(['a', 'c']))).toBe('bob');
    expect(namesOfAny(chosenBy, new Set(['c']))).toBeUndefined();
  });
});

describe('initials', () => {
  it.each([
    ['ada', 'AD'],
    ['x', 'X'],
    ['ada.lovelace', 'AL'],
    ['ada_maria-lovelace', 'AM'],
    ['grace@navy.mil', 'GR'],
    ['7up', '7U'],
    ['a.@x', 'A'],
  ])('of %s are %s', (name, letters) => {
    expect(initials(name)).toBe(letters);
  });

  it('of all are shown rather than +1', () => {
    expect([3, 5, 6, 7, 20].map((people) => shownCount(people, 5))).toEqual([3, 5, 6, 5, 5]);
  });

  it('of many have no room on a card', () => {
    expect(cardInitials(['ada', 'bob'])).toEqual(['AD', 'BO']);
    expect(cardInitials(['ada', 'bob', 'cyd', 'dan'])).toEqual(['AD', 'BO', '+2']);
  });
});

describe('what the server is told', () => {
  it('has only keys that it takes', () => {
    expect(validTasks(['load', '', 'no spaces', '表', '<b>', 'x'.repeat(129), '-a'])).toEqual(['load']);
    expect(validTasks(Array.from({ length: 5000 }, (_, n) => `t${String(n)}`))).toHaveLength(20);
  });
});
