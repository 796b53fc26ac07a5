import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { removeTasks, taskOf } from '@/document';
import { add, doc, FakeServer, FakeStorage, keys, open, type Outcome, title, wait } from './testing';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a draft', () => {
  it('opens the published document, and sends nothing', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', version: 0, base: { revision: 1 }, conflicts: [] });
    expect(server.puts).toBe(0);
  });
  it('is missing if there is neither schedule nor draft', async () => {
    const { draft } = await open(new FakeServer());
    expect(draft).toMatchObject({ state: 'failed', missing: true });
    expect(draft.store).toBeUndefined();
  });
  it('is sent a moment later, once for consecutive changes', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const page = await open(server, storage);
    for (const text of ['l', 'lo', 'loa', 'load']) {
      title(page, text);
      expect(page.draft.state).toBe('saving');
      await wait(500);
    }
    await wait(1000);
    expect(server.puts).toBe(1);
    expect(taskOf(server.stored!.doc, 'a')?.title).toBe('load');
    expect(server.stored?.base).toBe(1);
    expect(page.draft).toMatchObject({ state: 'saved', version: 1, savedAt: 1001 });
    expect(storage.length).toBe(0); // nothing is left here that is there
  });
  it('is sent after some seconds at the latest, even while changes continue', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    for (let i = 0; i < 10; i++) {
      title(page, String(i));
      await wait(900);
    }
    expect(server.puts).toBeGreaterThanOrEqual(1);
  });
  it('is removed once all changes were undone, and made again by the next one', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const page = await open(server, storage);
    add(page, 'b');
    await wait(2000);
    expect(server.stored?.version).toBe(1);
    page.store.undo();
    await wait(2000);
    expect(server.stored).toBeUndefined();
    expect(page.draft).toMatchObject({ state: 'saved', version: 0 });
    expect(storage.length).toBe(0);
    page.store.redo();
    await wait(2000);
    expect(keys(server.stored?.doc)).toEqual(['a', 'b']);
  });
  it('stays while the server is out of reach, and is removed later', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    add(page, 'b');
    await wait(2000);
    server.outcome = 'offline';
    page.store.undo();
    await wait(2000);
    expect(page.draft.state).toBe('offline');
    server.outcome = 'well';
    await wait(5000);
    expect(server.stored).toBeUndefined();
    expect(page.draft.state).toBe('saved');
  });
  it('survives a crash right after a command or an undo', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    let page = await open(server, storage);
    add(page, 'b');
    add(page, 'c');
    page.store.undo();
    page.crash();
    page = await open(server, storage);
    expect(keys(page.draft.doc)).toEqual(['a', 'b']);
    await wait();
    expect(keys(server.stored?.doc)).toEqual(['a', 'b']);
    expect(storage.length).toBe(0);
  });
  it('survives a crash between a request and its answer', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    let page = await open(server, storage);
    title(page, 'one');
    server.outcome = 'lost';
    await wait(1000);
    page.store.endGesture();
    title(page, 'two');
    page.crash();
    server.outcome = 'well';
    page = await open(server, storage);
    expect(page.draft.conflicts).toEqual([]);
    await wait();
    expect(taskOf(server.stored!.doc, 'a')?.title).toBe('two');
  });
  it('continues after a lost answer without a conflict', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    title(page, 'one');
    server.outcome = 'lost';
    await wait(1000);
    expect(page.draft.state).toBe('offline');
    server.outcome = 'well';
    title(page, 'two');
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', conflicts: [] });
    expect(taskOf(server.stored!.doc, 'a')?.title).toBe('two');
  });
  it.each<Outcome>(['offline', 'signedOut'])(
    'keeps on here while the server is %s, and catches up',
    async (outcome) => {
      const server = new FakeServer(doc('a'));
      const page = await open(server);
      server.outcome = outcome;
      add(page, 'b');
      await wait();
      expect(page.draft).toMatchObject({ state: 'offline', storedLocally: true });
      add(page, 'c');
      await wait();
      server.outcome = 'well';
      await wait();
      expect(page.draft.state).toBe('saved');
      expect(keys(server.stored?.doc)).toEqual(['a', 'b', 'c']);
    },
  );
  it('shows the refusal of the server, and retries after the next change', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const page = await open(server, storage);
    server.outcome = 'refused';
    add(page, 'b');
    await wait();
    expect(page.draft.state).toBe('failed');
    expect(page.draft.error).toMatchObject({ status: 413 });
    expect(storage.length).toBeGreaterThan(0);
    server.outcome = 'well';
    add(page, 'c');
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', error: undefined });
  });
  it('shows that the browser has no room', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server, new FakeStorage(200));
    server.outcome = 'offline';
    add(page, 'b');
    await wait(10);
    expect(page.draft.storedLocally).toBe(false);
    server.outcome = 'well';
    await wait();
    expect(page.draft).toMatchObject({ state: 'saved', storedLocally: true });
  });
  it('notes only the steps if there is no room for the document', async () => {
    const [server, storage] = [
      new FakeServer(doc(...Array.from({ length: 40 }, (_, i) => `t${String(i)}`))),
      new FakeStorage(700),
    ];
    let page = await open(server, storage);
    add(page, 'b');
    expect(page.draft.storedLocally).toBe(true);
    page.crash();
    page = await open(server, storage);
    expect(keys(page.draft.doc)).toContain('b');
  });
  it('is sent when the page is closed', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    add(page, 'b');
    page.close();
    await wait(0);
    expect(keys(server.stored?.doc)).toEqual(['a', 'b']);
  });
  it('is opened once the server is in reach again', async () => {
    const server = new FakeServer(doc('a'));
    server.outcome = 'offline';
    const page = await open(server);
    expect(page.draft.state).toBe('offline');
    expect(page.draft.store).toBeUndefined();
    server.outcome = 'well';
    page.sync.retry();
    await wait(0);
    expect(page.draft.state).toBe('saved');
  });
});

describe('two pages', () => {
  it('merge by one command that can be undone, and end with the same document', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const [one, two] = [await open(server, storage), await open(server, storage)];
    add(one, 'b');
    add(two, 'c');
    await wait();
    title(one, 'x');
    await wait();
    expect(keys(one.store.doc).sort()).toEqual(['a', 'b', 'c']);
    expect(keys(two.store.doc).sort()).toEqual(['a', 'b', 'c']);
    expect(two.store.past.at(-1)?.label.kind).toBe('merge');
    two.store.undo();
    expect(keys(two.store.doc)).toEqual(['a', 'c']);
  });
  it('show a conflict until it is resolved, even after a crash', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const one = await open(server, storage);
    let two = await open(server, new FakeStorage());
    title(one, 'one');
    await wait();
    title(two, 'two');
    await wait();
    expect(two.draft.conflicts).toMatchObject([{ task: 'a', field: 'title', mine: 'two', theirs: 'one' }]);
    two.crash();
    two = await open(server, new FakeStorage());
    expect(two.draft.conflicts).toEqual([]); // another browser
    one.close();
  });
  it('resolve a conflict for either side', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const [one, other] = [await open(server), await open(server, storage)];
    title(one, 'one');
    await wait();
    title(other, 'two');
    await wait();
    other.crash();
    const two = await open(server, storage);
    const [conflict] = two.draft.conflicts;
    two.sync.resolveConflict(conflict!, 'theirs');
    await wait();
    expect(taskOf(server.stored!.doc, 'a')?.title).toBe('one');
    expect(two.draft.conflicts).toEqual([]);
    expect(storage.length).toBe(0);
  });
  it('notice that the draft was published or discarded on the other one', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const [one, two] = [await open(server, storage), await open(server, storage)];
    add(one, 'b');
    await wait();
    add(two, 'c');
    await wait();
    one.sync.published(server.publish(one.store.doc), one.store.doc);
    await wait();
    title(two, 'x');
    await wait();
    expect(two.draft.base?.revision).toBe(2);
    expect(keys(two.store.doc)).toEqual(keys(server.stored?.doc));
    expect(server.stored?.base).toBe(2);
  });
  it('show a conflict for a task that one removes and the other changes', async () => {
    const [server, storage] = [new FakeServer(doc('a', 'b')), new FakeStorage()];
    const [one, two] = [await open(server, storage), await open(server, storage)];
    one.store.apply(removeTasks(one.store.doc, ['a']));
    await wait();
    title(two, 'x');
    await wait();
    expect(two.draft.conflicts).toMatchObject([{ path: 'tasks.a', task: 'a', mine: { title: 'x' } }]);
    expect(keys(server.stored?.doc)).toContain('a');
  });
});

describe('publishing', () => {
  it('ends the draft', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const page = await open(server, storage);
    add(page, 'b');
    await wait();
    page.sync.published(server.publish(page.store.doc), page.store.doc);
    await wait();
    expect(server.stored).toBeUndefined();
    expect(page.draft).toMatchObject({ state: 'saved', version: 0, base: { revision: 2 }, savedAt: undefined });
    add(page, 'c');
    await wait();
    expect(server.stored).toMatchObject({ base: 2, version: 1 });
  });
  it('keeps later changes as a draft of the new revision', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    add(page, 'b');
    const { doc: sent } = page.store;
    const revision = server.publish(sent);
    add(page, 'c');
    page.sync.published(revision, sent);
    await wait();
    expect(server.stored?.base).toBe(2);
    expect(keys(server.stored?.doc)).toEqual(['a', 'b', 'c']);
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
    expect(page.store.past).toMatchObject([{ label: { kind: 'merge' } }]);
    await wait();
    expect(server.stored?.base).toBe(2);
  });
  it('by somebody else is merged on request', async () => {
    const server = new FakeServer(doc('a'));
    const page = await open(server);
    title(page, 'mine');
    const theirs = doc('a', 'z');
    theirs.jobs[0]!.tasks![0]!.title = 'theirs';
    page.sync.rebase(server.publish(theirs), theirs);
    await wait();
    expect(page.draft.conflicts).toMatchObject([{ field: 'title', mine: 'mine', theirs: 'theirs' }]);
    expect(keys(server.stored?.doc)).toEqual(['a', 'z']);
    expect(server.stored?.base).toBe(2);
  });
  it('and then discarding shows the published document, and undo restores the draft', async () => {
    const [server, storage] = [new FakeServer(doc('a')), new FakeStorage()];
    const page = await open(server, storage);
    add(page, 'b');
    await wait();
    await page.sync.discard();
    expect(keys(page.store.doc)).toEqual(['a']);
    expect(server.stored).toBeUndefined();
    expect(storage.length).toBe(0);
    page.store.undo();
    await wait();
    expect(keys(server.stored?.doc)).toEqual(['a', 'b']);
  });
  it('does not prevent opening a draft whose revision was deleted', async () => {
    const server = new FakeServer(doc('a'));
    server.stored = { version: 3, base: 9, doc: doc('a', 'b'), savedAt: 1 };
    const page = await open(server);
    expect(keys(page.store.doc)).toContain('b');
  });
});
