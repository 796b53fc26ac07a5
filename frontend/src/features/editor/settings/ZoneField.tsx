import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/ui';
import { Combo } from '../inspector/fields/Combo';
import { isZone, timeIn, zones } from './zones';

/** The zone in which crons and dates are read, with the time that it is there. */
export function ZoneField({ value, onChange }: { value?: string; onChange: (zone: string | undefined) => void }) {
  const { t } = useTranslation('inspector');
  const now = useClock();
  const offers = useMemo(() => zones().map((zone) => ({ value: zone })), []);
  const zone = value ?? 'UTC';
  return (
    <Combo
      label={t('zone.label')}
      name="timezone"
      late
      value={value ?? ''}
      placeholder="UTC"
      offers={offers}
      detail={(one) => timeIn(one, now)}
      note={isZone(zone) ? t('zone.now', { time: timeIn(zone, now) }) : undefined}
      onChange={(picked) => {
        onChange(picked === '' || picked === 'UTC' ? undefined : picked);
      }}
    />
  );
}
