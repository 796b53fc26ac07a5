import { useTranslation } from 'react-i18next';
import { Table } from '@/ui';
import { dateName, type Day } from './month';
import { Item } from './MonthGrid';
import styles from './Forecast.module.css';

interface Props {
  days: readonly Day[];
  /** As in `2026-12`. */
  month: string;
  today: string;
  zone: string;
  onOpen: (date: string) => void;
}

/** The coming days of a month as a table, with everything that they do differently. */
export function MonthList({ days, month, today, zone, onOpen }: Props) {
  const { t, i18n } = useTranslation('forecast');
  const shown = days.filter((d) => d.date.startsWith(month) && d.date >= today);
  return (
    <Table
      caption={t('days')}
      className={styles.list}
      head={
        <tr>
          <th scope="col">{t('head.day')}</th>
          <th scope="col">{t('head.differs')}</th>
          <th scope="col">{t('head.ticks')}</th>
        </tr>
      }
    >
      <tbody>
        {shown.length === 0 && (
          <tr>
            <td colSpan={3}>{t('pastMonth')}</td>
          </tr>
        )}
        {shown.map((day) => (
          <tr key={day.date}>
            <th scope="row">
              <button
                type="button"
                className={styles.link}
                onClick={() => {
                  onOpen(day.date);
                }}
              >
                {dateName(day.date, i18n.language)}
              </button>
              {day.entries.map((e) => (
                <small key={e.calendar}>{e.name ?? t(`entry.${e.kind}`)}</small>
              ))}
            </th>
            <td>
              <ul className={styles.items}>
                {day.items.map((item) => (
                  <Item key={`${item.kind} ${item.schedule} ${item.at}`} item={item} zone={zone} />
                ))}
                {day.more > 0 && <li>{t('more', { count: day.more })}</li>}
              </ul>
            </td>
            <td>{t('ticks', { count: day.ticks })}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
