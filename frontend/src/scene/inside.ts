import { type ComponentType, createContext, type ReactNode, type RefObject, useContext } from 'react';
import type { TaskGraph } from '@/graph';
import type { Size, View } from './camera';
import type { Layout, Point, Rect } from './types';

/** What stands over a scene may use of it. */
export interface Inside {
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
  fit: () => void;
  /** Whether redundant dependencies are drawn. */
  redundant: boolean;
  /** Draws its children in the measures of the scene, moving with it. */
  Portal: ComponentType<{ children: ReactNode }>;
}

export const InsideContext = createContext<Inside | null>(null);

export function useInside(): Inside {
  const inside = useContext(InsideContext);
  if (!inside) throw new Error('this needs to stand in a scene');
  return inside;
}
