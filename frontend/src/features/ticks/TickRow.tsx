import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Ago, exact, Glyph, TimeUntil, useSpan } from '@/ui';
import { FACE, lateness, ruleKey, type Tick } from './ticks';
import styles from './Ticks.module.css';

/** One row of the ledger: a moment, or many missed ones, with what was decided and why. */
export const TickRow = memo(function TickRow({ tick, zone }: { tick: Tick; zone: string }) {
  const { t } = useTranslation('ticks');
  const span = useSpan();
  const rule = ruleKey(tick);
  const late = lateness(tick);
  const at = (moment: string) => <time dateTime={moment}>{exact(moment, { zone, seconds: true })}</time>;
  return (
    <tr className={styles.row}>
      <th scope="row" className={styles.moment}>
        {at(tick.moment)}
        {tick.until && (
          <small>
            {t('until')} {at(tick.until)} · {t('count', { count: tick.count })}
          </small>
        )}
      </th>
      <td className={styles.decision}>
        <span className={styles.chip} data-state={FACE[tick.decision]}>
          <Glyph state={FACE[tick.decision]} size={18} />
          {t(`decision.${tick.decision}`)}
        </span>
      </td>
      <td className={styles.rule} title={tick.detail}>
        {rule ? t(`rule.${rule}`) : (tick.detail ?? tick.rule)}
      </td>
      <td className={styles.batch}>
        {tick.batch !== undefined && (
          <Link to="/batches/$id" params={{ id: tick.batch }} preload={false}>
            {t('batch', { id: tick.batch })}
          </Link>
        )}
      </td>
      <td className={styles.decided}>
        <Ago at={tick.decidedAt} />
        {late !== undefined && <small>{t('late', { span: span(late) })}</small>}
      </td>
    </tr>
  );
});

/** A moment to come. */
export function NextRow({ at, zone, enabled }: { at: string; zone: string; enabled: boolean }) {
  const { t } = useTranslation('ticks');
  return (
    <tr className={`${styles.row ?? ''} ${styles.next ?? ''}`}>
      <th scope="row" className={styles.moment}>
        <time dateTime={at}>{exact(at, { zone, seconds: true })}</time>
      </th>
      <td className={styles.decision}>
        <span className={styles.chip}>
          <Glyph state="waiting" size={18} />
          {t(enabled ? 'next.due' : 'next.paused')}
        </span>
      </td>
      <td className={styles.rule} colSpan={3}>
        <TimeUntil at={at} zone={zone} />
      </td>
    </tr>
  );
}
