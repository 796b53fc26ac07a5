import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import type { TFunction } from 'i18next';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { GraphJob, GraphTask, Trail } from '@/graph';
import type { Lane } from './types';

/** What changes under the hand of the person who looks; cards hear only of what concerns them. */
export interface Stage {
  /** Keys of the selected tasks. */
  selected: ReadonlySet<string>;
  /** What the keyboard is on: the key of a card, or the mark of a lane; and whether it shows. */
  active?: string;
  focused: boolean;
  /** Under the pointer, where cards are no elements of their own. */
  hovered?: string;
  /** What is lit while the rest fades: under the pointer or the keyboard, otherwise what was asked to stay so. */
  trail?: Trail;
  pinned?: Trail;
  /** While something is dragged no path is lit. */
  still?: boolean;
}

export type StageStore = StoreApi<Stage>;

export const newStage = (): StageStore => createStore<Stage>(() => ({ selected: new Set(), focused: false }));

/** What a page lays over the graph. It stays the same object as long as it shows the same things. */
export interface Look {
  Card: ComponentType<{ task: GraphTask; job: string }>;
  /** What stands at the beginning of a lane; number and title if left out. */
  Head?: ComponentType<{ lane: Lane; job?: GraphJob; narrow: boolean }>;
  /** The state that colours a task where it is seen from afar; `none` for none. */
  stateOf: (key: string) => string;
  /** Edges that are red, as `from>to`. */
  hot: () => readonly string[];
  /** Edges that are not there any more, as `from>to`: dashed, and in the colour of what is taken away. */
  gone?: ReadonlySet<string>;
  /** Calls when states or red edges may have changed. */
  subscribe: (listener: () => void) => () => void;
  /** The task that a person should see first. */
  first: () => string | undefined;
}

interface Surroundings {
  stage: StageStore;
  look: Look;
  id: string;
  /** The words of the scene: asked for once, not by each of its cards. */
  t: TFunction<'scene'>;
  actions?: (key: string) => ReactNode;
}

export const SceneContext = createContext<Surroundings | null>(null);

export function useSurroundings(): Surroundings {
  const context = useContext(SceneContext);
  if (!context) throw new Error('a card needs a scene');
  return context;
}

/** A part of the stage. */
export function useStage<T>(read: (stage: Stage) => T): T {
  return useStore(useSurroundings().stage, read);
}

/** What is lit now. */
export const litTrail = (stage: Stage): Trail | undefined => (stage.still ? undefined : (stage.trail ?? stage.pinned));

/** The id of a card's element: keys are letters, digits, `_` and `-`. */
export const cardId = (scene: string, key: string): string => `${scene}-${key}`;

/** A lane among the things that the keyboard goes to; no key of a task begins so. */
export const laneMark = (job: string): string => `:${job}`;
export const jobOfMark = (mark: string | undefined): string | undefined =>
  mark?.startsWith(':') ? mark.slice(1) : undefined;
