import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ChangeMenu, isChangeable, useChangeText } from '@/features/planned';
import { ruleTextKey, STATE_OF_DECISION } from '@/features/ticks';
import { ErrorNote, exact, Glyph, Moment, Skeleton, useNow } from '@/ui';
import { dateAfter, dateName } from './month';
import { Slots } from './Slots';
import { startOf, useDay } from './useForecast';
import styles from './Forecast.module.css';

/** The windows in which the list is below the days, as in Forecast.module.css. */
const BELOW = '(max-width: 1000px)';

interface Props {
  date: string;
  schedule?: string;
  down?: string;
  shift?: string;
  zone: string;
  /** The day is over, so there is nothing to forecast. */
  past: boolean;
  close: ReactNode;
}

/** The decisions that are to be expected on one day. */
export function DayList({ date, schedule, down, shift, zone, past, close }: Props) {
  const { t, i18n } = useTranslation('forecast');
  const query = useDay(date, past, { schedule, down, shift, zone });
  const ticks = query.data?.items ?? [];
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (matchMedia(BELOW).matches) section.current?.scrollIntoView({ block: 'center' });
  }, []);
  const cut = query.data && Date.parse(query.data.until) < startOf(dateAfter(date, 1), zone) - 1000;
  return (
    <section ref={section} className={styles.dayList} aria-label={dateName(date, i18n.language)}>
      <header>
        <h2>{dateName(date, i18n.language)}</h2>
        {close}
      </header>
      {past && (
        <p>
          {t('dayPast')}{' '}
          {schedule !== undefined && (
            <Link to="/schedules/$name/ticks" params={{ name: schedule }}>
              {t('itsTicks')}
            </Link>
          )}
        </p>
      )}
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {!past && query.isPending && <Skeleton rows={3} />}
      {query.isSuccess && ticks.length === 0 && !cut && <p>{t('dayEmpty')}</p>}
      {ticks.length > 0 && <Slots {...{ date, schedule, down, shift, zone }} />}
      {ticks.length > 0 && (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- for scrolling by keyboard
        <ol className={styles.ticks} tabIndex={0} aria-label={t('decisions')}>
          {ticks.map((tick) => (
            <Tick key={`${tick.schedule} ${tick.moment} ${tick.trigger}`} tick={tick} zone={zone} />
          ))}
        </ol>
      )}
      {cut && (
        <p className={styles.cut}>{t('dayCut', { count: ticks.length, until: exact(query.data.until, { zone }) })}</p>
      )}
    </section>
  );
}

/** Why a tick has its decision; empty if that needs no words. */
function useReason(tick: Schemas['ForecastTick'], zone: string): string {
  const { t } = useTranslation(['forecast', 'ticks']);
  const rule = ruleTextKey(tick);
  const why = rule ? t(`ticks:rule.${rule}`) : (tick.detail ?? tick.rule);
  if (tick.rule === `planned_${tick.plannedChange?.action ?? ''}`) return '';
  if (tick.decision === 'waiting') return tick.detail ?? why;
  if (tick.startsUnknown) return t('forecast:startUnknown');
  if (tick.ends) return t(`forecast:ends.${tick.ends}`);
  if (tick.startsAt && tick.startsAt !== tick.moment)
    return `${t('forecast:starts', { at: exact(tick.startsAt, { zone }) })} · ${why}`;
  return tick.decision === 'fired' ? '' : why;
}

function Tick({ tick, zone }: { tick: Schemas['ForecastTick']; zone: string }) {
  const { t } = useTranslation(['forecast', 'ticks']);
  const now = useNow();
  const change = useChangeText(zone);
  const planned = tick.plannedChange;
  const time = (at: string) => exact(at, { zone }).slice(11);
  const about = useReason(tick, zone);
  return (
    <li>
      <Moment at={tick.moment} schedule={tick.schedule}>
        {time(tick.moment)}
      </Moment>
      <span className={styles.tickName}>
        {tick.schedule}
        {tick.count > 1 && ` ×${String(tick.count)}`}
      </span>
      <span className={styles.decision} data-state={STATE_OF_DECISION[tick.decision]}>
        <Glyph state={STATE_OF_DECISION[tick.decision]} size={16} />
        {t(`forecast:decision.${tick.decision}`)}
      </span>
      {isChangeable(tick, now) && (
        <ChangeMenu schedule={tick.schedule} moment={tick.moment} change={planned} zone={zone} />
      )}
      {about && <small>{about}</small>}
      {planned && <small>{change(planned)}</small>}
    </li>
  );
}
