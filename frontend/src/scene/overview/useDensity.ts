import { useSyncExternalStore } from 'react';

const density = () => window.devicePixelRatio || 1;

/** Device pixels per pixel of the page; it changes when the window is moved to another screen. */
export function useDensity(): number {
  return useSyncExternalStore(subscribe, density);
}

/**
 * Calls `changed` whenever the density changes. A media query matches one value only, so each change makes a new one.
 */
function subscribe(changed: () => void): () => void {
  let stop: () => void = () => undefined;
  const watch = () => {
    const query = window.matchMedia(`(resolution: ${String(density())}dppx)`);
    const onChange = () => {
      stop();
      watch();
      changed();
    };
    query.addEventListener('change', onChange);
    stop = () => {
      query.removeEventListener('change', onChange);
    };
  };
  watch();
  return () => {
    stop();
  };
}
