import { type ComponentType, lazy, Suspense } from 'react';

/**
 * A component whose code is loaded after the first paint, for parts that a page shows only on request. The browser
 * fetches it in idle time, so that it is present when it is needed, even if the network is gone by then.
 */
export function lazyPreload<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const once = { load: undefined as Promise<ComponentType<P>> | undefined };
  const get = () =>
    (once.load ??= load().catch((error: unknown) => {
      once.load = undefined;
      throw error;
    }));
  const idle = globalThis.requestIdleCallback as typeof requestIdleCallback | undefined; // Safari has none
  const fetchAhead = () => {
    get().catch(() => undefined);
  };
  if (idle) idle(fetchAhead);
  else setTimeout(fetchAhead, 1000);
  const Lazy = lazy(async () => ({ default: await get() })) as unknown as ComponentType<P>;
  return function Preloaded(props: P) {
    return (
      <Suspense fallback={null}>
        <Lazy {...props} />
      </Suspense>
    );
  };
}
