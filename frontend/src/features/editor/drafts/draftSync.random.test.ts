import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Conflict, editHead, taskOf } from '@/document';
import { add, doc, FakeServer, FakeStorage, keys, open, type Outcome, Page, title, wait } from './testing';

const EDITS = ['add', 'title', 'head', 'wait', 'add', 'title'] as const;
const ENDS = ['crash', 'close'] as const;
const OUTCOMES = ['well', 'well', 'offline', 'lost', 'twice', 'refused', 'signedOut'] as const satisfies Outcome[];

type Act = { page: 0 | 1; act: (typeof EDITS)[number] | (typeof ENDS)[number] } | { outcome: Outcome };

const anyPage = fc.constantFrom(0 as const, 1 as const);
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ page: anyPage, act: fc.constantFrom(...EDITS) }) },
  { weight: 1, arbitrary: fc.record({ page: anyPage, act: fc.constantFrom(...ENDS) }) },
  { weight: 1, arbitrary: fc.record({ outcome: fc.constantFrom<Outcome>(...OUTCOMES) }) },
);

/** Two pages of one browser that edit one draft, with the result of each edit. */
class History {
  readonly server = new FakeServer(doc('a'));
  readonly storage = new FakeStorage();
  /** All conflicts that a page has shown. */
  readonly shown: Conflict[] = [];
  readonly added: string[] = [];
  readonly titles = new Set<string>();
  readonly heads = new Set<string>();
  /** Values that somebody saw and replaced. */
  readonly replaced = new Set<string>();
  private readonly pages: Page[] = [];
  private values = 0;

  constructor(private readonly pause: number) {}

  async start(): Promise<void> {
    this.pages.push(await this.openPage(), await this.openPage());
  }

  async openPage(): Promise<Page> {
    const { outcome } = this.server;
    if (outcome === 'offline' || outcome === 'signedOut') this.server.outcome = 'well';
    const page = await open(this.server, this.storage);
    this.server.outcome = outcome;
    page.sync.state.subscribe(({ conflicts }) => this.shown.push(...conflicts));
    this.shown.push(...page.draft.conflicts);
    return page;
  }

  async run(act: Act): Promise<void> {
    if ('outcome' in act) {
      this.server.outcome = act.outcome;
      return;
    }
    const page = this.pages[act.page]!;
    const value = `v${String(++this.values)}`;
    switch (act.act) {
      case 'add':
        this.added.push(value);
        add(page, value);
        return;
      case 'title':
        this.replaced.add(taskOf(page.store.doc, 'a')?.title ?? '');
        this.titles.add(value);
        page.store.endGesture();
        title(page, value);
        return;
      case 'head':
        this.replaced.add(page.store.doc.title ?? '');
        this.heads.add(value);
        page.store.apply(editHead(page.store.doc, { title: value }));
        return;
      case 'wait':
        await wait(this.pause);
        return;
      case 'crash':
      case 'close':
        page[act.act]();
        this.pages[act.page] = await this.openPage();
    }
  }

  /** Lets both pages send their changes, and opens a last page. */
  async end(): Promise<Page> {
    this.server.outcome = 'well';
    for (let i = 0; i < 3; i++) {
      for (const page of this.pages) {
        page.sync.retry();
        await wait(120_000);
      }
    }
    this.pages.forEach((page) => {
      page.crash();
    });
    const last = await this.openPage();
    await wait();
    return last;
  }

  /** Whether somebody replaced a value knowingly, or saw it in a conflict. */
  accountedFor(value: string): boolean {
    const inConflict = ({ mine, theirs, base }: Conflict) => [mine, theirs, base].includes(value);
    return this.replaced.has(value) || this.shown.some(inConflict);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('each edit is in the final document, was replaced by a page that had it, or is in a shown conflict', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyAct, { maxLength: 30 }), fc.constantFrom(0, 300, 1500), async (acts, pause) => {
      const history = new History(pause);
      await history.start();
      for (const act of acts) await history.run(act);
      const last = await history.end();
      const { doc: end } = last.store;
      expect(keys(end)).toEqual(expect.arrayContaining(history.added));
      expect(new Set(keys(end)).size).toBe(keys(end).length);
      const title = taskOf(end, 'a')?.title;
      for (const value of history.titles)
        expect(title === value || history.accountedFor(value), `title ${value}`).toBe(true);
      for (const value of history.heads)
        expect(end.title === value || history.accountedFor(value), `head ${value}`).toBe(true);
      expect(history.storage.all.size).toBe(last.draft.conflicts.length > 0 ? 1 : 0);
      last.crash();
      vi.clearAllTimers();
    }),
    { numRuns: 120 },
  );
});
