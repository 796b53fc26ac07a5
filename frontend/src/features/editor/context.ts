import { createContext, type RefObject, useContext } from 'react';
import { useStore } from 'zustand';
import type { Schemas } from '@/api/client';
import type { DocFault, DocumentState, DocumentStore } from '@/document';
import type { View } from '@/scene';
import type { PristineFields } from './pristineFields';

/** What the parts of the editor share. */
export interface Editor {
  /** The name in the address; that in the document may differ until it is published. */
  name: string;
  store: DocumentStore;
  /** The newest revision when the draft was made; undefined for a schedule that has none yet. */
  base?: number;
  /** What executors offer, by name, with how many of them do. */
  handlers: readonly OfferedHandler[];
  /** Goes to a view, a task, a job: keeps the address right. With `replace`, going back does not lead here. */
  goTo: (search: Partial<EditorSearch>, options?: { replace?: boolean }) => void;
  search: EditorSearch;
  /** Which tasks were just added. */
  pristine?: PristineFields;
  /** Where the canvas was left, while another view is shown. */
  place?: RefObject<View | undefined>;
}

export interface OfferedHandler extends Omit<Schemas['Handler'], 'schema'> {
  /** JSON Schema of its params. */
  schema?: JsonSchema;
  /** How many executors offer it that can be reached, by group. */
  groups: Readonly<Record<string, number>>;
}

/** As much of a JSON Schema as forms are made of; anything else in it is left to the server. */
export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  additionalProperties?: boolean | JsonSchema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  'x-render'?: 'shell' | 'sql' | 'plain' | 'url' | 'json';
  'x-language'?: string;
  'x-multiline'?: boolean;
  'x-order'?: string[];
  'x-secret'?: boolean;
  'x-unit'?: string;
  'x-advanced'?: boolean;
  'x-enum-titles'?: string[];
}

export type EditorView = 'canvas' | 'table' | 'yaml' | 'settings' | 'history';

/** What a link into the editor carries. */
export interface EditorSearch {
  /** The canvas if left out. */
  view?: EditorView;
  /** Key of the task whose drawer is open. */
  task?: string;
  /** Key of the job whose drawer is open. */
  job?: string;
  /** The field of it that takes the focus once, as faults name it: `timeout`, `params.command`. */
  field?: string;
  /** The batch that is to be repaired with what is published here: its page is offered then. */
  batch?: number;
  /** Rows of the table that hold this text. */
  q?: string;
  /** Column by which the table is sorted, with `-` before it for downwards. */
  sort?: string;
  /** Revisions that the history compares. */
  from?: number;
  to?: number;
  /** How the history shows what changed; the graph if left out. */
  as?: 'graph' | 'list' | 'text';
}

export const EditorContext = createContext<Editor | null>(null);
/** So many pixels of the view's top lie under what the page has to say. */
export const AboveContext = createContext(0);
export const FaultsContext = createContext<readonly DocFault[]>([]);

export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('this needs an EditorPage');
  return editor;
}

/** A part of the document's state. What is read must be the same object as long as nothing of it changed. */
export function useDoc<T>(read: (state: DocumentState) => T): T {
  return useStore(useEditor().store, read);
}

/** What is wrong with the document now: by the check made here at once, and by the server's verdict a moment later. */
export const useFaults = (): readonly DocFault[] => useContext(FaultsContext);
