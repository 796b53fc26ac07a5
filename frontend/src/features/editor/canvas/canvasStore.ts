import { createContext, useContext } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { TFunction } from 'i18next';
import type { FaultKind, Refusal } from '@/document';
import type { Point, SceneStore } from '@/scene';
import type { EditActions, TaskPlacement } from './editActions';
import { type DragSubject, type Gesture, IDLE } from './gestureMachine';

/** The subject of a context menu: a task, a job, or the gap before the lane of an index. */
export type MenuSubject = { task: string } | { job: string } | { ground: number };

/** The context menu that is open. */
export interface ContextMenuState {
  subject: MenuSubject;
  /** The pointer, in the window. */
  client: Point;
  /** The button that opened it is still down: its release over an item chooses the item, see `useRelease`. */
  buttonDown: boolean;
}

/** The quick-add menu that is open. */
export interface QuickAddState extends TaskPlacement {
  /** Its position in the window. */
  client: Point;
}

/** The faults of a task, for its card. */
export interface TaskFault {
  text: string;
  /** The kind of its most severe fault. */
  kind: FaultKind;
}

/** The state of the canvas, without the document. */
export interface CanvasState {
  gesture: Gesture;
  /** The task from which a dependency is drawn by keys or clicks. */
  connectingFrom?: string;
  /** The refusal of the last dependency, and the point of the window where it is shown. */
  tip?: { refusal: Refusal; client: Point };
  contextMenu?: ContextMenuState;
  quickAdd?: QuickAddState;
  /** The task or lane (by its mark) whose key is being edited. */
  renaming?: string;
  /** The last sentence for screen readers. */
  announcement: string;
  /** The faults of tasks, by their keys. */
  faults: ReadonlyMap<string, TaskFault>;
  /** The names of others who have chosen a task, by its key: one name a line. */
  chosenBy: ReadonlyMap<string, string>;
  /** The quick-add menu for a point of the window; undefined where no task can be added. Set with the scene. */
  quickAddAt?: (client: Point) => QuickAddState | undefined;
  /** Starts a drag of something outside the scene. Set while the scene is mounted. */
  startDrag?: (event: PointerEvent, subject: DragSubject) => void;
  /** Opens the dialog for rows of a spreadsheet, with the job for their tasks. Set while the canvas is mounted. */
  openSpreadsheet?: (pasted: { text: string; into?: string }) => void;
}

/** A store of `CanvasState`. */
export type CanvasStore = StoreApi<CanvasState>;

/** An idle canvas without menus. */
export const newCanvasStore = (): CanvasStore =>
  createStore<CanvasState>(() => ({ gesture: IDLE, announcement: '', faults: new Map(), chosenBy: new Map() }));

/**
 * The position of the mouse in the window; undefined if it is not over the canvas, or after a key that moves the
 * active card. It is a separate store because it changes with every move.
 */
export type PointerStore = StoreApi<{ at?: Point }>;

/** A store without a position. */
export const newPointerStore = (): PointerStore => createStore<{ at?: Point }>(() => ({}));

/** The context that the parts of a canvas share; the object stays the same. */
export interface CanvasContextValue {
  canvas: CanvasStore;
  sceneStore: SceneStore;
  pointer: PointerStore;
  edit: EditActions;
}

/** Provides the stores and actions of the canvas. */
export const CanvasContext = createContext<CanvasContextValue | null>(null);

/** The texts of cards, looked up once for all of them. */
export interface CardTexts {
  t: TFunction<'canvas'>;
  /** A duration in words, from milliseconds. */
  span: (ms: number) => string;
}

/** Provides the texts of cards. */
export const CardTextsContext = createContext<CardTexts | null>(null);

/** The texts of cards. */
export function useCardTexts(): CardTexts {
  const texts = useContext(CardTextsContext);
  if (!texts) throw new Error('this needs a Canvas');
  return texts;
}

/** The stores and actions of the canvas. */
export function useCanvasContext(): CanvasContextValue {
  const context = useContext(CanvasContext);
  if (!context) throw new Error('this needs a Canvas');
  return context;
}

/** A part of the state of the canvas. */
export function useCanvasState<T>(read: (state: CanvasState) => T): T {
  return useStore(useCanvasContext().canvas, read);
}
