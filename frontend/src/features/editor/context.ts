import { createContext, type RefObject, useContext } from 'react';
import { useStore } from 'zustand';
import type { Schemas } from '@/api/client';
import type { DocFault, DocumentState, DocumentStore } from '@/document';
import type { View } from '@/scene';
import type { PristineFields } from './pristineFields';

/** The context that all parts of the editor share. */
export interface Editor {
  /** The name in the address. The document may have another name until it is published. */
  name: string;
  store: DocumentStore;
  /** The newest revision when the draft was made; undefined for a schedule that has none yet. */
  base?: number;
  /** The handlers that executors offer, sorted by name. */
  handlers: readonly OfferedHandler[];
  /**
   * Changes parts of the address: the view, the task, the job. With `replace`, the browser's history gets no new entry.
   */
  goTo: (search: Partial<EditorSearch>, options?: { replace?: boolean }) => void;
  search: EditorSearch;
  /** The tasks that were just added. */
  pristine?: PristineFields;
  /** The camera of the canvas, stored while another view is shown. */
  canvasView?: RefObject<View | undefined>;
  /** Opens the search of the text, while the YAML view is shown. */
  textSearch?: RefObject<(() => void) | undefined>;
  /** The schedule that was open before this one, and a function that opens it; undefined if none is known. */
  former?: () => { name: string; open: () => void } | undefined;
}

/** A handler that at least one executor offers. */
export interface OfferedHandler extends Omit<Schemas['Handler'], 'schema'> {
  /** JSON Schema of its params. */
  schema?: JsonSchema;
  /** The number of reachable executors that offer it, by group. */
  groups: Readonly<Record<string, number>>;
}

/** The part of a JSON Schema that forms use; the server checks everything else. */
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
  'x-secrets'?: boolean;
  'x-connection'?: boolean;
  'x-unit'?: string;
  'x-advanced'?: boolean;
  'x-enum-titles'?: string[];
}

/** The views of the editor. */
export type EditorView = 'canvas' | 'table' | 'yaml' | 'settings' | 'history';

/** The search part of an address in the editor. */
export interface EditorSearch {
  /** Undefined for the canvas. */
  view?: EditorView;
  /** The key of the task that the inspector shows. */
  task?: string;
  /** The key of the job that the inspector shows. */
  job?: string;
  /** The field that gets the focus once, as faults name it: `timeout`, `params.command`. */
  field?: string;
  /** The batch that the author repairs by this edit; after the publication the page leads back to it. */
  batch?: number;
  /** The search text of the table. */
  q?: string;
  /** The column by which the table is sorted, with `-` before it for descending order. */
  sort?: string;
  /** The revisions that the history compares. */
  from?: number;
  to?: number;
  /** How the history shows changes; undefined for the graph, and on phones for the list. */
  as?: 'graph' | 'list' | 'text';
}

/** Provides the editor to its parts. */
export const EditorContext = createContext<Editor | null>(null);
/** How many pixels at the top of the view are covered by notices. */
export const NoticesHeightContext = createContext(0);
/** Provides the faults of the document. */
export const FaultsContext = createContext<readonly DocFault[]>([]);

/** The context of the editor that contains the component. */
export function useEditor(): Editor {
  const editor = useContext(EditorContext);
  if (!editor) throw new Error('this needs an EditorPage');
  return editor;
}

/** Reads a part of the document's state. `read` must return the same object while nothing in that part changes. */
export function useDoc<T>(read: (state: DocumentState) => T): T {
  return useStore(useEditor().store, read);
}

/** The faults of the document: the client finds some at once, the server finds the others a moment later. */
export const useFaults = (): readonly DocFault[] => useContext(FaultsContext);

/** In windows narrower than this the inspector is a drawer over the view. */
const DRAWER_BELOW = 900;

/** Whether the inspector is a drawer over the view, in a window as narrow as this one. */
export const isDrawer = (): boolean => window.innerWidth < DRAWER_BELOW;

/**
 * Whether the inspector is open as a drawer. Some views open it only on request, so that rows can be marked without it.
 */
export interface DrawerState {
  shown: boolean;
  show: () => void;
  /** Closes the drawer and keeps the selection; undefined where the drawer closes with the selection. */
  hide?: () => void;
}

/** Provides the state of the drawer. */
export const DrawerContext = createContext<DrawerState>({ shown: true, show: () => undefined });

/** The state of the drawer; it matters only where `isDrawer`. */
export const useDrawer = (): DrawerState => useContext(DrawerContext);
