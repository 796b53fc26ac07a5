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

/** A button that shows the days of a filter, and opens their two fields. */
export function Days({ from, to, onChange }: DayRange & { onChange: (part: DayRange) => void }) {
  const { t } = useTranslation('common');
  const values = { from, to };
  const chosen = from || to ? `${from ?? '…'} – ${to ?? '…'}` : undefined;
  return (
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
      </Popover.Dropdown>
    </Popover>
  );
}
