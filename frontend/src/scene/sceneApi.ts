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
  /** Key of the selected task. The view moves to show it. */
  selected?: string;
  onSelect: (key: string | undefined) => void;
  /** A task was opened by Enter or a double click, which select it too. */
  onOpen?: (key: string) => void;
  /** A task was pointed at with the second button. The page shows a menu at the point of the window. */
  onMenu?: (key: string, at: Point) => void;
  /** Key of a task to show. Each new value moves the view once. */
  reveal?: string;
  /** The last view of the user. The page keeps it while the scene is not mounted. */
  savedView?: RefObject<View | undefined>;
  /**
   * The width of a part of the page that covers the right of the scene, in pixels.
   */
  coveredRight?: number;
  /** The height of a part of the page that covers the top of the scene, in pixels. */
  coveredTop?: number;
  /** The actions on the selected or active task, shown at its card. Always pass the same function. */
  actions?: (key: string) => ReactNode;
  /** The name of the scene and its instructions, for screen readers. */
  label: string;
  help: string;
  /** More buttons in the toolbar over the graph. */
  tools?: ReactNode;
  /** Shown instead of a graph without tasks. */
  empty?: ReactNode;
  /**
   * The page edits the graph: an edit moves as little as possible, the page handles clicks, and the left button does
   * not move the view.
   */
  editing?: boolean;
  /** Called with each key before the scene; returns whether it handled the key. */
  onKey?: (event: KeyboardEvent) => boolean;
  /** Returns the card or lane that a step of the keyboard leads to; `cardAfterStep` if left out. */
  onStep?: (graph: TaskGraph, layout: Layout, from: string | undefined, to: Step) => string | undefined;
  /** Parts of the page over the graph. They may use `useSceneApi`. */
  children?: ReactNode;
}

/** The API of a scene for the parts of a page that are drawn over it. */
export interface SceneApi {
  graph: TaskGraph;
  layout: Layout;
  size: Size;
  /** The element that has the keyboard focus for all cards. */
  root: RefObject<HTMLDivElement | null>;
  /** The scene point below a point of the window. */
  toScene: (client: Point) => Point;
  /** The position of a rectangle of the scene in the window. */
  toWindow: (rect: Rect) => Rect;
  view: () => View;
  /** Moves the view by pixels of the screen, within its limits. */
  panBy: (x: number, y: number) => void;
  /** Moves the view so that a card is visible. */
  show: (key: string) => void;
  /** Makes a card or a lane active, and shows it. */
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
  if (!api) throw new Error('useSceneApi needs a scene');
  return api;
}
