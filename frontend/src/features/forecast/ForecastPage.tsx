import { Button, CloseButton } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { ErrorNote, exact, Page, PageHeader, ScheduleZone, Skeleton, useNow, useShownZone } from '@/ui';
import { DayList } from './DayList';
import { Differences } from './Differences';
import { type Day, monthAfter, monthName } from './month';
import { Legend, MonthGrid } from './MonthGrid';
import { MonthList } from './MonthList';
import { checkForecastSearch, type ForecastSearch } from './search';
import { SchedulePicker } from './SchedulePicker';
import { Shift } from './Shift';
import { Subscribe } from './Subscribe';
import { useMonth } from './useForecast';
import { WhatIf } from './WhatIf';
import styles from './Forecast.module.css';

/** Milliseconds between two looks at the clock. */
const TODAY_INTERVAL = 60_000;

/** What the schedules will do: a month of days, what differs from day to day, and the decisions of one day. */
export function ForecastPage() {
  const search = checkForecastSearch(useSearch({ strict: false }));
  return (
    <ScheduleZone name={search.schedule}>
      <Month search={search} />
    </ScheduleZone>
  );
}

function Month({ search }: { search: ForecastSearch }) {
  const navigate = useNavigate();
  const change = (part: ForecastSearch) =>
    void navigate({ to: '/forecast', search: checkForecastSearch({ ...search, ...part }), replace: true });
  const zone = useShownZone();
  const now = useNow(TODAY_INTERVAL);
  const today = exact(now, { zone }).slice(0, 10);
  const month = search.month ?? today.slice(0, 7);
  const query = useMonth(month, { ...search, zone });
  const days = query.data?.days ?? [];
  const [moved, setMoved] = useState<string>();
  const [subscribing, setSubscribing] = useState(false);
  const step = (months: number) => {
    const next = monthAfter(month, months);
    setMoved(undefined);
    change({ month: next === today.slice(0, 7) ? undefined : next, day: undefined });
  };
  const goTo = (date: string) => {
    setMoved(date);
    if (!days.some((d) => d.date === date)) change({ month: date.slice(0, 7), day: undefined });
  };
  const open = (date: string) => {
    change({ day: search.day === date ? undefined : date });
  };
  const shown = { month, days, today, zone: zone ?? 'UTC' };
  return (
    <Page>
      <Head
        schedule={search.schedule}
        onSubscribe={() => {
          setSubscribing(true);
        }}
      />
      <Tools month={month} search={search} onChange={change} onStep={step} />
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && !query.isError && <Skeleton />}
      {query.data && (
        <div className={styles.layout}>
          <div className={styles.main} aria-busy={query.isPlaceholderData}>
            {search.view === 'list' ? (
              <MonthList {...shown} onOpen={open} />
            ) : (
              <>
                <MonthGrid
                  {...shown}
                  active={activeDay(days, moved ?? search.day, month, today)}
                  opened={search.day}
                  idle={search.idle === true}
                  onActive={goTo}
                  onOpen={open}
                  onStep={step}
                />
                <Legend />
              </>
            )}
          </div>
          <Side {...shown} forecast={query.data} search={search} onChange={change} />
        </div>
      )}
      {subscribing && (
        <Subscribe
          schedule={search.schedule}
          onClose={() => {
            setSubscribing(false);
          }}
        />
      )}
    </Page>
  );
}

interface HeadProps {
  schedule: string | undefined;
  onSubscribe: () => void;
}

function Head({ schedule, onSubscribe }: HeadProps) {
  const { t } = useTranslation(['forecast', 'common']);
  return (
    <PageHeader
      times
      title={schedule === undefined ? t('forecast:title') : t('forecast:titleOf', { schedule })}
      above={
        <nav aria-label={t('forecast:crumbs')}>
          <Link to="/">{t('common:nav.schedules')}</Link>
          {schedule !== undefined && (
            <>
              {' / '}
              <Link to="/schedules/$name/ticks" params={{ name: schedule }}>
                {schedule}
              </Link>
            </>
          )}
        </nav>
      }
      note={t('forecast:note')}
    >
      <Button onClick={onSubscribe}>{t('forecast:subscribe.open')}</Button>
    </PageHeader>
  );
}

interface ToolsProps {
  /** As in `2026-12`. */
  month: string;
  search: ForecastSearch;
  onChange: (part: ForecastSearch) => void;
  /** Goes to another month. */
  onStep: (months: number) => void;
}

/** The month with the buttons to others, the schedule, and what is shown. */
function Tools({ month, search, onChange, onStep }: ToolsProps) {
  const { t, i18n } = useTranslation('forecast');
  return (
    <div className={styles.tools}>
      <div className={styles.steps}>
        <Button
          aria-label={t('earlier')}
          onClick={() => {
            onStep(-1);
          }}
        >
          ‹
        </Button>
        <h2 aria-live="polite">{monthName(month, i18n.language)}</h2>
        <Button
          aria-label={t('later')}
          onClick={() => {
            onStep(1);
          }}
        >
          ›
        </Button>
        {search.month !== undefined && (
          <Button
            variant="subtle"
            onClick={() => {
              onChange({ month: undefined, day: undefined });
            }}
          >
            {t('now')}
          </Button>
        )}
      </div>
      <SchedulePicker
        value={search.schedule}
        onChange={(schedule) => {
          onChange({ schedule });
        }}
      />
      <Chip
        on={search.view === 'list'}
        label={t('list')}
        onChange={(on) => {
          onChange({ view: on ? 'list' : undefined });
        }}
      />
      <Chip
        on={search.idle === true}
        label={t('idle')}
        onChange={(on) => {
          onChange({ idle: on ? true : undefined });
        }}
      />
    </div>
  );
}

interface SideProps {
  forecast: Schemas['ForecastMonth'];
  /** As in `2026-12`. */
  month: string;
  days: readonly Day[];
  today: string;
  zone: string;
  search: ForecastSearch;
  onChange: (part: ForecastSearch) => void;
}

/** The open day, what the month does differently, and what happens without a server. */
function Side({ forecast, month, days, today, zone, search, onChange }: SideProps) {
  const { t } = useTranslation('forecast');
  const { day, schedule, down, shift } = search;
  return (
    <aside className={styles.side}>
      {day !== undefined && (
        <DayList
          key={day}
          date={day}
          {...{ schedule, down, shift, zone }}
          past={day < today}
          close={
            <CloseButton
              aria-label={t('closeDay')}
              onClick={() => {
                onChange({ day: undefined });
              }}
            />
          }
        />
      )}
      <Differences forecast={forecast} month={month} />
      <WhatIf
        key={down}
        {...{ down, zone, days }}
        onChange={(span) => {
          onChange({ down: span });
        }}
      />
      <Shift
        key={`${schedule ?? ''} ${shift ?? ''}`}
        {...{ shift, schedule }}
        onChange={(moved) => {
          onChange({ shift: moved });
        }}
      />
    </aside>
  );
}

/** The day that has the keyboard: the chosen one if it is shown, or else today, or else the first of the month. */
function activeDay(days: readonly Day[], chosen: string | undefined, month: string, today: string): string {
  const shown = (date: string | undefined) => date !== undefined && days.some((d) => d.date === date);
  if (chosen !== undefined && shown(chosen)) return chosen;
  return today.startsWith(month) && shown(today) ? today : `${month}-01`;
}

function Chip({ on, label, onChange }: { on: boolean; label: string; onChange: (on: boolean) => void }) {
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={on}
      onClick={() => {
        onChange(!on);
      }}
    >
      {label}
    </button>
  );
}
