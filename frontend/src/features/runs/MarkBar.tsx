import { Button, CloseButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import type { Target } from '@/features/repair';
import { NeedsServer, serverNow, weekday } from '@/ui';
import type { Grid } from './grid';
import { countMarks, type Marks, NO_MARKS } from './marks';
import { useMoment } from './words';
import styles from './Runs.module.css';

interface Props {
  grid: Grid;
  zone?: string;
  marks: Marks;
  onMarks: (marks: Marks) => void;
  onRepair: (targets: readonly Target[], action: Schemas['PlanAction']) => void;
}

/** The most batches of one repair. */
const MOST = 50;
const ACTIONS = ['resume', 'rerun', 'mark_success', 'close'] as const;

/** The marked tasks, and what can be done with them. */
export function MarkBar({ grid, zone, marks, onMarks, onRepair }: Props) {
  const { t, i18n } = useTranslation('runs');
  const momentOf = useMoment(zone);
  const batches = grid.batches.filter(({ id }) => marks.has(id));
  if (batches.length === 0) return null;
  const day = (moment: string | undefined) => (moment ? weekday(moment, i18n.language, serverNow(), zone) : '');
  const [from, to] = [day(batches[0]?.moment), day(batches.at(-1)?.moment)];
  const targets = batches.map((batch) => ({
    batch: batch.id,
    label: momentOf(batch),
    tasks: [...(marks.get(batch.id) ?? [])],
  }));
  return (
    <section className={styles.bar} aria-label={t('marked.label')}>
      <p>
        <b>
          {t('marked.what', {
            tasks: t('tasks', {
              count: countMarks(new Map(batches.map(({ id }) => [id, marks.get(id) ?? new Set()]))),
            }),
            batches: t('batches', { count: batches.length }),
          })}
        </b>{' '}
        <span>{from === to ? from : t('marked.range', { from, to })}</span>
      </p>
      {batches.length > MOST ? (
        <p className={styles.most}>{t('marked.most', { count: MOST })}</p>
      ) : (
        ACTIONS.map((action) => (
          <NeedsServer key={action}>
            <Button
              size="compact-sm"
              onClick={() => {
                onRepair(targets, action);
              }}
            >
              {t(`marked.${action}`)}
            </Button>
          </NeedsServer>
        ))
      )}
      <CloseButton
        aria-label={t('marked.clear')}
        onClick={() => {
          onMarks(NO_MARKS);
        }}
      />
    </section>
  );
}
