import { useSyncExternalStore } from 'react';

const density = () => window.devicePixelRatio || 1;

/** Pixels of the screen per pixel of the page: a window may be moved to a finer screen. */
export function useDensity(): number {
  return useSyncExternalStore(subscribe, density);
}

function subscribe(tell: () => void): () => void {
  let stop: () => void = () => undefined;
  const watch = () => {
    const query = window.matchMedia(`(resolution: ${String(density())}dppx)`);
    const changed = () => {
      stop();
      watch();
      tell();
    };
    query.addEventListener('change', changed);
    stop = () => {
      query.removeEventListener('change', changed);
    };
  };
  watch();
  return () => {
    stop();
  };
}
