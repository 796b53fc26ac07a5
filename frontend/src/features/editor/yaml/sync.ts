import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Schemas } from '@/api/client';
import { type Doc, type DocumentStore, ordered, replaceAll } from '@/document';

/** The largest document that the server accepts, in bytes. */
export const LIMIT = 4 << 20;
/** The text is read after so many milliseconds without typing. */
const READ_DELAY = 350;
/** Typing after so many milliseconds without typing begins a new step of undo. */
const STEP_DELAY = 2000;

/** A fault of the text: a fault of the server, or a `localCode` that is a key of `views:yaml`. */
export interface TextFault extends Partial<Schemas['Fault']> {
  localCode?: 'tooLarge' | 'duplicate' | 'noKey';
  /** The key of the task or job, for `duplicate`. */
  key?: string;
}

/** The text and its relation to the draft. */
export interface TextState {
  /** The shown text; `typedByAuthor` is false if it was written from the draft. */
  text: string;
  typedByAuthor: boolean;
  /**
   * `loading`: the text of the draft is requested; `inSync`: text and draft are equal; `reading`: the text was typed
   * and is not read yet; `rejected`: the text cannot become the draft.
   */
  status: 'loading' | 'inSync' | 'reading' | 'rejected';
  /** The draft was changed elsewhere while the text was rejected or not read yet. */
  stale: boolean;
  faults: readonly TextFault[];
  /** Why the server could not be asked. */
  problem?: unknown;
}

/** The ports of a TextSync: the server, the storage and the clock. */
export interface TextPorts {
  /** Converts YAML to a document, or a document to YAML. */
  convert: (body: { yaml: string } | { doc: Doc }) => Promise<Schemas['Converted']>;
  /** Stores a text that is not in the draft yet, so that it survives a crash. */
  storage: { read: () => string | null; write: (text: string) => void; remove: () => void };
  /** Calls back after so many milliseconds; the returned function cancels that. */
  later: (wait: number, call: () => void) => () => void;
}

/**
 * Keeps a text and the document store in step: typed text becomes a command once it can be read, and any other change
 * of the document, such as undo, becomes text. A text that cannot be read stays unchanged, even after a crash of the
 * browser, and does not change the document.
 */
export class TextSync {
  readonly state: StoreApi<TextState> = createStore(() => ({
    text: '',
    typedByAuthor: false,
    status: 'loading',
    stale: false,
    faults: [],
  }));
  /** The document that the text was read as, or written from. */
  private inText?: Doc;
  private adopting = false;
  private requests = 0;
  private step = 0;
  private cancelRead?: () => void;
  private cancelStep?: () => void;
  private stop?: () => void;

  constructor(
    private readonly store: DocumentStore,
    private readonly ports: TextPorts,
  ) {}

  /** Starts with the stored text, or else with the text of the draft, until `close`. */
  open(): void {
    this.stop = this.store.subscribe((now, before) => {
      if (now.doc !== before.doc) this.docChanged(now.doc);
    });
    const stored = this.ports.storage.read();
    if (stored === null) void this.write();
    else {
      this.state.setState({ text: stored, typedByAuthor: true, status: 'reading' });
      void this.read();
    }
  }

  /** Stops the sync. */
  close(): void {
    this.stop?.();
    this.requests++;
    this.cancelRead?.();
    this.cancelStep?.();
  }

  /** Sets a text that the author typed or opened from a file. */
  typed(text: string): void {
    if (text === this.state.getState().text) return;
    this.requests++;
    this.ports.storage.write(text);
    this.state.setState({ text, typedByAuthor: true, status: 'reading' });
    this.cancelRead?.();
    this.cancelRead = this.ports.later(READ_DELAY, () => void this.read());
    this.cancelStep?.();
    this.cancelStep = this.ports.later(STEP_DELAY, () => {
      this.step++;
    });
  }

  /** Replaces the text by the draft's text. For a text that is in sync this is its canonical form. */
  async resetToDraft(): Promise<void> {
    this.cancelRead?.();
    this.ports.storage.remove();
    await this.write();
  }

  /** Reads the text again and replaces the draft by it, though the draft was changed meanwhile. */
  async adoptText(): Promise<void> {
    this.state.setState({ stale: false, status: 'reading' });
    await this.read();
  }

  private docChanged(doc: Doc): void {
    if (doc === this.inText || this.adopting) return;
    const { typedByAuthor, status } = this.state.getState();
    if (typedByAuthor && status !== 'inSync') this.state.setState({ stale: true });
    else void this.write();
  }

  private async write(): Promise<void> {
    const request = ++this.requests;
    const doc = this.store.getState().doc;
    try {
      const answer = await this.ports.convert({ doc });
      if (request !== this.requests) return;
      this.inText = doc;
      this.state.setState({
        text: answer.document ?? '',
        typedByAuthor: false,
        status: 'inSync',
        stale: false,
        faults: withinText(answer.document ?? '', answer.faults),
        problem: undefined,
      });
    } catch (problem) {
      if (request === this.requests) this.state.setState({ problem });
    }
  }

  private async read(): Promise<void> {
    const request = ++this.requests;
    const { text } = this.state.getState();
    if (new Blob([text]).size > LIMIT) {
      this.state.setState({ status: 'rejected', faults: [{ localCode: 'tooLarge' }], problem: undefined });
      return;
    }
    try {
      const answer = await this.ports.convert({ yaml: text });
      if (request !== this.requests) return;
      const doc = answer.definition as unknown as Doc | undefined;
      const unsound = doc ? unsoundKeys(doc) : [];
      const faults: TextFault[] = answer.faults.length > 0 ? answer.faults : unsound;
      if (!doc || unsound.length > 0 || this.state.getState().stale)
        this.state.setState({ status: 'rejected', faults, problem: undefined });
      else {
        this.adopt(ordered(doc));
        this.ports.storage.remove();
        this.state.setState({ status: 'inSync', faults, problem: undefined });
      }
    } catch (problem) {
      if (request === this.requests) this.state.setState({ status: 'rejected', problem });
    }
  }

  private adopt(doc: Doc): void {
    const now = this.store.getState().doc;
    if (JSON.stringify(doc) === JSON.stringify(now)) {
      this.inText = now;
      return;
    }
    const command = replaceAll(doc, 'editText');
    this.adopting = true;
    this.store.getState().apply(command && { ...command, gesture: `yaml ${String(this.step)}` });
    this.adopting = false;
    this.inText = this.store.getState().doc;
  }
}

/**
 * The faults of a document whose tasks or jobs cannot be identified by their keys: keys that are empty or not unique.
 */
export function unsoundKeys(doc: Doc): TextFault[] {
  const faults: TextFault[] = [];
  for (const keys of [
    doc.jobs.map((job) => job.key),
    doc.jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)),
  ]) {
    const seen = new Set<string>();
    for (const key of keys) {
      const folded = key.toLowerCase();
      if (key === '') faults.push({ localCode: 'noKey' });
      else if (seen.has(folded)) faults.push({ localCode: 'duplicate', key });
      seen.add(folded);
    }
  }
  return faults;
}

/** Removes the lines of faults that a text does not have. */
function withinText(text: string, faults: Schemas['Fault'][]): TextFault[] {
  const lines = text.split('\n').length;
  return faults.map((fault) => ({ ...fault, line: fault.line && fault.line <= lines ? fault.line : undefined }));
}

/** The line of a task's or job's key in a canonical text, counted from 1; undefined if the key is not there. */
export function lineOf(text: string, key: string): number | undefined {
  const wanted = new RegExp(`^\\s*(- )?\\{?\\s*key: ["']?${key.replace(/[^\w-]/g, '')}["']?\\s*([,}#].*)?$`);
  const at = text.split('\n').findIndex((line) => wanted.test(line) || line.includes(`{key: ${key},`));
  return at < 0 ? undefined : at + 1;
}

/** The smallest replacement that turns one text into another; undefined if they are equal. */
export function textChange(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
