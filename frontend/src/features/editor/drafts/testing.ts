import { ApiError, OfflineError } from '@/api/client';
import { type Doc, ordered } from '@/document';
import { Journal, type Room } from './journal';
import { DraftKeeper } from './keeper';
import type { DraftServer, ServerDraft } from './types';

const refusal = (status: number) =>
  new ApiError(status, {
    type: 'about:blank',
    title: 'x',
    status,
    code: 'conflict',
    detail: 'x',
  } as ApiError['problem']);

/** How the next call to put goes: `lost` is kept, but nobody is told; `twice` comes twice. */
export type Fate = 'well' | 'offline' | 'lost' | 'twice' | 'refused' | 'signedOut';

/** For tests: a server that keeps one schedule and one draft, compares versions, and fails as it is told. */
export class FakeServer {
  revisions: Doc[];
  kept?: ServerDraft;
  fate: Fate = 'well';
  puts = 0;

  constructor(...revisions: Doc[]) {
    this.revisions = revisions.map(ordered);
  }

  publish(doc: Doc): number {
    this.revisions.push(copy(doc));
    return this.revisions.length;
  }

  /** What a page sees of it, until it crashes. */
  seenBy(page: { alive: boolean }): DraftServer {
    const call = async <T>(answer: () => T): Promise<T> => {
      await Promise.resolve();
      if (!page.alive) return new Promise<T>(() => undefined);
      if (this.fate === 'offline') throw new OfflineError();
      if (this.fate === 'signedOut') throw refusal(401);
      const value = answer();
      await Promise.resolve();
      return page.alive ? value : new Promise<T>(() => undefined);
    };
    const put = ({ version, base, doc }: { version: number; base: number; doc: Doc }) => {
      if ((this.kept?.version ?? 0) !== version) throw refusal(409);
      this.kept = { version: version + 1, base, doc: copy(doc), savedAt: 1000 + ++this.puts };
      return { version: version + 1, savedAt: this.kept.savedAt };
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
      draft: () => call(() => this.kept && { ...this.kept, doc: copy(this.kept.doc) }),
      put: (draft) =>
        call(() => {
          const fate = this.fate;
          if (fate === 'refused') throw refusal(413);
          const answer = put(draft);
          if (fate === 'lost') throw new OfflineError();
          if (fate === 'twice') {
            try {
              put(draft);
            } catch {
              // The second one comes too late, as it should.
            }
          }
          return answer;
        }),
      remove: (version) =>
        call(() => {
          if (version > 0 && this.kept && this.kept.version !== version) throw refusal(409);
          this.kept = undefined;
        }),
    };
  }
}

const copy = (doc: Doc): Doc => JSON.parse(JSON.stringify(doc)) as Doc;

/** For tests: what a browser keeps, with so much room. */
export class FakeRoom implements Room {
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

/** For tests: a page with the editor on it. */
export class Page {
  alive = true;
  readonly keeper: DraftKeeper;
  private readonly stop: () => void;

  constructor(server: FakeServer, room: FakeRoom) {
    const page = { alive: () => this.alive };
    const seen: Room = {
      get length() {
        return room.length;
      },
      key: room.key,
      getItem: room.getItem,
      setItem: (key, text) => {
        if (page.alive()) room.setItem(key, text);
      },
      removeItem: (key) => {
        if (page.alive()) room.removeItem(key);
      },
    };
    this.keeper = new DraftKeeper({
      server: server.seenBy(this),
      journal: new Journal(seen, 'ada', 'x'),
      empty: { apiVersion: 'hivego/v1', kind: 'Schedule', name: 'x', jobs: [] },
      newId: () => `p${String(++ids)}`,
    });
    this.stop = this.keeper.start();
  }

  get draft() {
    return this.keeper.state.getState();
  }
  get store() {
    const { store } = this.draft;
    if (!store) throw new Error('it is not open');
    return store.getState();
  }

  /** It is gone from one moment to the next. */
  crash(): void {
    this.alive = false;
    this.stop();
  }

  close(): void {
    this.stop();
  }
}
