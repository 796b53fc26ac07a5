/** What a key does on the canvas; each is told by the help that `?` shows. */
export type Action =
  | 'add'
  | 'job'
  | 'connect'
  | 'rename'
  | 'ring'
  | 'remove'
  | 'all'
  | 'duplicate'
  | 'laneUp'
  | 'laneDown'
  | 'toggle'
  | 'help'
  | 'quick';

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** Which action a key stands for; undefined for none of the canvas's own. */
export function actionFor({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): Action | undefined {
  const low = key.length === 1 ? key.toLowerCase() : key;
  if (ctrlKey || metaKey) {
    if (altKey || shiftKey) return undefined;
    return ({ a: 'all', d: 'duplicate' } as const)[low as 'a' | 'd'];
  }
  if (altKey)
    return shiftKey
      ? ({ ArrowUp: 'laneUp', ArrowDown: 'laneDown' } as const)[low as 'ArrowUp' | 'ArrowDown']
      : undefined;
  if (low === 'F10') return shiftKey ? 'ring' : undefined;
  if (key === '?') return 'help';
  if (shiftKey) return undefined;
  return PLAIN[low];
}

const PLAIN: Readonly<Partial<Record<string, Action>>> = {
  a: 'add',
  n: 'job',
  c: 'connect',
  F2: 'rename',
  m: 'ring',
  ContextMenu: 'ring',
  Delete: 'remove',
  Backspace: 'remove',
  ' ': 'toggle',
  Tab: 'quick',
};
