import {
  type ComponentType,
  createContext,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useContext,
} from 'react';
import type { TaskGraph } from '@/graph';
import type { Size, View } from './camera';
import type { SceneRenderer, SceneStore } from './sceneStore';
import type { Layout, Point, Rect } from './types';
import type { Step } from './walk';

/** The props of a scene. */
export interface SceneProps {
  graph: TaskGraph;
  renderer: SceneRenderer;
  sceneStore: SceneStore;
  /** Key of the task that is brought into sight when it becomes selected. */
  selected?: string;
  onSelect: (key: string | undefined) => void;
  /** A task was opened by Enter or a double click, which select it too. */
  onOpen?: (key: string) => void;
  /** Key of a task to bring into sight; each new value moves the view. */
  reveal?: string;
  /** Has where the user left the view; the page keeps it while the scene is not mounted. */
  savedView?: RefObject<View | undefined>;
  /**
   * How many pixels at the right are covered by something that the page shows over the scene.
   */
  covered?: number;
  /** The same at the top. */
  above?: number;
  /** The actions on the selected or active task, shown at its card. It stays the same function. */
  actions?: (key: string) => ReactNode;
  /** Its name and how it is used, for screen readers. */
  label: string;
  help: string;
  /** More buttons among those over the graph. */
  tools?: ReactNode;
  /** Instead of the graph while it has no tasks. */
  empty?: ReactNode;
  /**
   * The page edits: an edit moves no more than it must, clicks are the page's own, and the left button does not move
   * the view.
   */
  editing?: boolean;
  /** Handles a key before the scene does; returns whether it did. */
  onKey?: (event: KeyboardEvent) => boolean;
  /** The card or lane that a step of the keyboard leads to; `step` if left out. */
  onStep?: (graph: TaskGraph, layout: Layout, from: string | undefined, to: Step) => string | undefined;
  /** Stands over the graph, and may use `useSceneApi`. */
  children?: ReactNode;
}

/** The API of a scene for the parts of a page that are drawn over it. */
export interface SceneApi {
  graph: TaskGraph;
  layout: Layout;
  size: Size;
  /** The element that holds the keyboard's focus. */
  root: RefObject<HTMLDivElement | null>;
  /** The scene point below a point of the window. */
  toScene: (client: Point) => Point;
  /** Where a rectangle of the scene is in the window. */
  toWindow: (rect: Rect) => Rect;
  view: () => View;
  /** Moves the view by pixels of the screen, as far as there is something to see. */
  panBy: (x: number, y: number) => void;
  /** Brings a card into sight. */
  show: (key: string) => void;
  /** Puts the keyboard on a card or a lane, and brings it into sight. */
  goTo: (key: string | undefined) => void;
  /** Shows the whole drawing. */
  fit: () => void;
  /** Whether redundant dependencies are drawn. */
  redundant: boolean;
  /** Draws its children in the coordinates of the scene, moving with it. */
  Portal: ComponentType<{ children: ReactNode }>;
}

/** Provides the API of a scene to its children. */
export const SceneApiContext = createContext<SceneApi | null>(null);

/** The API of the scene that contains the component. */
export function useSceneApi(): SceneApi {
  const api = useContext(SceneApiContext);
  if (!api) throw new Error('this needs to stand in a scene');
  return api;
}
