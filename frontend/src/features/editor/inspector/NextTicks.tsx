import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useEffect, useState } from 'react';
import { api, data } from '@/api/client';
import { problemText } from '@/api/problem';
import type { Doc } from '@/document';
import { exact, here, isElsewhere, weekday } from '@/ui';
import styles from './Inspector.module.css';

/** Milliseconds without a change after which a text is taken. */
const CALM = 400;

/** A text as it was before somebody began to type; it follows a moment after they have stopped. */
function useCalm(text: string): string {
  const [calm, setCalm] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      setCalm(text);
    }, CALM);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return calm;
}

/** The triggers of a document; the list may be empty. */
export type Triggers = NonNullable<Doc['triggers']>;

/**
 * Asks the server when triggers are due next. The moments are shown in the schedule's zone, and in the reader's if that
 * differs.
 */
function useForecast(triggers: Triggers, zone: string | undefined, count: number) {
  const asked = useCalm(JSON.stringify({ triggers, timezone: zone, count }));
  const query = useQuery({
    queryKey: ['forecast', asked],
    queryFn: ({ signal }) =>
      data(api.POST('/api/v1/forecasts', { body: JSON.parse(asked) as { triggers: never[] }, signal })),
    enabled: triggers.length > 0,
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
  return query;
}

/** The next moments of triggers. */
export function NextTicks({
  triggers,
  zone,
  count = 5,
  only,
}: {
  triggers: Triggers;
  zone?: string;
  count?: number;
  only?: number;
}) {
  const { t, i18n } = useTranslation('inspector');
  const { t: problems } = useTranslation('problems');
  const { data: forecast, error } = useForecast(triggers, zone, count);
  if (triggers.length === 0) return <p className="hg-quiet">{t('ticks.byHand')}</p>;
  if (!forecast) return <p className="hg-quiet">{error ? problemText(error, problems).detail : t('ticks.waiting')}</p>;
  const moments = forecast.moments.filter((moment) => only === undefined || moment.trigger === only);
  // What is wrong with a trigger stands at its field; that it is never due would be another remark.
  if (moments.length === 0 && forecast.faults.length > 0) return null;
  if (moments.length === 0) return <p className="hg-quiet">{t('ticks.never')}</p>;
  return (
    <ul className={styles.ticks}>
      {moments.map(({ at, trigger }) => (
        <li key={`${at} ${String(trigger)}`}>
          <time dateTime={at}>
            {weekday(at, i18n.language, zone ?? 'UTC')} <b>{exact(at, { zone: zone ?? 'UTC' }).slice(11)}</b>
          </time>
          {isElsewhere(at, zone ?? 'UTC') && (
            <span>{t('ticks.here', { at: here(at, i18n.language, zone ?? 'UTC') })}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
