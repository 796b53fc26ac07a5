import { Button, Popover, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { DayRange } from './searchParams';
import { momentAtWallTime } from './time';
import styles from './Days.module.css';

const SIDES = ['from', 'to'] as const;
const DAY = 86_400_000;

/** The moments at which the days of a filter begin and are over, in a zone. */
export function momentsOf({ from, to }: DayRange, zone: string): DayRange {
  const nextDay = to === undefined ? undefined : new Date(Date.parse(to) + DAY).toISOString().slice(0, 10);
  const start = (day: string | undefined) =>
    day === undefined ? undefined : momentAtWallTime(`${day}T00:00`, zone)?.toISOString();
  return { from: start(from), to: start(nextDay) };
}

interface Props extends DayRange {
  /** The zone in which the days begin. */
  zone: string;
  onChange: (part: DayRange) => void;
}

/**
 * A button that shows the days of a filter, and opens their two fields. An address may have a first day after the last
 * one: then it says that there is no day between them.
 */
export function Days({ from, to, zone, onChange }: Props) {
  const { t } = useTranslation('common');
  const values = { from, to };
  const chosen = from || to ? `${from ?? '…'} – ${to ?? '…'}` : undefined;
  const reversed = from !== undefined && to !== undefined && from > to;
  return (
    <>
      <Popover position="bottom-start" shadow="md" trapFocus>
        <Popover.Target>
          <Button size="compact-sm" aria-label={chosen && `${t('days.label')}: ${chosen}`}>
            {chosen ?? t('days.label')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={styles.days}>
          {SIDES.map((side) => (
            <TextInput
              key={side}
              type="date"
              min={side === 'to' ? from : undefined}
              max={side === 'from' ? to : undefined}
              label={t(`days.${side}`)}
              value={values[side] ?? ''}
              onChange={(event) => {
                onChange({ [side]: event.currentTarget.value || undefined });
              }}
            />
          ))}
          <p className={styles.zone}>{t('days.zone', { zone })}</p>
        </Popover.Dropdown>
      </Popover>
      <span role="status" className={styles.reversed}>
        {reversed && t('days.reversed')}
      </span>
    </>
  );
}
