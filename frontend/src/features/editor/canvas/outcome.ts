import { type Doc, type DocumentStore, placesOf } from '@/document';
import { type Inside, jobOfMark, laneMark, within } from '@/scene';
import { isCovered } from '../sheet';
import { type Acts, jobKeyOf } from './acts';
import type { Parts } from './desk';
import type { Outcome } from './hand';
import { between, type Hit } from './hits';

type Drop = Extract<Outcome, { done: 'drop' }>;
type Click = Extract<Outcome, { done: 'click' }>;

interface Around extends Parts {
  store: DocumentStore;
  inside: Inside;
  say: (connected: ReturnType<Acts['connect']>) => void;
}

/** Does what a gesture came to. */
export function settle(outcome: Outcome, around: Around): void {
  if (outcome.done === 'click') clicked(outcome, around);
  else dropped(outcome, around);
}

function clicked({ hit, what, keys, client }: Click, { acts, desk, stage, inside, store, say }: Around): void {
  inside.root.current?.focus({ preventScroll: true });
  const { linking } = desk.getState();
  desk.setState({ tip: undefined });
  if (what.held === 'handler') {
    addHere(store, acts, jobOfMark(stage.getState().active), what.handler);
    return;
  }
  if (linking !== undefined && (hit.at === 'card' || hit.at === 'handle')) {
    link(linking, hit.key, keys.instead, client, { acts, desk, say });
    return;
  }
  desk.setState({ linking: hit.at === 'handle' ? hit.key : undefined });
  if (hit.at === 'card' || hit.at === 'handle') {
    // Where the drawer would cover the canvas, the first tap only points; the second opens.
    const pointed = isCovered() && stage.getState().active !== hit.key;
    stage.setState({ active: hit.key, focused: isCovered() });
    if (pointed) acts.clear();
    else if (keys.more) acts.toggle(hit.key);
    else acts.selectTasks([hit.key]);
  } else if (hit.at === 'edge') acts.select({ tasks: [], edge: { from: hit.from, to: hit.to } });
  else if (hit.at === 'head') {
    stage.setState({ active: laneMark(hit.job) });
    acts.select({ tasks: [], job: hit.job });
  } else {
    if (hit.at === 'lane') stage.setState({ active: laneMark(hit.job) });
    acts.clear();
  }
}

/** Connects two tasks; where that is refused, the reason stays where it happened, with what is offered instead. */
export function link(
  from: string,
  to: string,
  instead: boolean,
  client: { x: number; y: number },
  { acts, desk, say }: Pick<Around, 'acts' | 'desk' | 'say'>,
): void {
  const connected = acts.connect(from, to, instead);
  const refusal = connected && 'refusal' in connected ? connected.refusal : undefined;
  desk.setState({ linking: undefined, tip: refusal && { refusal, client } });
  say(connected);
}

function dropped({ what, from, at, client, over, keys }: Drop, around: Around): void {
  const { acts, desk, inside, store } = around;
  const { doc } = store.getState();
  switch (what.held) {
    case 'edge':
      if (over.at === 'card' || over.at === 'handle') link(what.from, over.key, keys.instead, client, around);
      else if (opensLater(doc, what.from, over))
        desk.setState({ quick: { client, into: intoOf(over), from: what.from } });
      break;
    case 'tasks': {
      const target = intoOf(placeOf(inside, over, at));
      if ('index' in target) acts.moveToNewJob(what.keys, target.index);
      else acts.move(what.keys, target.job, target.before);
      break;
    }
    case 'handler':
      acts.add(what.handler, { into: intoOf(placeOf(inside, over, at)) });
      inside.root.current?.focus({ preventScroll: true });
      break;
    case 'job':
      acts.moveJob(what.job, laneIndexAt(inside, what.job, at.y));
      break;
    case 'frame': {
      const inFrame = within(inside.layout, between(from, at)).map((box) => box.key);
      const before = what.more ? store.getState().selection.tasks : [];
      acts.selectTasks([...new Set([...before, ...inFrame])]);
      inside.root.current?.focus({ preventScroll: true });
    }
  }
}

/** Where something lands that is dropped on a card: beside it, in its lane. */
export function placeOf({ layout }: Inside, over: Hit, at: { x: number }): Hit {
  if (over.at !== 'card' && over.at !== 'handle') return over;
  const box = layout.boxes.get(over.key);
  const job = layout.lanes[box?.lane ?? -1]?.key ?? '';
  if (!box || at.x < box.x + box.width / 2) return { at: 'lane', job, before: over.key };
  const row = [...layout.boxes.values()]
    .filter((other) => other.lane === box.lane && other.row === box.row && other.x > box.x)
    .sort((a, b) => a.x - b.x);
  return { at: 'lane', job, before: row[0]?.key };
}

export function intoOf(over: Hit): { job: string; before?: string } | { index: number } {
  if (over.at === 'between') return { index: over.index };
  if (over.at === 'lane') return { job: over.job, before: over.before };
  return { job: over.at === 'head' ? over.job : '' };
}

/** Whether a task there could need this one. */
export function opensLater(doc: Doc, from: string, over: Hit): boolean {
  const lane = placesOf(doc).get(from)?.job ?? Infinity;
  if (over.at === 'between') return over.index > lane;
  return over.at === 'lane' && doc.jobs.findIndex((job) => job.key === over.job) > lane;
}

/** Which number a lane has that is let go at a height. */
export function laneIndexAt({ layout }: Inside, job: string, y: number): number {
  return layout.lanes.filter((lane) => lane.key !== job && lane.y + lane.height / 2 < y).length;
}

/** Adds a task where the person is: to the selected job, the job of the selected task, or the last one. */
export function addHere(store: DocumentStore, acts: Acts, active: string | undefined, handler: string): void {
  const { doc } = store.getState();
  const job = jobHere(store, active);
  acts.add(handler, { into: job === undefined ? { index: doc.jobs.length } : { job } });
}

/** The job where the person is. */
export function jobHere(store: DocumentStore, active: string | undefined): string | undefined {
  const { doc, selection } = store.getState();
  const task = selection.tasks.at(-1);
  const there = doc.jobs.some((job) => job.key === active) ? active : undefined;
  return selection.job ?? (task === undefined ? undefined : jobKeyOf(doc, task)) ?? there ?? doc.jobs.at(-1)?.key;
}
