import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { type Doc, editHead, newDocumentStore } from '@/document';
import { textChange, lineOf, TextSync, unsoundKeys } from './sync';

const doc = (title: string): Doc => ({ apiVersion: 'hivego/v1', kind: 'Schedule', name: 'x', title, jobs: [] });

/** A server whose YAML is `title: TEXT`; anything else cannot be read. Answers are given when they are asked for. */
function world(kept: string | null = null) {
  const store = newDocumentStore(doc('one'));
  const asked: (() => void)[] = [];
  const timers: { wait: number; call: () => void }[] = [];
  let keep = kept;
  const answer = (body: { yaml: string } | { doc: Doc }): Schemas['Converted'] => {
    if ('doc' in body) return { valid: true, document: `title: ${body.doc.title ?? ''}\n`, faults: [] };
    const title = /^title: (.*)\n?$/.exec(body.yaml)?.[1];
    return title === undefined
      ? { valid: false, faults: [{ code: 'syntax', path: '', line: 1, message: 'not YAML' }] }
      : { valid: true, document: body.yaml, definition: doc(title) as never, faults: [] };
  };
  const sync = new TextSync(store, {
    convert: (body) =>
      new Promise((done) => {
        asked.push(() => {
          done(answer(body));
        });
      }),
    storage: {
      read: () => keep,
      write: (text) => {
        keep = text;
      },
      remove: () => {
        keep = null;
      },
    },
    later: (wait, call) => {
      const timer = { wait, call };
      timers.push(timer);
      return () => {
        if (timers.includes(timer)) timers.splice(timers.indexOf(timer), 1);
      };
    },
  });
  sync.open();
  const settle = async () => {
    for (const timer of timers.splice(0).sort((a, b) => a.wait - b.wait)) timer.call();
    for (let n = 0; n < 5; n++) {
      asked.splice(0).forEach((go) => {
        go();
      });
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return {
    store,
    sync,
    settle,
    asked,
    kept: () => keep,
    title: () => store.getState().doc.title,
    text: () => sync.state.getState().text,
    status: () => sync.state.getState().status,
  };
}

describe('text and document', () => {
  it('starts with the text of the draft', async () => {
    const w = world();
    expect(w.status()).toBe('loading');
    await w.settle();
    expect([w.text(), w.status(), w.store.getState().past.length]).toEqual(['title: one\n', 'inSync', 0]);
  });
  it('applies typed text as one step, and leaves the text as it was typed', async () => {
    const w = world();
    await w.settle();
    w.sync.typed('title: t');
    w.sync.typed('title: two');
    expect(w.kept()).toBe('title: two');
    await w.settle();
    expect([w.title(), w.text(), w.status(), w.kept()]).toEqual(['two', 'title: two', 'inSync', null]);
    w.store.getState().undo();
    await w.settle();
    expect([w.title(), w.text()]).toEqual(['one', 'title: one\n']);
  });
  it('keeps a text that cannot be read, also after a crash, and does not change the document', async () => {
    const w = world();
    await w.settle();
    w.sync.typed('titl');
    await w.settle();
    expect([w.title(), w.status(), w.sync.state.getState().faults[0]?.line, w.kept()]).toEqual([
      'one',
      'rejected',
      1,
      'titl',
    ]);
    const again = world(w.kept());
    await again.settle();
    expect([again.text(), again.status(), again.title()]).toEqual(['titl', 'rejected', 'one']);
  });
  it('discards a text only on request', async () => {
    const w = world();
    await w.settle();
    w.sync.typed('titl');
    await w.settle();
    const back = w.sync.resetToDraft();
    await w.settle();
    await back;
    expect([w.text(), w.status(), w.kept()]).toEqual(['title: one\n', 'inSync', null]);
  });
  it('marks the text stale if the document changes elsewhere while the text cannot be read', async () => {
    const w = world();
    await w.settle();
    w.sync.typed('titl');
    await w.settle();
    w.store.getState().apply(editHead(w.store.getState().doc, { title: 'other' }));
    await w.settle();
    expect([w.text(), w.sync.state.getState().stale]).toEqual(['titl', true]);
    w.sync.typed('title: mine');
    await w.settle();
    expect([w.title(), w.status()]).toEqual(['other', 'rejected']); // until the person says so
    const take = w.sync.adoptText();
    await w.settle();
    await take;
    expect([w.title(), w.status()]).toEqual(['mine', 'inSync']);
  });
  it('uses only the newest answer', async () => {
    const w = world();
    await w.settle();
    w.sync.typed('title: slow');
    await w.settle();
    w.sync.typed('title: a');
    w.asked.splice(0);
    w.sync.typed('title: b');
    await w.settle();
    expect(w.title()).toBe('b');
  });
  it('reports that the server is out of reach, and keeps the text', async () => {
    const store = newDocumentStore(doc('one'));
    let keep: string | null = 'title: two';
    const sync = new TextSync(store, {
      convert: () => Promise.reject(new Error('gone')),
      storage: {
        read: () => keep,
        write: (text) => {
          keep = text;
        },
        remove: () => {
          keep = null;
        },
      },
      later: () => () => undefined,
    });
    sync.open();
    await new Promise((done) => {
      setTimeout(done);
    });
    expect([sync.state.getState().status, sync.state.getState().text, keep]).toEqual([
      'rejected',
      'title: two',
      'title: two',
    ]);
    expect(sync.state.getState().problem).toBeInstanceOf(Error);
  });
});

describe('helpers', () => {
  it('find duplicate and missing keys', () => {
    const bad: Doc = {
      ...doc('x'),
      jobs: [
        { key: 'a', tasks: [{ key: 'T', handler: 's' }] },
        {
          key: 'A',
          tasks: [
            { key: 't', handler: 's' },
            { key: '', handler: 's' },
          ],
        },
      ],
    };
    expect(unsoundKeys(bad)).toEqual([
      { localCode: 'duplicate', key: 'A' },
      { localCode: 'duplicate', key: 't' },
      { localCode: 'noKey' },
    ]);
    expect(unsoundKeys(doc('x'))).toEqual([]);
  });
  it('find the line of a key', () => {
    const text =
      'jobs:\n  - key: load\n    tasks:\n      - key: a\n        handler: shell\n' +
      '      - {key: b, handler: sql}\n      - key: "1e3"\n';
    expect(['load', 'a', 'b', '1e3', 'c'].map((key) => lineOf(text, key))).toEqual([2, 4, 6, 7, undefined]);
  });
  it('find the smallest change of a text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const c = textChange(a, b);
        expect(c ? a.slice(0, c.from) + c.insert + a.slice(c.to) : a).toBe(b);
      }),
    );
    expect(textChange('abcdef', 'abXdef')).toEqual({ from: 2, to: 3, insert: 'X' });
    expect(textChange('aa', 'aaa')).toEqual({ from: 2, to: 2, insert: 'a' });
  });
});
