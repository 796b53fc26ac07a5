import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { exact, Moment } from '@/ui';
import {
  busiest,
  dateAfter,
  dateName,
  type Day,
  type DayItem,
  shortDate,
  weekdays,
  weekNumber,
  weeksOf,
} from './month';
import styles from './Forecast.module.css';

interface Props {
  /** As in `2026-12`. */
  month: string;
  days: readonly Day[];
  /** Today, as a date. */
  today: string;
  /** The day that has the keyboard. */
  active: string;
  opened?: string;
  zone: string;
  /** Emphasize the days on which nothing runs. */
  idle: boolean;
  onActive: (date: string) => void;
  onOpen: (date: string) => void;
  /** Goes to another month. */
  onStep: (months: number) => void;
}

const MOVES: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** The weeks of a month. Arrow keys go from day to day, page keys from month to month, and Enter opens a day. */
export function MonthGrid(props: Props) {
  const { month, days, active, onActive, onOpen, onStep } = props;
  const { t, i18n } = useTranslation('forecast');
  const grid = useRef<HTMLDivElement>(null);
  const byKey = useRef(false);
  useEffect(() => {
    if (!byKey.current) return;
    byKey.current = false;
    grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [active, days]);
  const onKeyDown = (e: KeyboardEvent) => {
    const weekday = (new Date(`${active}T00:00:00Z`).getUTCDay() + 6) % 7;
    const move = e.key === 'Home' ? -weekday : e.key === 'End' ? 6 - weekday : MOVES[e.key];
    if (e.key === 'Enter' || e.key === ' ') onOpen(active);
    else if (e.key === 'PageUp' || e.key === 'PageDown') onStep(e.key === 'PageUp' ? -1 : 1);
    else if (move !== undefined) onActive(dateAfter(active, move));
    else return;
    byKey.current = true;
    e.preventDefault();
  };
  const most = busiest(days);
  return (
    <div className={styles.grid} role="grid" aria-label={t('days')} ref={grid} tabIndex={-1} onKeyDown={onKeyDown}>
      <div role="row" className={styles.weekdays}>
        <span role="columnheader" className={styles.week}>
          <span className="hg-visually-hidden">{t('week')}</span>
        </span>
        {weekdays(i18n.language).map((name) => (
          <span role="columnheader" key={name}>
            {name}
          </span>
        ))}
      </div>
      {weeksOf(days).map((week) => (
        <div role="row" className={styles.days} key={week[0]?.date}>
          <span role="rowheader" className={styles.week}>
            <span className="hg-visually-hidden">{t('week')}</span> {weekNumber(week[0]?.date ?? '')}
          </span>
          {week.map((day) => (
            <DayCell key={day.date} {...props} day={day} most={most} outside={!day.date.startsWith(month)} />
          ))}
        </div>
      ))}
    </div>
  );
}

interface CellProps extends Props {
  day: Day;
  /** Ticks of the busiest hour of the month. */
  most: number;
  /** The day belongs to the month before or after. */
  outside: boolean;
}

const SHOWN = 3;

function DayCell({ day, most, outside, today, active, opened, zone, idle, onActive, onOpen }: CellProps) {
  const past = day.date < today;
  const busy = day.ticks > 0;
  return (
    <div
      role="gridcell"
      className={styles.day}
      data-outside={outside || undefined}
      data-past={past || undefined}
      data-today={day.date === today || undefined}
      data-entry={day.entries[0]?.kind}
      data-idle={idle && !past ? (busy ? 'no' : 'yes') : undefined}
      tabIndex={active === day.date ? 0 : -1}
      aria-selected={opened === day.date}
      aria-current={day.date === today ? 'date' : undefined}
      onClick={() => {
        onActive(day.date);
        onOpen(day.date);
      }}
      onKeyDown={undefined}
    >
      <DayHead day={day} outside={outside} />
      <DayItems day={day} zone={zone} />
      <DayCounts day={day} past={past} nothing={idle && !busy} />
      <Hours hours={day.hours} most={most} />
    </div>
  );
}

function DayHead({ day, outside }: { day: Day; outside: boolean }) {
  const { t, i18n } = useTranslation('forecast');
  const entry = day.entries[0];
  const name = entry && (entry.name ?? t(`entry.${entry.kind}`));
  return (
    <div className={styles.dayHead}>
      <b aria-hidden="true">{outside ? shortDate(day.date, i18n.language) : Number(day.date.slice(8))}</b>
      <span className={styles.weekdayName}>{dateName(day.date, i18n.language)}</span>
      {name && (
        <span className={styles.entry} title={name}>
          {name}
        </span>
      )}
    </div>
  );
}

function DayItems({ day, zone }: { day: Day; zone: string }) {
  const { t } = useTranslation('forecast');
  const more = day.items.length + day.more - SHOWN;
  return (
    <ul className={styles.items}>
      {day.items.slice(0, SHOWN).map((item) => (
        <Item key={`${item.kind} ${item.schedule} ${item.at}`} item={item} zone={zone} />
      ))}
      {more > 0 && <li className={styles.moreItems}>{t('more', { count: more })}</li>}
    </ul>
  );
}

function DayCounts({ day, past, nothing }: { day: Day; past: boolean; nothing: boolean }) {
  const { t } = useTranslation('forecast');
  if (past) return <span className="hg-visually-hidden">{t('past')}</span>;
  return (
    <div className={styles.counts}>
      <span>{nothing ? t('nothing') : t('ticks', { count: day.ticks })}</span>
      {day.down > 0 && <span className={styles.downMark}>{t('down', { count: day.down })}</span>}
    </div>
  );
}

const KINDS = ['due', 'added', 'left_out', 'moved', 'planned'] as const;
const SIGNS: Record<DayItem['kind'], string> = { due: '▭', added: '+', moved: '→', left_out: '−', planned: '✎' };

/** One line of what a day does differently. */
export function Item({ item, zone }: { item: DayItem; zone: string }) {
  const { t, i18n } = useTranslation('forecast');
  const why = item.from ? t('movedFrom', { date: shortDate(item.from, i18n.language) }) : t(`kind.${item.kind}`);
  return (
    <li data-kind={item.kind} title={`${item.schedule}: ${why}`}>
      <i aria-hidden="true">{SIGNS[item.kind]}</i>
      <span className="hg-visually-hidden">{t(`kind.${item.kind}`)}: </span>
      <Moment at={item.at} schedule={item.schedule}>
        {exact(item.at, { zone }).slice(11)}
      </Moment>{' '}
      <b>{item.schedule}</b>
      {item.count > 1 && <small>×{item.count}</small>}
    </li>
  );
}

/** The signs of the kinds, with their words. */
export function Legend() {
  const { t } = useTranslation('forecast');
  return (
    <ul className={styles.legend}>
      {KINDS.map((kind) => (
        <li key={kind} data-kind={kind}>
          <i aria-hidden="true">{SIGNS[kind]}</i> {t(`kind.${kind}`)}
        </li>
      ))}
      <li className={styles.bars}>{t('bars')}</li>
    </ul>
  );
}

const HEIGHT = 14;

/** The hours of a day as bars, as high as their ticks are many. */
function Hours({ hours, most }: { hours: readonly number[]; most: number }) {
  return (
    <svg className={styles.hours} viewBox={`0 0 96 ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {hours.map((n, hour) => {
        const high = n === 0 ? 1 : Math.max(2, (n / most) * HEIGHT);
        return (
          <rect key={hour} x={4 * hour} y={HEIGHT - high} width="3" height={high} data-none={n === 0 || undefined} />
        );
      })}
    </svg>
  );
}
