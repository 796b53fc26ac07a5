import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Mark } from './marks';
import { collisionsOf, type Night } from './scale';
import { useMarkText } from './words';
import { useExact } from '@/ui';
import styles from './Night.module.css';

/** How many batches of each kind a row of the table names. */
const MOST = 5;

interface Props {
  night: Night;
  marks: readonly (readonly Mark[])[];
  now: number;
}

/** The band as a table: the latest batches of each schedule, and its next ones. */
export function BandTable({ night, marks, now }: Props) {
  const { t } = useTranslation('night');
  const exact = useExact();
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- for scrolling by keyboard
    <div className={styles.tableBox} tabIndex={0} role="group" aria-label={t('title')}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('table.schedule')}</th>
            <th scope="col">{t('table.past')}</th>
            <th scope="col">{t('table.coming')}</th>
          </tr>
        </thead>
        <tbody>
          {night.rows.map(({ schedule }, i) => {
            const past = marks[i]?.filter((mark) => mark.bar).toReversed() ?? [];
            const coming = marks[i]?.filter((mark) => mark.tick && mark.to >= now) ?? [];
            return (
              <tr key={schedule}>
                <th scope="row">{schedule}</th>
                <td>
                  <Marks schedule={schedule} marks={past} />
                </td>
                <td>
                  <Marks schedule={schedule} marks={coming} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {collisionsOf(night).map(({ from, wanted }) => (
        <p key={from} className={styles.reason} data-look="late">
          {t('collision', { at: exact(from), wanted, there: night.slots.there })}
        </p>
      ))}
    </div>
  );
}

function Marks({ schedule, marks }: { schedule: string; marks: readonly Mark[] }) {
  const { t } = useTranslation('night');
  const textOf = useMarkText();
  if (marks.length === 0) return <span className={styles.none}>–</span>;
  return (
    <ul className={styles.marks}>
      {marks.slice(0, MOST).map((mark) => (
        <li key={mark.bar?.id ?? mark.moment} data-look={mark.look}>
          {mark.bar ? (
            <Link to="/batches/$id" params={{ id: mark.bar.id }} preload={false}>
              {textOf(schedule, mark)}
            </Link>
          ) : (
            textOf(schedule, mark)
          )}
        </li>
      ))}
      {marks.length > MOST && <li className={styles.none}>{t('table.more', { count: marks.length - MOST })}</li>}
    </ul>
  );
}
