import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import type { Definition } from '@/api/definition';
import { problemText } from '@/api/problem';
import { describeTrigger } from '@/cron';
import { scheduleQuery } from '@/api/queries';
import type { Doc } from '@/document';
import { exact, here, isElsewhere, useClock, weekday } from '@/ui';
import { useDoc, useEditor } from '../context';
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

/** Whether what happens gives the moments of a trigger, and not the clock: nobody can list them before. */
const isOpen = (trigger: Triggers[number]) =>
  trigger.webhook !== undefined ||
  trigger.every !== undefined ||
  ((trigger.after?.length ?? 0) > 0 && !trigger.cron && !trigger.at);

/** The triggers that no clock makes due, in words. */
function OpenTriggers({ triggers }: { triggers: Triggers }) {
  const { t, i18n } = useTranslation('cron');
  if (triggers.length === 0) return null;
  const words = triggers.map((trigger) => describeTrigger(trigger, t, i18n.language).text);
  return (
    <ul className={styles.ticks}>
      {[...new Set(words)].map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** Whether moments differ in their seconds, so that they must be shown. */
const haveSeconds = (moments: readonly string[]) => moments.some((at) => Date.parse(at) % 60_000 !== 0);

/** Whether a schedule has made as many batches as it may, also with the policy of the draft. */
function useIsUsedUp(name: string): boolean {
  const { base } = useEditor();
  const maxBatches = useDoc((s) => s.doc.policy?.maxBatches);
  const { data: schedule } = useQuery({ ...scheduleQuery(name), enabled: base !== undefined });
  const published = schedule?.definition as Definition | undefined;
  return schedule?.finished === 'max_batches' && published?.policy?.maxBatches === maxBatches;
}

/** The next moments of triggers of a schedule, which need not exist yet. */
export function NextTicks({
  schedule,
  triggers,
  zone,
  count = 5,
}: {
  schedule: string;
  triggers: Triggers;
  zone?: string;
  count?: number;
}) {
  const { t, i18n } = useTranslation(['inspector', 'schedules']);
  const { t: problems } = useTranslation('problems');
  const usedUp = useIsUsedUp(schedule);
  const now = useClock();
  const { data: forecast, error } = useForecast(schedule, triggers, zone, count);
  if (triggers.length === 0) return <p className="hg-quiet">{t('ticks.byHand')}</p>;
  if (usedUp) return <p className="hg-quiet">{t('schedules:next.finishedAbout.max_batches')}</p>;
  if (!forecast) return <p className="hg-quiet">{error ? problemText(error, problems).detail : t('ticks.waiting')}</p>;
  const { moments } = forecast;
  const open = triggers.filter(isOpen);
  const seconds = haveSeconds(moments.map(({ at }) => at));
  // The faults are shown at the fields of the triggers. “Never due” would be misleading beside them.
  if (moments.length === 0 && forecast.faults.length > 0) return null;
  if (moments.length === 0 && open.length > 0) return <OpenTriggers triggers={open} />;
  if (moments.length === 0) return <p className="hg-quiet">{t('ticks.never')}</p>;
  return (
    <>
      <ul className={styles.ticks}>
        {moments.map(({ at, trigger }) => (
          <li key={`${at} ${String(trigger)}`}>
            <time dateTime={at}>
              {weekday(at, i18n.language, now, zone ?? 'UTC')}{' '}
              <b>{exact(at, { zone: zone ?? 'UTC', seconds }).slice(11)}</b>
            </time>
            {isElsewhere(at, zone ?? 'UTC') && (
              <span>{t('ticks.here', { at: here(at, i18n.language, { zone: zone ?? 'UTC', seconds }) })}</span>
            )}
          </li>
        ))}
      </ul>
      <OpenTriggers triggers={open} />
    </>
  );
}
