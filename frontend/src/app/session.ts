import type { QueryClient } from '@tanstack/react-query';
import type { AnyRouter } from '@tanstack/react-router';
import { onSignedOut, setCsrf } from '@/api/client';
import { keys } from '@/api/queries';

/** When the server says that nobody is logged in any more: forgets what was read and asks for the login, keeping the place. */
export function watchSession(queries: QueryClient, router: AnyRouter): void {
  onSignedOut(() => {
    setCsrf('');
    if (queries.getQueryData(keys.me) === undefined) return; // nobody was
    queries.removeQueries({ queryKey: keys.me });
    void router.invalidate();
  });
}
