import { createContext, useContext } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { TFunction } from 'i18next';
import type { Refusal } from '@/document';
import type { Point, StageStore } from '@/scene';
import type { Acts } from './acts';
import { type Hand, type Held, IDLE } from './hand';

/** What a ring is opened for. */
export type Subject = { task: string } | { job: string } | { ground: number };

export interface RingAt {
  subject: Subject;
  /** Its wanted middle in the window. */
  client: Point;
  /** The button that opened it is still down: the direction in which it is let go chooses. */
  held: boolean;
}

export interface QuickAt {
  /** Where it stands in the window. */
  client: Point;
  /** The job that takes the task; or before which lane a new one is made. */
  into: { job: string; before?: string } | { index: number };
  /** The task that it is to need. */
  from?: string;
}

/** What is wrong with a task. */
export interface FaultWords {
  text: string;
  /** None of it keeps the schedule from being published. */
  warning: boolean;
}

/** What is under the hands of the person who edits, beside the document. */
export interface Desk {
  hand: Hand;
  /** A dependency is being drawn from this task by keys or clicks. */
  linking?: string;
  /** Why the last one was refused, where it happened. */
  tip?: { refusal: Refusal; client: Point };
  ring?: RingAt;
  quick?: QuickAt;
  /** The task or the lane (by its mark) whose name is being written. */
  renaming?: string;
  /** The keys are shown. */
  keys: boolean;
  /** What is told to those who listen. */
  said: string;
  /** What is wrong with tasks, in words, by their keys. */
  faults: ReadonlyMap<string, FaultWords>;
  /** What quick-add at a point of the window would mean. */
  quickAt?: (client: Point) => QuickAt | undefined;
  /** Takes hold of something that is outside the scene. */
  grab?: (event: PointerEvent, what: Held) => void;
}

export type DeskStore = StoreApi<Desk>;

export const newDesk = (): DeskStore =>
  createStore<Desk>(() => ({ hand: IDLE, keys: false, said: '', faults: new Map() }));

/** Where the pointer is in the window, if it is over the canvas and was used last. Apart from the desk: it changes all the time. */
export type PointerStore = StoreApi<{ at?: Point }>;

export const newPointer = (): PointerStore => createStore<{ at?: Point }>(() => ({}));

export interface Parts {
  desk: DeskStore;
  stage: StageStore;
  pointer: PointerStore;
  acts: Acts;
}

export const CanvasContext = createContext<Parts | null>(null);

/** What cards say: asked for once, not by each of them. */
export interface Words {
  t: TFunction<'canvas'>;
  span: (ms: number) => string;
}

export const WordsContext = createContext<Words | null>(null);

export function useWords(): Words {
  const words = useContext(WordsContext);
  if (!words) throw new Error('this needs a Canvas');
  return words;
}

export function useParts(): Parts {
  const parts = useContext(CanvasContext);
  if (!parts) throw new Error('this needs a Canvas');
  return parts;
}

/** A part of the desk. */
export function useDesk<T>(read: (desk: Desk) => T): T {
  return useStore(useParts().desk, read);
}
