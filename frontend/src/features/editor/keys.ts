import { useEffect, useRef } from 'react';
import { isMac, isOverPage, takesText } from '@/ui';

/** The actions of the page's keys; each is called at most once for a key press. */
interface KeyActions {
  undo: () => void;
  redo: () => void;
  save: () => void;
  publish: () => void;
  replace: () => void;
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
    case 'h':
      return event.shiftKey ? undefined : 'replace';
    default:
      return undefined;
  }
}

/** Actions whose keys text fields do not need. On a Mac, Ctrl+H deletes a character. */
const EVERYWHERE: readonly (keyof KeyActions)[] = isMac ? ['save'] : ['save', 'replace'];

/**
 * Handles the keys of the whole page. Text fields keep their own keys except Ctrl+S and Ctrl+H; dialogs and menus
 * keep all of theirs.
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
      if (isOverPage(event.target) || (takesText(event.target) && !EVERYWHERE.includes(action))) return;
      event.preventDefault();
      latest.current[action]();
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, []);
}
