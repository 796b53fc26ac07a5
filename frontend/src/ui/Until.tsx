import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNow } from './now';
import { span } from './span';
import { exact, weekday } from './time';

/** Beyond so far ahead a day says more than a number of hours. */
const FAR = 48 * 3_600_000;

/** Above so much left, seconds are noise. */
const CALM = 120_000;

/** A moment to come: `in 9 h 41 m`, from two days on its date; the exact one, in the given zone, on hover. */
export function Until({ at, zone }: { at: string; zone?: string }) {
  const { t, i18n } = useTranslation();
  const left = new Date(at).getTime() - useNow();
  const told = left > CALM ? left - (left % 60_000) : left;
  const words =
    left <= 0 ? t('until.due') : left > FAR ? weekday(at, i18n.language, zone) : t('until.in', { span: span(told, t) });
  return (
    <Tooltip label={`${exact(at, { zone, seconds: true })} ${zone ?? ''}`}>
      <time dateTime={at}>{words}</time>
    </Tooltip>
  );
}
