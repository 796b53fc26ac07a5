import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { onSignedOut, setCsrf } from '@/api/client';
import { keys } from '@/api/queries';

/**
 * Forgets the user once the server says that the session has ended. The router then opens the login page and keeps the
 * address for afterwards.
 */
export function watchSession(queries: QueryClient, router: AnyRouter): void {
  onSignedOut(() => {
    setCsrf('');
    if (queries.getQueryData(keys.me) === undefined) return; // nobody was
    queries.removeQueries({ queryKey: keys.me });
    void router.invalidate();
  });
}
