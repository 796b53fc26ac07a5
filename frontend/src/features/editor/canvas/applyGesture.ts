import { type Doc, type DocumentStore, positionsOf } from '@/document';
import { boxesIn, laneMark, type Layout, type Point, type Rect, rowsOf, type SceneApi } from '@/scene';
import { isDrawer } from '../context';
import type { CanvasContextValue } from './canvasStore';
import { addToCurrentJob, type ConnectAnswer, type Destination } from './editActions';
import type { Drag, GestureResult } from './gestureMachine';
import { type Hit, rectBetween } from './hitTest';

/** The effect of a drop. The overlay draws it during the drag, and `applyGesture` applies it at the end. */
export type Drop =
  | { kind: 'connect'; from: string; to: string }
  /** Opens quick-add for a task that needs `from`. */
  | { kind: 'addAfter'; from: string; into: Destination }
  | { kind: 'move'; keys: readonly string[]; into: Destination }
  | { kind: 'add'; handler: string; into: Destination }
  | { kind: 'moveJob'; job: string; index: number }
  | { kind: 'select'; area: Rect; add: boolean }
  | { kind: 'nothing' };

/** The effect of a drop at the present point of a drag. Pure. `connect` may still be refused: see `refusalOf`. */
export function dropOf({ subject, from, at, over }: Drag, layout: Layout, doc: Doc): Drop {
  switch (subject.kind) {
    case 'edge':
      if (over.kind === 'card' || over.kind === 'handle') return { kind: 'connect', from: subject.from, to: over.key };
      return canFollow(doc, subject.from, over)
        ? { kind: 'addAfter', from: subject.from, into: destinationOf(over) }
        : { kind: 'nothing' };
    case 'tasks':
      return { kind: 'move', keys: subject.keys, into: destinationOf(besideCard(layout, over, at)) };
    case 'handler':
      return { kind: 'add', handler: subject.handler, into: destinationOf(besideCard(layout, over, at)) };
    case 'job':
      return { kind: 'moveJob', job: subject.job, index: laneIndexAt(layout, subject.job, at.y) };
    case 'frame':
      return { kind: 'select', area: rectBetween(from, at), add: subject.add };
  }
}

/** The target of gestures. */
export interface GestureTarget extends CanvasContextValue {
  store: DocumentStore;
  scene: SceneApi;
  /** Announces to screen readers why two tasks were not connected. */
  announce: (answer: ConnectAnswer) => void;
}

/** Applies the result of a gesture. */
export function applyGesture(result: GestureResult, target: GestureTarget): void {
  if (result.type === 'click') applyClick(result, target);
  else applyDrop(result.drag, target);
}

type Click = Extract<GestureResult, { type: 'click' }>;

function applyClick({ hit, subject, modifiers, client }: Click, target: GestureTarget): void {
  const { edit, canvas, sceneStore, scene, store } = target;
  scene.root.current?.focus({ preventScroll: true });
  const { connectingFrom } = canvas.getState();
  canvas.setState({ tip: undefined });
  if (subject.kind === 'handler') {
    addToCurrentJob(store, edit, sceneStore.getState().active, subject.handler);
    return;
  }
  if (connectingFrom !== undefined && (hit.kind === 'card' || hit.kind === 'handle')) {
    connectOrExplain(connectingFrom, hit.key, modifiers.alternative, client, target);
    return;
  }
  canvas.setState({ connectingFrom: hit.kind === 'handle' ? hit.key : undefined });
  selectHit(hit, modifiers.add, target);
}

function selectHit(hit: Hit, add: boolean, { edit, sceneStore }: GestureTarget): void {
  switch (hit.kind) {
    case 'card':
    case 'handle': {
      // Where the drawer would cover the canvas, the first tap only makes the card active; the second selects it.
      const firstTap = isDrawer() && sceneStore.getState().active !== hit.key;
      sceneStore.setState({ active: hit.key, focused: isDrawer() });
      if (firstTap) edit.clear();
      else if (add) edit.toggle(hit.key);
      else edit.selectTasks([hit.key]);
      return;
    }
    case 'edge':
      edit.select({ tasks: [], edge: { from: hit.from, to: hit.to } });
      return;
    case 'head':
      sceneStore.setState({ active: laneMark(hit.job) });
      edit.select({ tasks: [], job: hit.job });
      return;
    case 'lane':
      sceneStore.setState({ active: laneMark(hit.job) });
      edit.clear();
      return;
    case 'between':
      edit.clear();
  }
}

/** Connects two tasks. A refusal is shown at a point of the window, with its offer. */
export function connectOrExplain(
  from: string,
  to: string,
  alternative: boolean,
  client: Point,
  { edit, canvas, announce }: Pick<GestureTarget, 'edit' | 'canvas' | 'announce'>,
): void {
  const answer = edit.connect(from, to, alternative);
  const refusal = answer && 'refusal' in answer ? answer.refusal : undefined;
  canvas.setState({ connectingFrom: undefined, tip: refusal && { refusal, client } });
  announce(answer);
}

function applyDrop(drag: Drag, target: GestureTarget): void {
  const { edit, canvas, scene, store } = target;
  const drop = dropOf(drag, scene.layout, store.getState().doc);
  switch (drop.kind) {
    case 'connect':
      connectOrExplain(drop.from, drop.to, drag.modifiers.alternative, drag.client, target);
      break;
    case 'addAfter':
      canvas.setState({ quickAdd: { client: drag.client, into: drop.into, from: drop.from } });
      break;
    case 'move':
      if ('index' in drop.into) edit.moveToNewJob(drop.keys, drop.into.index);
      else edit.move(drop.keys, drop.into.job, drop.into.before);
      break;
    case 'add':
      edit.add(drop.handler, { into: drop.into });
      scene.root.current?.focus({ preventScroll: true });
      break;
    case 'moveJob':
      edit.moveJob(drop.job, drop.index);
      break;
    case 'select': {
      const inFrame = boxesIn(scene.layout, drop.area).map((box) => box.key);
      const before = drop.add ? store.getState().selection.tasks : [];
      edit.selectTasks([...new Set([...before, ...inFrame])]);
      scene.root.current?.focus({ preventScroll: true });
      break;
    }
    case 'nothing':
  }
}

/** Replaces a hit on a card by the lane position before it (left half of the card) or after it (right half). */
export function besideCard(layout: Layout, over: Hit, at: { x: number }): Hit {
  if (over.kind !== 'card' && over.kind !== 'handle') return over;
  const box = layout.boxes.get(over.key);
  const job = layout.lanes[box?.lane ?? -1]?.key ?? '';
  if (!box || at.x < box.x + box.width / 2) return { kind: 'lane', job, before: over.key };
  const row = rowsOf(layout).find((each) => each.includes(box)) ?? [];
  return { kind: 'lane', job, before: row[row.indexOf(box) + 1]?.key };
}

/** The destination of a drop in a lane, on the head of a lane, or between lanes. */
export function destinationOf(over: Hit): Destination {
  if (over.kind === 'between') return { index: over.index };
  if (over.kind === 'lane') return { job: over.job, before: over.before };
  return { job: over.kind === 'head' ? over.job : '' };
}

/** Whether a task added at a hit could need `from`: only below the lane of `from`. */
export function canFollow(doc: Doc, from: string, over: Hit): boolean {
  const lane = positionsOf(doc).get(from)?.job ?? Infinity;
  if (over.kind === 'between') return over.index > lane;
  return over.kind === 'lane' && doc.jobs.findIndex((job) => job.key === over.job) > lane;
}

/** The index that a job gets among the other jobs if its lane is dropped at the height `y`. */
function laneIndexAt({ lanes }: Layout, job: string, y: number): number {
  return lanes.filter((lane) => lane.key !== job && lane.y + lane.height / 2 < y).length;
}
