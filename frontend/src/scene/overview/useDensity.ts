import { useSyncExternalStore } from 'react';

const density = () => window.devicePixelRatio || 1;

/** The number of device pixels per pixel of the page. It changes when the window is moved to another screen. */
export function useDensity(): number {
  return useSyncExternalStore(subscribe, density);
}

/**
 * Calls `changed` whenever the density changes. A media query matches one value only, so each change needs a new query.
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
