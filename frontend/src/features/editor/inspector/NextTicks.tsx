import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { problemText } from '@/api/problem';
import type { Doc } from '@/document';
import { exact, here, isElsewhere, useClock, weekday } from '@/ui';
import styles from './Inspector.module.css';

/** The triggers of a document; the list may be empty. */
export type Triggers = NonNullable<Doc['triggers']>;

/** Milliseconds without a change of the document after which the server is asked. */
const DEBOUNCE = 400;

/**
 * Asks the server when triggers are due next. The moments are shown in the schedule's zone, and in the reader's if that
 * differs.
 */
function useForecast(schedule: string, triggers: Triggers, zone: string | undefined, count: number) {
  const [request] = useDebouncedValue(JSON.stringify({ schedule, triggers, timezone: zone, count }), DEBOUNCE);
  const query = useQuery({
    queryKey: ['forecast', request],
    queryFn: ({ signal }) =>
      data(api.POST('/api/v1/forecasts', { body: JSON.parse(request) as { triggers: never[] }, signal })),
    enabled: triggers.length > 0,
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
  return query;
}

/** The next moments of triggers of a schedule, which need not exist yet. */
export function NextTicks({
  schedule,
  triggers,
  zone,
  count = 5,
  only,
}: {
  schedule: string;
  triggers: Triggers;
  zone?: string;
  count?: number;
  only?: number;
}) {
  const { t, i18n } = useTranslation('inspector');
  const { t: problems } = useTranslation('problems');
  const now = useClock();
  const { data: forecast, error } = useForecast(schedule, triggers, zone, count);
  if (triggers.length === 0) return <p className="hg-quiet">{t('ticks.byHand')}</p>;
  if (!forecast) return <p className="hg-quiet">{error ? problemText(error, problems).detail : t('ticks.waiting')}</p>;
  const moments = forecast.moments.filter((moment) => only === undefined || moment.trigger === only);
  // The faults are shown at the fields of the triggers. “Never due” would be misleading beside them.
  if (moments.length === 0 && forecast.faults.length > 0) return null;
  if (moments.length === 0) return <p className="hg-quiet">{t('ticks.never')}</p>;
  return (
    <ul className={styles.ticks}>
      {moments.map(({ at, trigger }) => (
        <li key={`${at} ${String(trigger)}`}>
          <time dateTime={at}>
            {weekday(at, i18n.language, now, zone ?? 'UTC')} <b>{exact(at, { zone: zone ?? 'UTC' }).slice(11)}</b>
          </time>
          {isElsewhere(at, zone ?? 'UTC') && (
            <span>{t('ticks.here', { at: here(at, i18n.language, zone ?? 'UTC') })}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
