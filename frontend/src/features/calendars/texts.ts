import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type DayKind, firstOf, type Marked, type Range, WEEKDAYS } from './days';

const DAY = 86_400_000;
/** A Monday. */
const MONDAY = 4;

/** The texts of days in the language of the user. */
export interface DayTexts {
  /** `Thu, 1 October 2026` */
  day: (day: number) => string;
  /** `1–7 Oct 2026` */
  range: (range: Range) => string;
  /** `1–7`: the days of a range within a month. */
  daysOfMonth: (range: Range) => string;
  /** `October` */
  month: (year: number, month: number) => string;
  /** The name of a weekday: 0 is Monday. */
  weekday: (weekday: number) => string;
  shortWeekday: (weekday: number) => string;
  narrowWeekday: (weekday: number) => string;
  /** `Mon to Fri`, or a list: the weekdays that are workdays. */
  workdays: (weekend: readonly string[]) => string;
}

/** The texts of days in the language of the user. */
export function useDayTexts(): DayTexts {
  const { t, i18n } = useTranslation('calendars');
  return useMemo((): DayTexts => {
    const locale = i18n.language === 'en' ? 'en-GB' : i18n.language;
    const format = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });
    const date = (day: number) => new Date(day * DAY);
    const whole = format({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' });
    const short = format({ day: 'numeric', month: 'short', year: 'numeric' });
    const month = format({ month: 'long' });
    const weekdays = (style: 'long' | 'short' | 'narrow') => {
      const names = format({ weekday: style });
      return (weekday: number) => names.format(date(MONDAY + weekday));
    };
    const shortWeekday = weekdays('short');
    return {
      day: (day) => whole.format(date(day)),
      range: ({ from, to }) => {
        if (from === to) return short.format(date(from));
        // The ranges that browsers write in Chinese have another form than single days.
        return i18n.language === 'zh' ? chineseRange(date(from), date(to)) : short.formatRange(date(from), date(to));
      },
      daysOfMonth: ({ from, to }) =>
        [from, to]
          .filter((day, i) => i === 0 || day !== from)
          .map((day) => date(day).getUTCDate())
          .join('–'),
      month: (year, index) => month.format(date(firstOf(year, index))),
      weekday: weekdays('long'),
      shortWeekday,
      narrowWeekday: weekdays('narrow'),
      workdays: (weekend) => {
        const days = WEEKDAYS.flatMap((day, i) => (weekend.includes(day) ? [] : [i]));
        const [first = 0, last = 0] = [days[0], days.at(-1)];
        if (days.length === 7) return t('everyDay');
        if (days.length === 0) return t('noDay');
        return days.length > 2 && last - first === days.length - 1
          ? t('weekdays', { first: shortWeekday(first), last: shortWeekday(last) })
          : new Intl.ListFormat(locale, { type: 'unit', style: 'short' }).format(days.map((d) => shortWeekday(d)));
      },
    };
  }, [i18n.language, t]);
}

/** A range of days in Chinese, such as `2026年10月1日至7日`. The end leaves out the year and the month if they are equal. */
function chineseRange(from: Date, to: Date): string {
  const sameYear = from.getUTCFullYear() === to.getUTCFullYear();
  const sameMonth = sameYear && from.getUTCMonth() === to.getUTCMonth();
  const text = (date: Date, year: boolean, month: boolean) =>
    [
      year && `${String(date.getUTCFullYear())}年`,
      month && `${String(date.getUTCMonth() + 1)}月`,
      `${String(date.getUTCDate())}日`,
    ]
      .filter(Boolean)
      .join('');
  return `${text(from, true, true)}至${text(to, !sameYear, !sameMonth)}`;
}

/** The key of the text for what a day is. */
export const kindKey = (kind: DayKind) => `kind.${kind}` as const;

/** What an entry makes of days, with its name: `holiday, National Day`. */
export function useMarkText(): (marked: Marked | undefined) => string {
  const { t } = useTranslation('calendars');
  return (marked) =>
    marked ? [t(kindKey(marked.kind)), marked.name].filter(Boolean).join(t('comma')) : t('kind.rule');
}
