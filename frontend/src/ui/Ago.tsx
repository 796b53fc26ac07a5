import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useClock, useNow } from './now';
import { useTook } from './span';
import { exact, relative } from './time';

/** A moment told from now; the exact one on hover and for screen readers. */
export function Ago({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const now = useClock();
  return (
    <Tooltip label={exact(at, { seconds: true })}>
      <time dateTime={at}>{relative(new Date(at).getTime(), now, i18n.language)}</time>
    </Tooltip>
  );
}

/** How long something took, or has taken so far. */
export function Elapsed({ from, to }: { from?: string; to?: string }) {
  const now = useNow();
  const took = useTook();
  if (!from) return null;
  return <>{took((to ? new Date(to).getTime() : now) - new Date(from).getTime(), !to)}</>;
}
