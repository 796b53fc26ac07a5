import { useTranslation } from 'react-i18next';
import { exact } from '@/ui';
import type { Change } from './change';

/** Returns a function that says what a planned change does, who made it and why. */
export function useChangeText(zone: string): (change: Change) => string {
  const { t } = useTranslation('planned');
  return (change) => {
    const { action, to, by, reason } = change;
    const given = Object.entries(change.params ?? {}).map(([name, value]) => `${name}=${String(value)}`);
    const what = t(`what.${action}`, { to: to === undefined ? '' : exact(to, { zone }), given: given.join(', ') });
    const more = action !== 'params' && given.length > 0 ? ` (${given.join(', ')})` : '';
    return `${what}${more} · ${t('by', { by, reason })}`;
  };
}
