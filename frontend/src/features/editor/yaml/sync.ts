import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Schemas } from '@/api/client';
import { type Doc, type DocumentStore, ordered, replaceAll } from '@/document';

/** As large as the server takes a document, in bytes. */
export const LIMIT = 4 << 20;
/** After so long without a key, what was typed is read; after so long, typing begins a new step of undo (milliseconds). */
const READ = 350;
const STEP = 2000;

/** One thing wrong with the text. Its words are the server's, or those of a key of `views:yaml`. */
export interface TextFault {
  line?: number;
  column?: number;
  message?: string;
  remedy?: string;
  words?: 'tooLarge' | 'twin' | 'noKey';
  key?: string;
  warning?: boolean;
}

export interface TextState {
  /** What is shown. `mine` says that the person wrote it, and the draft did not give it. */
  text: string;
  mine: boolean;
  /** loading: the draft is on its way; taken: text and draft say the same; reading: typed, not read yet; kept: it cannot be taken over. */
  status: 'loading' | 'taken' | 'reading' | 'kept';
  /** The draft was changed elsewhere while the text could not be taken over. */
  stale: boolean;
  faults: readonly TextFault[];
  /** Why the server could not be asked. */
  problem?: unknown;
}

/** What is needed of the world. */
export interface TextPorts {
  /** Reads YAML, or writes a document as it. */
  convert: (body: { yaml: string } | { doc: Doc }) => Promise<Schemas['Converted']>;
  /** Where a text that cannot be taken over yet survives. */
  keep: { read: () => string | null; write: (text: string) => void; remove: () => void };
  /** Calls back later; answers how to call it off. */
  later: (wait: number, call: () => void) => () => void;
}

/**
 * Keeps a text and the document store one: what is typed becomes commands once it can be read, and what is changed
 * elsewhere, by undo too, becomes text. A text that cannot be read is nobody's but the person's: it stays as it is, over
 * a crash of the browser too, and the document stays at its last readable form.
 */
export class TextSync {
  readonly state: StoreApi<TextState> = createStore(() => ({
    text: '',
    mine: false,
    status: 'loading',
    stale: false,
    faults: [],
  }));
  /** The document that the text says. */
  private said?: Doc;
  private adopting = false;
  private asked = 0;
  private step = 0;
  private cancelRead?: () => void;
  private cancelStep?: () => void;
  private stop?: () => void;

  constructor(
    private readonly store: DocumentStore,
    private readonly ports: TextPorts,
  ) {}

  /** Begins, with the text that was kept or else with that of the draft. To be closed. */
  open(): void {
    this.stop = this.store.subscribe((now, before) => {
      if (now.doc !== before.doc) this.docChanged(now.doc);
    });
    const kept = this.ports.keep.read();
    if (kept === null) void this.write();
    else {
      this.state.setState({ text: kept, mine: true, status: 'reading' });
      void this.read();
    }
  }

  close(): void {
    this.stop?.();
    this.asked++;
    this.cancelRead?.();
    this.cancelStep?.();
  }

  /** The person has typed. */
  typed(text: string): void {
    if (text === this.state.getState().text) return;
    this.asked++;
    this.ports.keep.write(text);
    this.state.setState({ text, mine: true, status: 'reading' });
    this.cancelRead?.();
    this.cancelRead = this.ports.later(READ, () => void this.read());
    this.cancelStep?.();
    this.cancelStep = this.ports.later(STEP, () => {
      this.step++;
    });
  }

  /** Gives the person's text up for the draft; also what writes the text in its canonical form. */
  async backToDraft(): Promise<void> {
    this.cancelRead?.();
    this.ports.keep.remove();
    await this.write();
  }

  /** Reads the text once more, though the draft has changed meanwhile, and takes it over. */
  async take(): Promise<void> {
    this.state.setState({ stale: false, status: 'reading' });
    await this.read();
  }

  private docChanged(doc: Doc): void {
    if (doc === this.said || this.adopting) return;
    const { mine, status } = this.state.getState();
    if (mine && status !== 'taken') this.state.setState({ stale: true });
    else void this.write();
  }

  private async write(): Promise<void> {
    const mark = ++this.asked;
    const doc = this.store.getState().doc;
    try {
      const answer = await this.ports.convert({ doc });
      if (mark !== this.asked) return;
      this.said = doc;
      this.state.setState({
        text: answer.document ?? '',
        mine: false,
        status: 'taken',
        stale: false,
        faults: inText(answer.document ?? '', answer.faults),
        problem: undefined,
      });
    } catch (problem) {
      if (mark === this.asked) this.state.setState({ problem });
    }
  }

  private async read(): Promise<void> {
    const mark = ++this.asked;
    const { text } = this.state.getState();
    if (new Blob([text]).size > LIMIT) {
      this.state.setState({ status: 'kept', faults: [{ words: 'tooLarge' }], problem: undefined });
      return;
    }
    try {
      const answer = await this.ports.convert({ yaml: text });
      if (mark !== this.asked) return;
      const doc = answer.definition as unknown as Doc | undefined;
      const unsound = doc ? unsoundKeys(doc) : [];
      const faults: TextFault[] = answer.faults.length > 0 ? answer.faults : unsound;
      if (!doc || unsound.length > 0 || this.state.getState().stale)
        this.state.setState({ status: 'kept', faults, problem: undefined });
      else {
        this.adopt(ordered(doc));
        this.ports.keep.remove();
        this.state.setState({ status: 'taken', faults, problem: undefined });
      }
    } catch (problem) {
      if (mark === this.asked) this.state.setState({ status: 'kept', problem });
    }
  }

  private adopt(doc: Doc): void {
    const now = this.store.getState().doc;
    if (JSON.stringify(doc) === JSON.stringify(now)) {
      this.said = now;
      return;
    }
    const command = replaceAll(doc, 'editText');
    this.adopting = true;
    this.store.getState().apply(command && { ...command, gesture: `yaml ${String(this.step)}` });
    this.adopting = false;
    this.said = this.store.getState().doc;
  }
}

/** What keeps a document from being spoken of by its keys. */
export function unsoundKeys(doc: Doc): TextFault[] {
  const faults: TextFault[] = [];
  for (const keys of [
    doc.jobs.map((job) => job.key),
    doc.jobs.flatMap((job) => (job.tasks ?? []).map((task) => task.key)),
  ]) {
    const seen = new Set<string>();
    for (const key of keys) {
      const folded = key.toLowerCase();
      if (key === '') faults.push({ words: 'noKey' });
      else if (seen.has(folded)) faults.push({ words: 'twin', key });
      seen.add(folded);
    }
  }
  return faults;
}

/** The faults of a document that was sent as JSON, at the lines of its text where those can be told by the keys. */
function inText(text: string, faults: Schemas['Fault'][]): TextFault[] {
  const lines = text.split('\n').length;
  return faults.map((fault) => ({ ...fault, line: fault.line && fault.line <= lines ? fault.line : undefined }));
}

/** The line of a task's or job's key in a canonical text, from 1; undefined if it is not there. */
export function lineOf(text: string, key: string): number | undefined {
  const wanted = new RegExp(`^\\s*(- )?\\{?\\s*key: ["']?${key.replace(/[^\w-]/g, '')}["']?\\s*([,}#].*)?$`);
  const at = text.split('\n').findIndex((line) => wanted.test(line) || line.includes(`{key: ${key},`));
  return at < 0 ? undefined : at + 1;
}

/** The least change that makes one text of another: where it begins, where it ends, and what comes there. */
export function change(before: string, after: string): { from: number; to: number; insert: string } | undefined {
  if (before === after) return undefined;
  const least = Math.min(before.length, after.length);
  let from = 0;
  while (from < least && before[from] === after[from]) from++;
  let end = 0;
  while (end < least - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
