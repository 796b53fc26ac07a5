import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { clock } from './time';

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** A duration (milliseconds) in its two largest units: `9 h 41 m`, `48 s`; below one second `412 ms`. */
export function span(ms: number, t: TFunction): string {
  if (ms <= 0) return t('span.s', { n: 0 });
  if (Math.round(ms) < 1000) return t('span.ms', { n: Math.max(1, Math.round(ms)) });
  const whole = Math.round(ms / 1000);
  const first = UNITS.findIndex(([, size]) => whole >= size);
  const [unit, size] = UNITS[first] ?? UNITS[3];
  const [small, smallSize] = UNITS[first + 1] ?? [undefined, 1];
  const rest = small ? Math.floor((whole % size) / smallSize) : 0;
  const parts = [t(`span.${unit}`, { n: Math.floor(whole / size) })];
  if (small && rest > 0) parts.push(t(`span.${small}`, { n: rest }));
  return parts.join(' ');
}

/**
 * How long something took (milliseconds), as a clock shows it: `03:39`. Below one second it is a span, unless it still
 * goes on.
 */
export function took(ms: number, t: TFunction, goesOn = false): string {
  if (goesOn || ms < 0 || ms >= 1000) return clock(ms);
  return ms < 1 ? t('span.least') : t('span.ms', { n: Math.floor(ms) });
}

/** took in the reader's language. */
export function useTook(): (ms: number, goesOn?: boolean) => string {
  const { t } = useTranslation('common');
  return (ms, goesOn) => took(ms, t, goesOn);
}

/** span in the reader's language. */
export function useSpan(): (ms: number) => string {
  const { t } = useTranslation('common');
  return (ms) => span(ms, t);
}
