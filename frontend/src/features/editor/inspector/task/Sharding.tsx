import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Task } from '@/document';
import { useDoc } from '../../context';
import { namesFor } from '../fields/completion';
import { Field } from '../fields/Field';
import { ExpressionInput } from '../fields/Suggest';
import { ChooseField } from '../fields/Text';
import { NumberField } from '../fields/Typed';
import type { SetField } from './fields';

/** The ways to split a task into shards. */
const WAYS = ['broadcast', 'count', 'over'] as const;
type Way = (typeof WAYS)[number];

/** The count of a task that is split into a number of shards for the first time. */
const FIRST_COUNT = 2;

function wayOf(shard: Task['shard']): Way | undefined {
  if (shard === 'broadcast') return 'broadcast';
  if (shard?.count !== undefined) return 'count';
  return shard?.over === undefined ? undefined : 'over';
}

const FIRST: Record<Way, Task['shard']> = { broadcast: 'broadcast', count: { count: FIRST_COUNT }, over: { over: '' } };

/** The task, and how a field of it is set. */
export interface ShardingProps {
  task: Task;
  set: SetField;
}

/** Whether and how the task is split into shards. */
export function Sharding({ task, set }: ShardingProps) {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const names = useMemo(() => namesFor(doc, task.key), [doc, task.key]);
  const way = wayOf(task.shard);
  const fields = typeof task.shard === 'object' ? task.shard : {};
  return (
    <>
      <ChooseField
        label={t('shard.label')}
        name="shard"
        help={way && t(`shard.means.${way}`)}
        quiet={way === undefined}
        value={way ?? ''}
        options={[
          { value: '', label: t('shard.none') },
          ...WAYS.map((one) => ({ value: one, label: t(`shard.${one}`) })),
        ]}
        onPick={(picked) => {
          set('shard', { shard: WAYS.includes(picked as Way) ? FIRST[picked as Way] : undefined });
        }}
      />
      {way === 'count' && (
        <NumberField
          label={t('shard.countLabel')}
          name="shard.count"
          integer
          min={1}
          max={1000}
          value={fields.count}
          onChange={(n) => {
            set('shard.count', { shard: { count: typeof n === 'number' ? n : FIRST_COUNT } });
          }}
        />
      )}
      {way === 'over' && (
        <Field label={t('shard.overLabel')} name="shard.over">
          {(control) => (
            <ExpressionInput
              {...control}
              bare
              mono
              value={fields.over ?? ''}
              placeholder={t('shard.example')}
              names={names}
              onChange={(over) => {
                set('shard.over', { shard: { over } });
              }}
            />
          )}
        </Field>
      )}
    </>
  );
}
