import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { keys, meQuery } from '@/api/queries';
import { onRenamed } from '@/api/renamed';
import { moveNotes } from '@/features/editor/drafts/moveNotes';
import { toast } from '@/ui';

/** Goes on to the new name of a schedule, if the page is one of a schedule that was renamed. */
export function useFollowRename(): void {
  const { t } = useTranslation('schedules');
  const router = useRouter();
  const queries = useQueryClient();
  useEffect(
    () =>
      onRenamed((former, to) => {
        const href = renamedAddress(router.state.location, former, to);
        if (href === undefined) return;
        const user = queries.getQueryData(meQuery.queryKey)?.name;
        if (user !== undefined) moveNotes(localStorage, user, former, to);
        void queries.invalidateQueries({ queryKey: keys.schedules });
        void queries.invalidateQueries({ queryKey: keys.schedule(to) });
        void router.navigate({ href, replace: true });
        toast(t('renamed', { former, to }));
      }),
    [queries, router, t],
  );
}

/** The address of the page with the new name of a schedule; undefined if the page is not about that schedule. */
export function renamedAddress(
  { pathname, searchStr }: { pathname: string; searchStr: string },
  former: string,
  to: string,
): string | undefined {
  const page = `/schedules/${former}`;
  if (pathname === page || pathname.startsWith(`${page}/`))
    return `/schedules/${to}${pathname.slice(page.length)}${searchStr}`;
  const search = new URLSearchParams(searchStr);
  if (search.get('schedule') !== former) return undefined;
  search.set('schedule', to);
  return `${pathname}?${search.toString()}`;
}
