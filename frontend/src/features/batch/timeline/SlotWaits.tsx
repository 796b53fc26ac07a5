import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Definition } from '@/api/definition';
import type { TaskGraph } from '@/graph';
import type { Batch, RunStore } from '@/live';
import { Moment, useSpan, useTook } from '@/ui';
import { useSlotHolders } from './useSlotHolders';
import { useTimeline } from './useTimeline';
import type { Wait } from './waits';
import styles from './SlotWaits.module.css';

interface Props {
  batch: Batch;
  store: RunStore;
  definition?: Definition;
  graph?: TaskGraph;
  allowed: ReadonlySet<string>;
  task: string;
}

/** The waits of a task for a slot, each with the batches that had the slots meanwhile. Nothing if it never waited. */
export function SlotWaits({ task, ...source }: Props) {
  const { rows, waits, now, groupOf } = useTimeline(source);
  const row = rows.findIndex(({ run }) => run.key === task);
  const slots = row < 0 ? [] : waits.of(row).filter(({ kind }) => kind === 'slot');
  return slots.map((wait) => (
    <SlotWait key={wait.from} batch={source.batch.id} task={task} wait={wait} now={now} group={groupOf(task)} />
  ));
}

interface WaitProps {
  batch: number;
  task: string;
  wait: Wait;
  now: number;
  group: string;
}

function SlotWait({ batch, task, wait, now, group }: WaitProps) {
  const { t } = useTranslation('timeline');
  const took = useTook();
  const span = useSpan();
  const { data: found } = useSlotHolders(batch, task, wait);
  if (!found || found.items.length === 0) return null;
  return (
    <section className={styles.wait} aria-label={t('others.title')}>
      <p>{t('others.waited', { time: took((wait.to ?? now) - wait.from), group })}</p>
      <ul>
        {found.items.map((holder) => (
          <li key={holder.batch}>
            <Link to="/batches/$id" params={{ id: holder.batch }} search={{ view: 'timeline' }} preload={false}>
              {holder.schedule
                ? t('others.batch', { schedule: holder.schedule, id: holder.batch })
                : `#${String(holder.batch)}`}
            </Link>
            <Moment at={holder.moment} schedule={holder.schedule} />
            <span>{t('others.tasks', { count: holder.tasks, span: span(holder.seconds * 1000) })}</span>
          </li>
        ))}
        {found.more && <li>{t('others.more')}</li>}
      </ul>
    </section>
  );
}
