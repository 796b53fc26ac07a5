import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';
import { api, setCsrf } from '@/api/client';

/** Returns what ends the session and opens the login page. */
export function useLogOut(): () => void {
  const queries = useQueryClient();
  const router = useRouter();
  return useCallback(() => {
    const logOut = async () => {
      await api.DELETE('/api/v1/session');
      setCsrf('');
      queries.clear();
      await router.navigate({ to: '/login', search: {} });
    };
    void logOut();
  }, [queries, router]);
}
