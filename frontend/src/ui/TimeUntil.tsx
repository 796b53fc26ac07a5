import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useClock, useNow } from './now';
import { span, useTook } from './span';
import { exact, relative, weekday } from './time';

/** Beyond so far ahead a day says more than a number of hours. */
const FAR = 48 * 3_600_000;

/** Above so much left, seconds are noise. */
const CALM = 120_000;

/** A moment to come: `in 9 h 41 m`, from two days on its date; the exact one, in the given zone, on hover. */
export function TimeUntil({ at, zone }: { at: string; zone?: string }) {
  const { t, i18n } = useTranslation();
  const remaining = new Date(at).getTime() - useNow();
  const rounded = remaining > CALM ? remaining - (remaining % 60_000) : remaining;
  const text =
    remaining <= 0
      ? t('until.due')
      : remaining > FAR
        ? weekday(at, i18n.language, zone)
        : t('until.in', { span: span(rounded, t) });
  return (
    <Tooltip label={`${exact(at, { zone, seconds: true })} ${zone ?? ''}`}>
      <time dateTime={at}>{text}</time>
    </Tooltip>
  );
}

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
