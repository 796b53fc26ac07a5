import { lazyRouteComponent } from '@tanstack/react-router';
import { NOT_FETCHED } from '@/api/reload';
import { OfflineError } from '@/api/client';

/** The component of a page, whose code is fetched when somebody goes there. Without the server it fails as any call to it does. */
export const part: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((error: unknown) => {
        throw NOT_FETCHED.test(String(error)) ? new OfflineError(error) : error;
      }),
    name,
  );
