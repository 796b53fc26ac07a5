import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addTask, type Conflict, type Doc, editHead, editTasks, removeTasks, tasksOf, taskOf } from '@/document';
import { FakeRoom, FakeServer, type Fate, Page } from './testing';

const doc = (...tasks: string[]): Doc => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: [{ key: 'j', tasks: tasks.map((key) => ({ key, handler: 'shell' })) }],
});
const keys = (of?: Doc) => tasksOf(of ?? doc()).map((task) => task.key);
const add = (page: Page, key: string) => {
  page.store.apply(addTask(page.store.doc, 'j', { key, handler: 'shell' }));
};
const title = (page: Page, text: string, task = 'a') => {
  page.store.apply(editTasks(page.store.doc, [task], { title: text }, 'title'));
};
const wait = (ms = 60_000) => vi.advanceTimersByTimeAsync(ms);
const open = async (server: FakeServer, room = new FakeRoom()) => {
  const page = new Page(server, room);
  await wait(0);
  return page;
};

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a draft', () => {
  it('opens what is published, and sends nothing', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', version: 0, base: { revision: 1 }, conflicts: [] });
    expect(server.puts).toBe(0);
  });
  it('is missing if there is nothing', async () => {
    const { draft } = await open(new FakeServer());
    expect(draft).toMatchObject({ state: 'failed', missing: true });
    expect(draft.store).toBeUndefined();
  });
  it('is on the server a moment later, once for changes in a row', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const page = await open(server, room);
    for (const text of ['l', 'lo', 'loa', 'load']) {
      title(page, text);
      expect(page.draft.state).toBe('saving');
      await wait(500);
    }
    await wait(1000);
    expect(server.puts).toBe(1);
    expect(taskOf(server.kept!.doc, 'a')?.title).toBe('load');
    expect(server.kept?.base).toBe(1);
    expect(page.draft).toMatchObject({ state: 'saved', version: 1, savedAt: 1001 });
    expect(room.length).toBe(0); // nothing is left here that is there
  });
  it('is sent at the latest after some seconds, though changes go on', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    for (let i = 0; i < 10; i++) {
      title(page, String(i));
      await wait(900);
    }
    expect(server.puts).toBeGreaterThanOrEqual(1);
  });
  it('survives a crash at once after a command, and undo of it', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    let page = await open(server, room);
    add(page, 'b');
    add(page, 'c');
    page.store.undo();
    page.crash();
    page = await open(server, room);
    expect(keys(page.draft.doc)).toEqual(['a', 'b']);
    await wait();
    expect(keys(server.kept?.doc)).toEqual(['a', 'b']);
    expect(room.length).toBe(0);
  });
  it('survives a crash between what was sent and the answer', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    let page = await open(server, room);
    title(page, 'one');
    server.fate = 'lost';
    await wait(1000);
    page.store.seal();
    title(page, 'two');
    page.crash();
    server.fate = 'well';
    page = await open(server, room);
    expect(page.draft.conflicts).toEqual([]);
    await wait();
    expect(taskOf(server.kept!.doc, 'a')?.title).toBe('two');
  });
  it('goes on when the answer is lost, without a conflict of its own making', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    title(page, 'one');
    server.fate = 'lost';
    await wait(1000);
    expect(page.draft.state).toBe('offline');
    server.fate = 'well';
    title(page, 'two');
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', conflicts: [] });
    expect(taskOf(server.kept!.doc, 'a')?.title).toBe('two');
  });
  it.each<Fate>(['offline', 'signedOut'])('keeps on here while the server is %s, and catches up', async (fate) => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    server.fate = fate;
    add(page, 'b');
    await wait();
    expect(page.draft).toMatchObject({ state: 'offline', kept: true });
    add(page, 'c');
    await wait();
    server.fate = 'well';
    await wait();
    expect(page.draft.state).toBe('saved');
    expect(keys(server.kept?.doc)).toEqual(['a', 'b', 'c']);
  });
  it('says what the server refuses, and tries again after the next change', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const page = await open(server, room);
    server.fate = 'refused';
    add(page, 'b');
    await wait();
    expect(page.draft.state).toBe('failed');
    expect(page.draft.error).toMatchObject({ status: 413 });
    expect(room.length).toBeGreaterThan(0);
    server.fate = 'well';
    add(page, 'c');
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', error: undefined });
  });
  it('says when this browser has no room', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server, new FakeRoom(200));
    server.fate = 'offline';
    add(page, 'b');
    await wait(10);
    expect(page.draft.kept).toBe(false);
    server.fate = 'well';
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', kept: true });
  });
  it('notes steps alone where there is no room for the document', async () => {
    const [server, room] = [
      new FakeServer(doc(...Array.from({ length: 40 }, (_, i) => `t${String(i)}`))),
      new FakeRoom(700),
    ];
    let page = await open(server, room);
    add(page, 'b');
    expect(page.draft.kept).toBe(true);
    page.crash();
    page = await open(server, room);
    expect(keys(page.draft.doc)).toContain('b');
  });
  it('is sent when the page is left', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    add(page, 'b');
    page.close();
    await wait(0);
    expect(keys(server.kept?.doc)).toEqual(['a', 'b']);
  });
  it('cannot be opened without the server, and can with it', async () => {
    const server = new FakeServer(doc('a'));
    server.fate = 'offline';
    const page = await open(server);
    expect(page.draft.state).toBe('offline');
    expect(page.draft.store).toBeUndefined();
    server.fate = 'well';
    page.keeper.retry();
    await wait(0);
    expect(page.draft.state).toBe('saved');
  });
});

describe('two pages', () => {
  it('merge, as one command that can be undone, and both end the same', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const [one, two] = [await open(server, room), await open(server, room)];
    add(one, 'b');
    add(two, 'c');
    await wait();
    title(one, 'x');
    await wait();
    expect(keys(one.store.doc).sort()).toEqual(['a', 'b', 'c']);
    expect(keys(two.store.doc).sort()).toEqual(['a', 'b', 'c']);
    expect(two.store.past.at(-1)?.label.did).toBe('merge');
    two.store.undo();
    expect(keys(two.store.doc)).toEqual(['a', 'c']);
  });
  it('show what both changed, until it is settled, even after a crash', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const one = await open(server, room);
    let two = await open(server, new FakeRoom());
    title(one, 'one');
    await wait();
    title(two, 'two');
    await wait();
    expect(two.draft.conflicts).toMatchObject([{ task: 'a', field: 'title', mine: 'two', theirs: 'one' }]);
    two.crash();
    two = await open(server, new FakeRoom());
    expect(two.draft.conflicts).toEqual([]); // another browser
    one.close();
  });
  it('settle a conflict for either side', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const [one, other] = [await open(server), await open(server, room)];
    title(one, 'one');
    await wait();
    title(other, 'two');
    await wait();
    other.crash();
    const two = await open(server, room);
    const [conflict] = two.draft.conflicts;
    two.keeper.settle(conflict!, 'theirs');
    await wait();
    expect(taskOf(server.kept!.doc, 'a')?.title).toBe('one');
    expect(two.draft.conflicts).toEqual([]);
    expect(room.length).toBe(0);
  });
  it('notice that the draft was published or thrown away on the other', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const [one, two] = [await open(server, room), await open(server, room)];
    add(one, 'b');
    await wait();
    add(two, 'c');
    await wait();
    one.keeper.published(server.publish(one.store.doc), one.store.doc);
    await wait();
    title(two, 'x');
    await wait();
    expect(two.draft.base?.revision).toBe(2);
    expect(keys(two.store.doc)).toEqual(keys(server.kept?.doc));
    expect(server.kept?.base).toBe(2);
  });
});

describe('publishing', () => {
  it('ends the draft', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const page = await open(server, room);
    add(page, 'b');
    await wait();
    page.keeper.published(server.publish(page.store.doc), page.store.doc);
    await wait();
    expect(server.kept).toBeUndefined();
    expect(page.draft).toMatchObject({ state: 'saved', version: 0, base: { revision: 2 }, savedAt: undefined });
    add(page, 'c');
    await wait();
    expect(server.kept).toMatchObject({ base: 2, version: 1 });
  });
  it('leaves what was changed since as a draft of the new revision', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    add(page, 'b');
    const { doc: sent } = page.store;
    const revision = server.publish(sent);
    add(page, 'c');
    page.keeper.published(revision, sent);
    await wait();
    expect(server.kept?.base).toBe(2);
    expect(keys(server.kept?.doc)).toEqual(['a', 'b', 'c']);
  });
  it('by somebody else is merged when the draft is opened, and can be undone', async () => {
    const server = new FakeServer(doc('a'));
    let page = await open(server);
    add(page, 'b');
    await wait();
    page.close();
    server.publish(doc('a', 'z'));
    page = await open(server);
    expect(keys(page.store.doc).sort()).toEqual(['a', 'b', 'z']);
    expect(page.draft.base?.revision).toBe(2);
    expect(page.store.past).toMatchObject([{ label: { did: 'merge' } }]);
    await wait();
    expect(server.kept?.base).toBe(2);
  });
  it('by somebody else is merged when the page says so', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    title(page, 'mine');
    const theirs = doc('a', 'z');
    theirs.jobs[0]!.tasks![0]!.title = 'theirs';
    page.keeper.rebase(server.publish(theirs), theirs);
    await wait();
    expect(page.draft.conflicts).toMatchObject([{ field: 'title', mine: 'mine', theirs: 'theirs' }]);
    expect(keys(server.kept?.doc)).toEqual(['a', 'z']);
    expect(server.kept?.base).toBe(2);
  });
  it('and throwing away: the schedule is as published, and undo brings the draft back', async () => {
    const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
    const page = await open(server, room);
    add(page, 'b');
    await wait();
    await page.keeper.discard();
    expect(keys(page.store.doc)).toEqual(['a']);
    expect(server.kept).toBeUndefined();
    expect(room.length).toBe(0);
    page.store.undo();
    await wait();
    expect(keys(server.kept?.doc)).toEqual(['a', 'b']);
  });
  it('of a draft whose revision is gone opens all the same', async () => {
    const server = new FakeServer(doc('a'));
    server.kept = { version: 3, base: 9, doc: doc('a', 'b'), savedAt: 1 };
    const page = await open(server);
    expect(keys(page.store.doc)).toContain('b');
  });
});

describe('whatever happens', () => {
  type Act =
    { page: 0 | 1; act: 'add' | 'title' | 'remove' | 'head' | 'undo' | 'wait' | 'crash' | 'close' } | { fate: Fate };
  const anyAct: fc.Arbitrary<Act> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        page: fc.constantFrom(0 as const, 1 as const),
        act: fc.constantFrom(
          'add' as const,
          'title' as const,
          'head' as const,
          'wait' as const,
          'add' as const,
          'title' as const,
        ),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        page: fc.constantFrom(0 as const, 1 as const),
        act: fc.constantFrom('crash' as const, 'close' as const),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        fate: fc.constantFrom<Fate>('well', 'well', 'offline', 'lost', 'twice', 'refused', 'signedOut'),
      }),
    },
  );

  it('each edit is in the document at the end, was changed knowingly, or is in a conflict that is shown', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAct, { maxLength: 30 }), fc.constantFrom(0, 300, 1500), async (acts, pause) => {
        const [server, room] = [new FakeServer(doc('a')), new FakeRoom()];
        const shown: Conflict[] = [];
        const watch = (page: Page) => {
          page.keeper.state.subscribe(({ conflicts }) => shown.push(...conflicts));
        };
        const opened = async () => {
          const fate = server.fate;
          if (fate === 'offline' || fate === 'signedOut') server.fate = 'well';
          const page = await open(server, room);
          server.fate = fate;
          watch(page);
          shown.push(...page.draft.conflicts);
          return page;
        };
        const pages = [await opened(), await opened()];
        const added: string[] = [];
        const values = { title: new Set<string>(), head: new Set<string>() };
        const knowing = new Set<string>(); // values that somebody saw and replaced
        let n = 0;
        for (const act of acts) {
          if ('fate' in act) {
            server.fate = act.fate;
            continue;
          }
          const page = pages[act.page]!;
          const value = `v${String(++n)}`;
          if (act.act === 'add') {
            added.push(value);
            add(page, value);
          } else if (act.act === 'title') {
            knowing.add(taskOf(page.store.doc, 'a')?.title ?? '');
            values.title.add(value);
            page.store.seal();
            title(page, value);
          } else if (act.act === 'head') {
            knowing.add(page.store.doc.title ?? '');
            values.head.add(value);
            page.store.apply(editHead(page.store.doc, { title: value }));
          } else if (act.act === 'wait') await wait(pause);
          else {
            if (act.act === 'crash') page.crash();
            else page.close();
            pages[act.page] = await opened();
          }
        }
        server.fate = 'well';
        for (let i = 0; i < 3; i++) {
          for (const page of pages) {
            page.keeper.retry();
            await wait(120_000);
          }
        }
        pages.forEach((page) => {
          page.crash();
        });
        const last = await opened();
        await wait();
        const { doc: end } = last.store;
        expect(keys(end)).toEqual(expect.arrayContaining(added));
        expect(new Set(keys(end)).size).toBe(keys(end).length);
        const inConflict = (value: string) =>
          shown.some(({ mine, theirs, base }) => [mine, theirs, base].includes(value));
        for (const value of values.title)
          expect(taskOf(end, 'a')?.title === value || knowing.has(value) || inConflict(value), `title ${value}`).toBe(
            true,
          );
        for (const value of values.head)
          expect(end.title === value || knowing.has(value) || inConflict(value), `head ${value}`).toBe(true);
        expect(room.all.size).toBe(last.draft.conflicts.length > 0 ? 1 : 0);
        last.crash();
        vi.clearAllTimers();
      }),
      { numRuns: 120 },
    );
  });

  it('a task that one page removes and the other changes is shown', async () => {
    const [server, room] = [new FakeServer(doc('a', 'b')), new FakeRoom()];
    const [one, two] = [await open(server, room), await open(server, room)];
    one.store.apply(removeTasks(one.store.doc, ['a']));
    await wait();
    title(two, 'x');
    await wait();
    expect(two.draft.conflicts).toMatchObject([{ path: 'tasks.a', task: 'a', mine: { title: 'x' } }]);
    expect(keys(server.kept?.doc)).toContain('a');
  });
});
