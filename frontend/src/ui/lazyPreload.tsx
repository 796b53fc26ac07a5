import { type ComponentType, lazy, Suspense } from 'react';

/**
 * A component whose code is loaded after the first render, in idle time. Use it for parts that a page shows only on
 * request. The code is then loaded before it is needed, even if the network fails later.
 */
export function lazyPreload<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const cache = { load: undefined as Promise<ComponentType<P>> | undefined };
  const loadOnce = () =>
    (cache.load ??= load().catch((error: unknown) => {
      cache.load = undefined;
      throw error;
    }));
  const idle = globalThis.requestIdleCallback as typeof requestIdleCallback | undefined; // Safari has none
  const preload = () => {
    loadOnce().catch(() => undefined);
  };
  if (idle) idle(preload);
  else setTimeout(preload, 1000);
  const Lazy = lazy(async () => ({ default: await loadOnce() })) as unknown as ComponentType<P>;
  return function Preloaded(props: P) {
    return (
      <Suspense fallback={null}>
        <Lazy {...props} />
      </Suspense>
    );
  };
}
