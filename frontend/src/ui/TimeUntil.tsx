import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useClock, useNow } from './now';
import { Zones } from './Moment';
import { useShownZone } from './shownZone';
import { relative, span, useTook, weekday } from './time';

/** A moment that is further away is shown as a date (milliseconds). */
const MAX_RELATIVE = 48 * 3_600_000;

/** Above this remaining time (milliseconds), no seconds are shown. */
const MAX_WITH_SECONDS = 120_000;

/**
 * A future moment as `in 9 h 41 m`, or as its date from two days on. The tooltip shows the exact time in each zone;
 * `scheduleZone` is one of them.
 */
export function TimeUntil({ at, scheduleZone }: { at: string; scheduleZone?: string }) {
  const { t, i18n } = useTranslation();
  const now = useNow();
  const zone = useShownZone();
  const remaining = new Date(at).getTime() - now;
  const rounded = remaining > MAX_WITH_SECONDS ? remaining - (remaining % 60_000) : remaining;
  const text =
    remaining <= 0
      ? t('until.due')
      : remaining > MAX_RELATIVE
        ? weekday(at, i18n.language, now, zone)
        : t('until.in', { span: span(rounded, t) });
  return (
    <Tooltip label={<Zones at={at} zone={scheduleZone} />}>
      <time dateTime={at}>{text}</time>
    </Tooltip>
  );
}

/** A past moment relative to now. The tooltip shows the exact time in each zone. */
export function Ago({ at }: { at: string }) {
  const { i18n } = useTranslation();
  const now = useClock();
  return (
    <Tooltip label={<Zones at={at} />}>
      <time dateTime={at}>{relative(new Date(at).getTime(), now, i18n.language)}</time>
    </Tooltip>
  );
}

/** A duration, until now if there is no end. */
export function Elapsed({ from, to }: { from?: string; to?: string }) {
  const now = useNow();
  const took = useTook();
  if (!from) return null;
  return <>{took((to ? new Date(to).getTime() : now) - new Date(from).getTime(), !to)}</>;
}
