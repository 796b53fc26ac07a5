import { type ComponentType, lazy, Suspense, useState } from 'react';

/**
 * A component whose code is loaded after the first render, in idle time. Use it for parts that a page shows only on
 * request. The code is then loaded before it is needed, even if the network fails later. Once it is loaded, the part
 * appears together with what opens it, so that the page does not jump a moment later.
 */
export function lazyPreload<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const cache: { load?: Promise<ComponentType<P>>; loaded?: ComponentType<P> } = {};
  const loadOnce = () =>
    (cache.load ??= load().then(
      (loaded) => (cache.loaded = loaded),
      (error: unknown) => {
        cache.load = undefined;
        throw error;
      },
    ));
  const idle = globalThis.requestIdleCallback as typeof requestIdleCallback | undefined; // Safari has none
  const preload = () => {
    loadOnce().catch(() => undefined);
  };
  if (idle) idle(preload);
  else setTimeout(preload, 1000);
  const Lazy = lazy(async () => ({ default: await loadOnce() })) as unknown as ComponentType<P>;
  return function Preloaded(props: P) {
    // A part that is shown keeps the component of its first render, and so its state.
    const [Shown] = useState(() => cache.loaded ?? Lazy);
    return (
      <Suspense fallback={null}>
        <Shown {...props} />
      </Suspense>
    );
  };
}
