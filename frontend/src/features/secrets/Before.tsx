import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { meQuery } from '@/api/queries';
import { BeforeList } from '@/ui';

interface Props {
  query: UseQueryResult;
  kind: 'secret' | 'connection';
  /** Whether the list is empty. */
  empty: boolean;
  /** The button to make the first one; false for those who may not. */
  create: ReactNode;
}

/** What stands before a list, or in its place: the button, who may use it, an error, that there is nothing yet. */
export function Before({ query, kind, empty, create }: Props) {
  const { t } = useTranslation('secrets');
  const { data: me } = useQuery(meQuery);
  return (
    <BeforeList
      query={query}
      empty={empty}
      note={me && !me.admin && t('adminOnly')}
      create={create}
      none={t(`${kind}.none`)}
      detail={t(`${kind}.noneDetail`)}
    />
  );
}
