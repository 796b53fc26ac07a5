/** What a key does on the canvas. The help that `?` opens lists them. */
export type CanvasCommand =
  | 'add'
  | 'addAtPointer'
  | 'addJob'
  | 'connect'
  | 'rename'
  | 'menu'
  | 'remove'
  | 'selectAll'
  | 'duplicate'
  | 'laneUp'
  | 'laneDown'
  | 'toggle'
  | 'help'
  | 'select'
  | 'clear';

/** A key with its modifiers; keyboard events of the browser and of React are such. */
export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

type Table = Readonly<Partial<Record<string, CanvasCommand>>>;

/** Keys without a modifier. */
const PLAIN: Table = {
  a: 'add',
  n: 'addJob',
  c: 'connect',
  F2: 'rename',
  m: 'menu',
  ContextMenu: 'menu',
  Delete: 'remove',
  Backspace: 'remove',
  ' ': 'toggle',
  Tab: 'addAtPointer',
};

/** Keys with Ctrl, or Cmd on a Mac. */
const CTRL: Table = { a: 'selectAll', d: 'duplicate' };

const SHIFT: Table = { F10: 'menu' };

const ALT_SHIFT: Table = { ArrowUp: 'laneUp', ArrowDown: 'laneDown' };

/** The command of a key; undefined for keys that are not the canvas's own. */
export function commandFor({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): CanvasCommand | undefined {
  const ctrl = ctrlKey || metaKey;
  if (key === 'Escape') return 'clear';
  if (key === 'Enter') return ctrl ? undefined : 'select';
  if (key === '?' && !ctrl && !altKey) return 'help';
  const name = key.length === 1 ? key.toLowerCase() : key;
  return tableFor(ctrl, altKey, shiftKey)?.[name];
}

function tableFor(ctrl: boolean, alt: boolean, shift: boolean): Table | undefined {
  if (ctrl) return alt || shift ? undefined : CTRL;
  if (alt) return shift ? ALT_SHIFT : undefined;
  return shift ? SHIFT : PLAIN;
}
