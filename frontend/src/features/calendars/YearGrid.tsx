import { Popover } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type CalendarDoc, firstOf, kindByRule, type Marked, markedDays, type Range, weeksOf } from './days';
import { type DayTexts, kindKey, useDayTexts } from './texts';
import type { Selection } from './useSelection';
import styles from './Year.module.css';

interface Props {
  year: number;
  doc: CalendarDoc;
  /** The days whose entry is not saved yet. */
  changed: ReadonlySet<number>;
  today: number;
  selection: Selection;
  /** The editor of the selected days. */
  editor: ReactNode;
}

/** The twelve months of a year. Every month is a grid; the arrow keys move through all of them. */
export function YearGrid({ year, selection, ...props }: Props) {
  const { doc } = props;
  const texts = useDayTexts();
  const marked = markedDays(doc);
  return (
    <div className={styles.year}>
      {Array.from({ length: 12 }, (_, month) => (
        <section key={month} className={styles.month}>
          <h3 id={`month-${String(month)}`}>{texts.month(year, month)}</h3>
          <Month {...props} {...{ year, month, marked, texts, selection }} />
          <Names {...{ marked, year, month, texts }} />
        </section>
      ))}
    </div>
  );
}

interface MonthProps extends Props {
  month: number;
  marked: ReadonlyMap<number, Marked>;
  texts: DayTexts;
}

function Month({ year, month, texts, selection, ...props }: MonthProps) {
  return (
    <table
      // eslint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role -- its cells are edited
      role="grid"
      className={styles.days}
      aria-labelledby={`month-${String(month)}`}
      aria-multiselectable="true"
      {...selection.cells}
    >
      <thead>
        <tr>
          {Array.from({ length: 7 }, (_, i) => (
            <th key={i} scope="col" abbr={texts.weekday(i)}>
              {texts.narrowWeekday(i)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(year, month).map((week, i) => (
          <tr key={i}>
            {week.map((day, weekday) =>
              day === undefined ? (
                <td key={weekday} />
              ) : (
                <Day key={weekday} day={day} {...props} texts={texts} selection={selection} />
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DayProps = Omit<MonthProps, 'year' | 'month'> & { day: number };

/** One day: its number, and a sign for a holiday or a make-up workday. */
function Day({ day, doc, marked, changed, today, texts, selection, editor }: DayProps) {
  const { t } = useTranslation('calendars');
  const { range, cursor, opened } = selection;
  const mark = marked.get(day);
  const kind = mark?.kind ?? kindByRule(doc, day);
  const isChanged = changed.has(day);
  const label = [texts.day(day), t(kindKey(kind)), mark?.name, day === today && t('today'), isChanged && t('notSaved')]
    .filter(Boolean)
    .join(t('comma'));
  const cell = (
    <td
      role="gridcell"
      tabIndex={day === cursor ? 0 : -1}
      data-day={day}
      data-kind={kind}
      data-sign={mark && t(`sign.${mark.kind}`)}
      data-today={day === today || undefined}
      data-changed={isChanged || undefined}
      aria-selected={day >= range.from && day <= range.to}
      aria-label={label}
      title={mark ? [t(kindKey(kind)), mark.name].filter(Boolean).join(t('colon')) : undefined}
    >
      <span>{numberOf(day)}</span>
    </td>
  );
  if (day !== cursor) return cell;
  return (
    <Popover
      opened={opened}
      onChange={(next) => {
        if (!next) selection.close();
      }}
      trapFocus
      returnFocus={false}
      position="bottom"
      shadow="lg"
      width={290}
      withArrow
      withRoles={false}
    >
      <Popover.Target>{cell}</Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={texts.range(range)}>
        {editor}
      </Popover.Dropdown>
    </Popover>
  );
}

const numberOf = (day: number): number => new Date(day * 86_400_000).getUTCDate();

/** The marked days of a month with their names, for whoever has no pointer to rest on a day. */
function Names({ marked, year, month, texts }: Pick<MonthProps, 'marked' | 'year' | 'month' | 'texts'>) {
  const { t } = useTranslation('calendars');
  const groups: (Range & Marked)[] = [];
  for (let day = firstOf(year, month); day < firstOf(year, month + 1); day++) {
    const mark = marked.get(day);
    const last = groups.at(-1);
    if (!mark) continue;
    if (last?.to === day - 1 && last.kind === mark.kind && last.name === mark.name) last.to = day;
    else groups.push({ from: day, to: day, ...mark });
  }
  if (groups.length === 0) return null;
  return (
    <ul className={styles.names}>
      {groups.map(({ kind, name, ...range }) => (
        <li key={range.from} data-kind={kind}>
          <b>{texts.daysOfMonth(range)}</b> {name || t(kindKey(kind))}
        </li>
      ))}
    </ul>
  );
}
