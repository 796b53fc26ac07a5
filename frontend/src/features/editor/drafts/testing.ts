import { vi } from 'vitest';
import { ApiError, OfflineError } from '@/api/client';
import { addTask, type Doc, editTasks, ordered, tasksOf } from '@/document';
import { DraftSync } from './draftSync';
import { Journal, type NoteStorage } from './journal';
import type { DraftServer, ServerDraft } from './types';

const refusal = (status: number) =>
  new ApiError(status, {
    type: 'about:blank',
    title: 'x',
    status,
    code: 'conflict',
    detail: 'x',
  } as ApiError['problem']);

/**
 * How calls to the server end. `lost` stores the draft but loses the answer; with `twice` each request arrives twice.
 */
export type Outcome = 'well' | 'offline' | 'lost' | 'twice' | 'refused' | 'signedOut';

/** For tests: a server with one schedule and one draft. It compares versions, and fails as `outcome` says. */
export class FakeServer {
  revisions: Doc[];
  stored?: ServerDraft;
  outcome: Outcome = 'well';
  puts = 0;

  constructor(...revisions: Doc[]) {
    this.revisions = revisions.map(ordered);
  }

  /** Publishes a document as somebody else would; returns its revision. */
  publish(doc: Doc): number {
    this.revisions.push(copy(doc));
    return this.revisions.length;
  }

  /** The server for one page: it never answers a page that has crashed. */
  seenBy(page: { alive: boolean }): DraftServer {
    const call = async <T>(answer: () => T): Promise<T> => {
      await Promise.resolve();
      if (!page.alive) return new Promise<T>(() => undefined);
      if (this.outcome === 'offline') throw new OfflineError();
      if (this.outcome === 'signedOut') throw refusal(401);
      const value = answer();
      await Promise.resolve();
      return page.alive ? value : new Promise<T>(() => undefined);
    };
    const put = ({ version, base, doc }: { version: number; base: number; doc: Doc }) => {
      if ((this.stored?.version ?? 0) !== version) throw refusal(409);
      this.stored = { version: version + 1, base, doc: copy(doc), savedAt: 1000 + ++this.puts };
      return { version: version + 1, savedAt: this.stored.savedAt };
    };
    return {
      published: () =>
        call(() => {
          const newest = this.revisions.at(-1);
          return newest && { revision: this.revisions.length, doc: copy(newest) };
        }),
      revision: (number) =>
        call(() => {
          const doc = this.revisions[number - 1];
          if (!doc) throw refusal(404);
          return copy(doc);
        }),
      draft: () => call(() => this.stored && { ...this.stored, doc: copy(this.stored.doc) }),
      put: (draft) =>
        call(() => {
          const outcome = this.outcome;
          if (outcome === 'refused') throw refusal(413);
          const answer = put(draft);
          if (outcome === 'lost') throw new OfflineError();
          if (outcome === 'twice') {
            try {
              put(draft);
            } catch {
              // The second request is refused, as it should be.
            }
          }
          return answer;
        }),
      remove: (version) =>
        call(() => {
          if (version > 0 && this.stored && this.stored.version !== version) throw refusal(409);
          this.stored = undefined;
        }),
    };
  }
}

const copy = (doc: Doc): Doc => JSON.parse(JSON.stringify(doc)) as Doc;

/** For tests: a localStorage with room for `size` characters. */
export class FakeStorage implements NoteStorage {
  readonly all = new Map<string, string>();
  constructor(readonly size = Infinity) {}
  get length() {
    return this.all.size;
  }
  key = (i: number) => [...this.all.keys()][i] ?? null;
  getItem = (key: string) => this.all.get(key) ?? null;
  removeItem = (key: string) => {
    this.all.delete(key);
  };
  setItem = (key: string, text: string) => {
    const used = [...this.all].reduce((sum, [name, kept]) => sum + (name === key ? 0 : name.length + kept.length), 0);
    if (used + key.length + text.length > this.size) throw new DOMException('full', 'QuotaExceededError');
    this.all.set(key, text);
  };
}

let ids = 0;

/** For tests: a page that edits the draft. */
export class Page {
  alive = true;
  readonly sync: DraftSync;
  private readonly stop: () => void;

  constructor(server: FakeServer, storage: FakeStorage) {
    const page = { alive: () => this.alive };
    const seen: NoteStorage = {
      get length() {
        return storage.length;
      },
      key: storage.key,
      getItem: storage.getItem,
      setItem: (key, text) => {
        if (page.alive()) storage.setItem(key, text);
      },
      removeItem: (key) => {
        if (page.alive()) storage.removeItem(key);
      },
    };
    this.sync = new DraftSync({
      server: server.seenBy(this),
      journal: new Journal(seen, 'ada', 'x'),
      empty: { apiVersion: 'hivego/v1', kind: 'Schedule', name: 'x', jobs: [] },
      newId: () => `p${String(++ids)}`,
    });
    this.stop = this.sync.start();
  }

  /** The draft as the page shows it. */
  get draft() {
    return this.sync.state.getState();
  }
  /** The state of the document. */
  get store() {
    const { store } = this.draft;
    if (!store) throw new Error('the draft is not open');
    return store.getState();
  }

  /** Stops the page as a crash does: nothing that it does afterwards has an effect. */
  crash(): void {
    this.alive = false;
    this.stop();
  }

  /** Closes the page, which sends unsaved changes. */
  close(): void {
    this.stop();
  }
}

/** For tests: a document with one job and these tasks. */
export const doc = (...tasks: string[]): Doc => ({
  apiVersion: 'hivego/v1',
  kind: 'Schedule',
  name: 'x',
  jobs: [{ key: 'j', tasks: tasks.map((key) => ({ key, handler: 'shell' })) }],
});

/** For tests: the keys of a document's tasks; of the tasks of an empty one if it is undefined. */
export const keys = (of?: Doc): string[] => tasksOf(of ?? doc()).map((task) => task.key);

/** For tests: adds a task on a page. */
export const add = (page: Page, key: string): void => {
  page.store.apply(addTask(page.store.doc, 'j', { key, handler: 'shell' }));
};

/** For tests: types the title of a task on a page. */
export const title = (page: Page, text: string, task = 'a'): void => {
  page.store.apply(editTasks(page.store.doc, [task], { title: text }, 'title'));
};

/** For tests: lets so many milliseconds of the fake clock pass. */
export const wait = (ms = 60_000) => vi.advanceTimersByTimeAsync(ms);

/** For tests: opens a page, and waits until it has its draft. */
export const open = async (server: FakeServer, storage = new FakeStorage()): Promise<Page> => {
  const page = new Page(server, storage);
  await wait(0);
  return page;
};
