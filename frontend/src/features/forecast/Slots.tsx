import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { exact } from '@/ui';
import { useSlots } from './useForecast';
import styles from './Forecast.module.css';

/** The drawing in its own units: one for each part of the day in width. */
const HEIGHT = 40;

interface Props {
  date: string;
  schedule?: string;
  down?: string;
  shift?: string;
  zone: string;
}

/** The slots that a day wants against those that there are. Nothing is shown if none are wanted. */
export function Slots({ zone, ...filter }: Props) {
  const { data } = useSlots(filter.date, { ...filter, zone });
  if (!data || Math.max(0, ...data.wanted) === 0) return null;
  return <Curve slots={data} zone={zone} />;
}

function Curve({ slots, zone }: { slots: Schemas['SlotsForecast']; zone: string }) {
  const { t } = useTranslation('forecast');
  const { wanted, there, unknown } = slots;
  const most = Math.max(...wanted);
  const scale = HEIGHT / Math.max(most, there, 1);
  const y = (count: number) => HEIGHT - count * scale;
  const bar = (count: number, i: number, from: number, className: string | undefined) =>
    count > from && <rect key={i} className={className} x={i} width={1} y={y(count)} height={(count - from) * scale} />;
  const from = Date.parse(slots.from);
  const at = from + ((Date.parse(slots.until) - from) / wanted.length) * wanted.indexOf(most);
  return (
    <figure className={styles.slots}>
      <svg viewBox={`0 0 ${String(wanted.length)} ${String(HEIGHT)}`} preserveAspectRatio="none" aria-hidden>
        {wanted.map((count, i) => bar(Math.min(count, there), i, 0, styles.inUse))}
        {wanted.map((count, i) => bar(count, i, there, styles.lacking))}
        <line x1={0} x2={wanted.length} y1={y(there)} y2={y(there)} />
      </svg>
      <figcaption data-lacking={most > there || undefined}>
        {t('slots.most', { count: most, at: exact(at, { zone }).slice(11, 16), there })}{' '}
        {most > there && t('slots.lacking')} {unknown > 0 && t('slots.unknown', { count: unknown })}
      </figcaption>
    </figure>
  );
}
