import { expect, it } from 'vitest';
import { applyOps } from '@/document';
import { Journal } from './journal';
import { moveNotes } from './moveNotes';

it('moves the notes of one schedule, and of one person', () => {
  localStorage.clear();
  const doc = applyOps({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'orders', jobs: [] }, []).doc;
  const notes = (user: string, name: string) => new Journal(localStorage, user, name);
  notes('ada', 'orders').begin('a', { version: 1, base: 2, doc }, 1);
  notes('ada', 'orders').note('a', 1, [{ op: 'all', value: doc }]);
  notes('ada', 'orders-eu').begin('b', { version: 1, base: 2, doc }, 1);
  notes('bob', 'orders').begin('c', { version: 1, base: 2, doc }, 1);
  moveNotes(localStorage, 'ada', 'orders', 'sales');
  expect(notes('ada', 'orders').all()).toEqual([]);
  expect(notes('ada', 'sales').all()).toMatchObject([{ id: 'a', version: 1, base: 2, doc, steps: [[{ op: 'all' }]] }]);
  expect(notes('ada', 'orders-eu').all()).toHaveLength(1);
  expect(notes('bob', 'orders').all()).toHaveLength(1);
});
