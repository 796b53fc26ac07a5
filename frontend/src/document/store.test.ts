import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTask, editTasks, newDocumentStore, removeTasks, renameTask, hasUniqueKeys } from '.';
import { anyLots, commandOf, doc, frozen, MAKERS, story } from './testing';

describe('commands of all kinds', () => {
  it('keep the keys unique, are undone byte for byte, and redone', () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat(), { minLength: 8, maxLength: 12 }), { minLength: 500, maxLength: 500, size: 'max' }),
        (seeds) => {
          const store = newDocumentStore(frozen(story()));
          const states = [JSON.stringify(store.getState().doc)];
          for (const seed of seeds) {
            const {
              doc: before,
              past: { length: past },
            } = store.getState();
            const command = commandOf(before, seed);
            if (command) kinds.add(command.label.kind);
            store.getState().apply(command && frozen(command));
            frozen(store.getState().doc);
            expect(hasUniqueKeys(store.getState().doc)).toBe(true);
            const now = JSON.stringify(store.getState().doc);
            // No step changes nothing.
            if (store.getState().past.length > past) expect(now, command?.label.kind).not.toBe(JSON.stringify(before));
            states[store.getState().past.length] = now;
          }
          for (let i = store.getState().past.length; i > 0; i--) {
            expect(JSON.stringify(store.getState().doc)).toBe(states[i]);
            store.getState().undo();
          }
          expect(JSON.stringify(store.getState().doc)).toBe(states[0]);
          while (store.getState().future.length > 0) store.getState().redo();
          expect(JSON.stringify(store.getState().doc)).toBe(states[store.getState().past.length]);
        },
      ),
      { numRuns: 12 },
    );
    expect(kinds.size).toBeGreaterThanOrEqual(MAKERS.length);
  });

  it('expose the operations of each step', () => {
    fc.assert(
      fc.property(anyLots(40), (seeds) => {
        const store = newDocumentStore(story());
        const replay = newDocumentStore(story());
        store.subscribe((now, before) => {
          if (now.doc !== before.doc) replay.getState().apply({ label: { kind: 'editText' }, ops: now.step });
        });
        for (const seed of seeds) {
          const kind = (seed[0] ?? 0) % 5;
          if (kind === 0) store.getState().undo();
          else if (kind === 1) store.getState().redo();
          else store.getState().apply(commandOf(store.getState().doc, seed));
        }
        expect(JSON.stringify(replay.getState().doc)).toBe(JSON.stringify(store.getState().doc));
      }),
      { numRuns: 40 },
    );
  });
});

describe('a gesture', () => {
  const start = () => newDocumentStore(doc(['a', 'b']));
  const type = (store: ReturnType<typeof start>, title: string, gesture = 'title') => {
    store.getState().apply(editTasks(store.getState().doc, ['a'], { title }, gesture));
  };

  it('is one step', () => {
    const store = start();
    for (const text of ['l', 'lo', 'loa', 'load']) type(store, text);
    expect(store.getState().past).toHaveLength(1);
    store.getState().undo();
    expect(store.getState().doc.jobs[0]?.tasks?.[0]?.title).toBeUndefined();
    store.getState().redo();
    expect(store.getState().doc.jobs[0]?.tasks?.[0]?.title).toBe('load');
  });
  it('ends by endGesture, by another gesture, and by a selection', () => {
    const store = start();
    type(store, 'a');
    store.getState().endGesture();
    type(store, 'b');
    type(store, 'c', 'other');
    store.getState().select({ tasks: ['b'] });
    type(store, 'd', 'other');
    expect(store.getState().past).toHaveLength(4);
  });
  it('does not continue after an undo', () => {
    const store = start();
    type(store, 'a');
    type(store, 'b', 'other');
    store.getState().undo();
    type(store, 'c');
    expect(store.getState().past).toHaveLength(2);
  });
});

describe('the selection', () => {
  it('is the added task, and is restored by undo', () => {
    const store = newDocumentStore(doc(['a', 'b']));
    store.getState().select({ tasks: ['b'] });
    store.getState().apply(addTask(store.getState().doc, 'j0', { handler: 'shell', key: 'a' }));
    expect(store.getState().selection).toEqual({ tasks: ['a2'] });
    store.getState().undo();
    expect(store.getState().selection).toEqual({ tasks: ['b'] });
  });
  it('does not contain removed things', () => {
    const store = newDocumentStore(doc(['a', 'b'], ['c: a']));
    store.getState().select({ tasks: [], edge: { from: 'a', to: 'c' } });
    store.getState().apply({ ...removeTasks(store.getState().doc, ['a'])!, select: undefined });
    expect(store.getState().selection).toEqual({ tasks: [] });
    store.getState().select({ tasks: ['b', 'c'] });
    store.getState().apply({ ...renameTask(store.getState().doc, 'b', 'x')!, select: undefined });
    expect(store.getState().selection).toEqual({ tasks: ['c'] });
  });
  it('does not change if nothing else does', () => {
    const store = newDocumentStore(doc(['a']));
    const before = store.getState();
    store.getState().apply(undefined);
    store.getState().undo();
    store.getState().redo();
    expect(store.getState()).toBe(before);
  });
});
