import { createContext, useContext } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { TFunction } from 'i18next';
import type { Refusal } from '@/document';
import type { Point, SceneStore } from '@/scene';
import type { EditActions, TaskPlacement } from './editActions';
import { type DragSubject, type Gesture, IDLE } from './gestureMachine';

/** The subject of a radial menu: a task, a job, or the gap before the lane of an index. */
export type MenuSubject = { task: string } | { job: string } | { ground: number };

/** The radial menu that is open. */
export interface RadialMenuState {
  subject: MenuSubject;
  /** The wanted position of its middle, in the window. */
  client: Point;
  /** The button that opened it is still down: a flick chooses an item, see `useFlick`. */
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
  /** None of its faults keeps the schedule from being published. */
  warning: boolean;
}

/** The state of the canvas, without the document. */
export interface CanvasState {
  gesture: Gesture;
  /** The task from which a dependency is drawn by keys or clicks. */
  connectingFrom?: string;
  /** The refusal of the last dependency, and the point of the window where it is shown. */
  tip?: { refusal: Refusal; client: Point };
  radialMenu?: RadialMenuState;
  quickAdd?: QuickAddState;
  /** The task or lane (by its mark) whose key is being edited. */
  renaming?: string;
  /** The list of keys is open. */
  keyHelp: boolean;
  /** The last sentence for screen readers. */
  announcement: string;
  /** The faults of tasks, by their keys. */
  faults: ReadonlyMap<string, TaskFault>;
  /** The quick-add menu for a point of the window; undefined where no task can be added. Set with the scene. */
  quickAddAt?: (client: Point) => QuickAddState | undefined;
  /** Starts a drag of something outside the scene. Set while the scene is mounted. */
  startDrag?: (event: PointerEvent, subject: DragSubject) => void;
}

/** A store of `CanvasState`. */
export type CanvasStore = StoreApi<CanvasState>;

/** An idle canvas without menus. */
export const newCanvasStore = (): CanvasStore =>
  createStore<CanvasState>(() => ({ gesture: IDLE, keyHelp: false, announcement: '', faults: new Map() }));

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
