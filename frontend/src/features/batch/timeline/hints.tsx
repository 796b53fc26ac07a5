import { useTranslation } from 'react-i18next';
import { reasonText, useTaskNames, useTook } from '@/ui';
import type { Drawing } from './drawing';
import { type Bar, endOf } from './rows';
import { useSlotHolders } from './useSlotHolders';
import { holdersOf, type Wait } from './waits';
import { useBarText } from './words';
import styles from './Timeline.module.css';

/** Tasks that a hint names. */
const MOST_NAMES = 5;

interface WaitProps {
  drawing: Drawing;
  row: number;
  wait: Wait;
}

/** Why a task waited, and who had the slots meanwhile. */
export function WaitHint({ drawing: { data }, row: n, wait }: WaitProps) {
  const { t } = useTranslation(['timeline', 'states']);
  const names = useTaskNames();
  const took = useTook();
  const row = data.rows[n];
  if (!row) return null;
  const { run, bars } = row;
  const open = wait.to === undefined;
  const bar = bars.find((b) => b.attempt === wait.attempt);
  const values = {
    task: names(run.key),
    time: took((wait.to ?? data.now) - wait.from),
    group: data.groupOf(run.key),
    n: wait.attempt ?? run.attempts + 1,
    executor: bar?.executor ?? run.executor,
  };
  return (
    <div className={styles.hint}>
      <b>{t(`wait.${wait.kind}`, values)}</b>
      {open && run.hold && <p>{reasonText(run, t)}</p>}
      {wait.kind === 'needs' && <Needs drawing={data} row={n} wait={wait} />}
      {wait.kind === 'slot' && <Holders drawing={data} row={n} wait={wait} />}
    </div>
  );
}

interface PartProps {
  drawing: Drawing['data'];
  row: number;
  wait: Wait;
}

function Needs({ drawing: { waits, rows, now }, row, wait }: PartProps) {
  const { t } = useTranslation('timeline');
  const names = useTaskNames();
  const run = rows[row]?.run;
  if (!run) return null;
  if (wait.to === undefined) {
    const open = waits.needsOf(row).filter((need) => waits.endBefore(need, now) === undefined);
    return (
      <p>
        {t('wait.still', {
          tasks: list(
            open.map((need) => names(rows[need]?.run.key ?? '')),
            t,
          ),
        })}
      </p>
    );
  }
  const last = waits.needsOf(row).find((need) => waits.endBefore(need, wait.to ?? now) === wait.to);
  return last === undefined ? null : <p>{t('wait.last', { task: names(rows[last]?.run.key ?? '') })}</p>;
}

function Holders({ drawing: { batch, rows, now, groupOf }, row: n, wait }: PartProps) {
  const { t } = useTranslation('timeline');
  const names = useTaskNames();
  const row = rows[n];
  const { data: found } = useSlotHolders(batch, row?.run.key ?? '', wait);
  if (!row) return null;
  const holders = holdersOf(rows, row, wait, now, groupOf);
  const others = (found?.items ?? []).map(({ schedule, batch: id }) =>
    schedule ? t('others.batch', { schedule, id }) : `#${String(id)}`,
  );
  return (
    <>
      {holders.length > 0 && <p>{t('wait.holders', { tasks: list(holders.map(names), t) })}</p>}
      {others.length > 0 && <p>{t('wait.others', { batches: list(others, t) })}</p>}
      {found && holders.length + others.length === 0 && <p>{t('wait.noHolders')}</p>}
    </>
  );
}

/** The first names, and how many more there are. */
function list(names: readonly string[], t: (key: 'wait.more', values: { count: number }) => string): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} ${t('wait.more', { count: names.length - MOST_NAMES })}` : shown;
}

interface BarProps {
  drawing: Drawing;
  row: number;
  bar: Bar;
  /** Whether it is the latest attempt. */
  last: boolean;
}

/** An attempt, its usual duration, and its slack. */
export function BarHint({ drawing: { data, zone }, row: n, bar, last }: BarProps) {
  const { t } = useTranslation('timeline');
  const text = useBarText(zone);
  const took = useTook();
  const run = data.rows[n]?.run;
  const usual = run && data.usual.get(run.key);
  const slack = last ? data.slack(n) : undefined;
  return (
    <div className={styles.hint}>
      <b>{text(bar, data.now)}</b>
      {bar.executor !== '' && <p>{t('hint.executor', { executor: bar.executor })}</p>}
      {usual && <p>{t('hint.usual', { time: took(usual.took), now: took(endOf(bar, data.now) - bar.from) })}</p>}
      {data.steps.has(n) && <p>{t('hint.path')}</p>}
      {slack !== undefined && slack > 0 && <p>{t('hint.slack', { time: took(slack) })}</p>}
    </div>
  );
}
