import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import type { TFunction } from 'i18next';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { GraphJob, GraphTask, JobBundle, Trail } from '@/graph';
import type { Lane } from './types';

/** The state that a user changes while viewing a scene. Each card subscribes only to its own part. */
export interface SceneState {
  /** Keys of the selected tasks. */
  selected: ReadonlySet<string>;
  /** The active element of the keyboard: the key of a card, or the mark of a lane. */
  active?: string;
  /** The scene has the focus, so the active element is marked. */
  focused: boolean;
  /** Key of the card under the pointer, in the overview only: there, cards have no elements. */
  hovered?: string;
  /** The lit trail, of the card under the pointer or of the active card. Everything else fades. */
  trail?: Trail;
  /** The trail that is lit if there is no `trail`. */
  pinned?: Trail;
  /** No trail is lit, because something is dragged or connected. */
  noTrail?: boolean;
}

/** A store of `SceneState`. */
export type SceneStore = StoreApi<SceneState>;

/** A scene in which nothing is selected or active. */
export const newSceneStore = (): SceneStore => createStore<SceneState>(() => ({ selected: new Set(), focused: false }));

/** How a page draws a graph. It stays the same object as long as it shows the same things. */
export interface SceneRenderer {
  /** Draws a task. */
  Card: ComponentType<{ task: GraphTask; job: string; width: number }>;
  /** The second line of a task's card, shown where the card itself is not drawn; none if left out. */
  Line?: ComponentType<{ task: GraphTask }>;
  /** Draws the head of a lane. If left out, the head has number and title. */
  Head?: ComponentType<{ lane: Lane; job?: GraphJob; narrow: boolean }>;
  /**
   * Marks of a job at the level of jobs: drawn beside its name, or `spoken`, as a text for screen readers. None if left
   * out.
   */
  JobMarks?: ComponentType<{ job: GraphJob; spoken?: boolean }>;
  /** The state of a task, or `none`. It gives the task its colour in the overview and on the map. */
  stateOf: (key: string) => string;
  /** The edges on the paths of failures, as `from>to`; they are red. */
  failureEdges: () => readonly string[];
  /** The tasks that were skipped because of failures, from job to job; none if left out. */
  skippedBundles?: () => readonly JobBundle[];
  /** The name of a state, for screen readers; empty for a state that means nothing here. */
  nameOfState?: (state: string) => string;
  /** Edges that were removed, as `from>to`: dashed, in the colour of removed tasks. */
  removedEdges?: ReadonlySet<string>;
  /** Calls the listener when states or failure edges may have changed, until the returned function is called. */
  subscribe: (listener: () => void) => () => void;
  /** Key of the task that the first view shows. */
  firstTask: () => string | undefined;
}

/** The context that the parts of a scene share. */
interface SceneContextValue {
  sceneStore: SceneStore;
  renderer: SceneRenderer;
  /** The prefix of the ids of its elements. */
  id: string;
  /** The texts of the scene, looked up once for all cards. */
  t: TFunction<'scene'>;
  /** The actions on a task, shown at its card. */
  actions?: (key: string) => ReactNode;
}

/** Provides the context of a scene to its parts. */
export const SceneContext = createContext<SceneContextValue | null>(null);

/** The context of the scene that contains the component. */
export function useSceneContext(): SceneContextValue {
  const context = useContext(SceneContext);
  if (!context) throw new Error('a card needs a scene');
  return context;
}

/** A part of the state of the scene that contains the component. */
export function useSceneState<T>(read: (state: SceneState) => T): T {
  return useStore(useSceneContext().sceneStore, read);
}

/** The lit trail. */
export const litTrail = (state: SceneState): Trail | undefined =>
  state.noTrail ? undefined : (state.trail ?? state.pinned);

/** The id of a card's element: keys are letters, digits, `_` and `-`. */
export const cardId = (scene: string, key: string): string => `${scene}-${key}`;

/** The mark of a job's lane. It differs from all keys of tasks, since no key begins with a colon. */
export const laneMark = (job: string): string => `:${job}`;
/** The job of a mark; undefined for the key of a task. */
export const jobOfMark = (mark: string | undefined): string | undefined =>
  mark?.startsWith(':') ? mark.slice(1) : undefined;
