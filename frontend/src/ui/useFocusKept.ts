import { useEffect } from 'react';
import { focusNearest, withAround } from './around';

/** Milliseconds: a dialog that closes gives the focus back by itself. */
const PATIENCE = 1000;

/**
 * The focus is never lost: when what had it goes away (a button that is of no use any more, the link to another page),
 * the nearest thing around it that can take the focus gets it, the page's content at the least.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let around: Element[] = [];
    const note = ({ target }: FocusEvent) => {
      around = withAround(target instanceof Element ? target : null);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = new MutationObserver(() => {
      if (document.activeElement === document.body && around[0]?.isConnected === false)
        timer ??= setTimeout(keep, PATIENCE);
    });
    const keep = () => {
      timer = undefined;
      if (document.activeElement !== document.body || around[0]?.isConnected !== false) return;
      focusNearest(around);
      around = [];
    };
    document.addEventListener('focusin', note);
    look.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', note);
      look.disconnect();
      clearTimeout(timer);
    };
  }, []);
}
