import { type RefObject, useLayoutEffect } from 'react';
import { cardId, type StageStore } from './stage';

/**
 * Names what the keyboard is on, for those who hear it, as soon as it is on the page and as long as it stays: cards and
 * heads come a few in a frame, and from afar there are none.
 */
export function useNamed(root: RefObject<HTMLElement | null>, stage: StageStore, scene: string): void {
  useLayoutEffect(() => {
    const element = root.current;
    if (!element) return undefined;
    const tell = () => {
      const { active, focused } = stage.getState();
      const id = focused && active !== undefined ? cardId(scene, active) : undefined;
      if (id === undefined || !document.getElementById(id)) element.removeAttribute('aria-activedescendant');
      else if (element.getAttribute('aria-activedescendant') !== id) element.setAttribute('aria-activedescendant', id);
    };
    const comings = new MutationObserver(tell);
    const follow = () => {
      if (stage.getState().focused) comings.observe(element, { childList: true, subtree: true });
      else comings.disconnect();
      tell();
    };
    follow();
    const stop = stage.subscribe((now, before) => {
      if (now.active !== before.active || now.focused !== before.focused) follow();
    });
    return () => {
      stop();
      comings.disconnect();
    };
  }, [root, stage, scene]);
}
