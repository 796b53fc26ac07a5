import { useEffect, useRef } from 'react';

const TEXT: ReadonlySet<string> = new Set([
  'text',
  'search',
  'email',
  'number',
  'password',
  'tel',
  'url',
  'date',
  'time',
  'datetime-local',
  'month',
  'week',
]);

/** Whether an element takes text. The page then leaves all keys to it. */
export function takesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return TEXT.has(target.type) && !target.readOnly;
  return target instanceof HTMLTextAreaElement || target.isContentEditable || target.closest('.cm-editor') !== null;
}

/** Whether an element is in something that was opened over the page: a dialog, a menu or a list of options. */
export function isOverPage(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]') !== null
  );
}

/** The actions of the page's keys; each is called at most once for a key press. */
interface KeyActions {
  undo: () => void;
  redo: () => void;
  save: () => void;
  publish: () => void;
}

const MAC = /mac|iphone|ipad/i.test(navigator.platform);

/** How a key with Ctrl is written on this machine: `Ctrl+Z`, `⌘Z`. */
export function keyName(key: string): string {
  return MAC ? `⌘${key.replace('Shift+', '⇧')}` : `Ctrl+${key}`;
}

/** The action of a key; undefined if it has none. */
export function actionOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
): keyof KeyActions | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined;
  switch (event.key.toLowerCase()) {
    case 'z':
      return event.shiftKey ? 'redo' : 'undo';
    case 'y':
      return event.shiftKey ? undefined : 'redo';
    case 's':
      return event.shiftKey ? undefined : 'save';
    case 'enter':
      return event.shiftKey ? undefined : 'publish';
    default:
      return undefined;
  }
}

/**
 * Handles the keys of the whole page. Text fields keep their own keys except Ctrl+S; dialogs and menus keep all of
 * theirs.
 */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const action = event.defaultPrevented ? undefined : actionOf(event);
      if (!action) return;
      if (action === 'save') event.preventDefault(); // the browser would save the page
      if (isOverPage(event.target) || (action !== 'save' && takesText(event.target))) return;
      event.preventDefault();
      latest.current[action]();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, []);
}
