import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { limitsQuery } from '@/api/limits';
import { MAX, type Task } from '@/document';
import fieldStyles from '../fields/Field.module.css';
import { Combo } from '../fields/Suggest';
import { NumberField } from '../fields/Typed';
import { withoutUnset } from '../useEdit';
import type { SetField } from './fields';

/** The pool of a task, or of several. */
export interface PoolFieldProps {
  value?: Task['pool'];
  set: SetField;
  mixed?: boolean;
}

/**
 * The pool whose slots the task holds while it runs, and how many. Each suggestion has the number of slots that are
 * taken.
 */
export function PoolField({ value, set, mixed }: PoolFieldProps) {
  const { t } = useTranslation('inspector');
  const { data } = useQuery({ ...limitsQuery, retry: false });
  const pools = (data ?? []).filter(({ kind }) => kind === 'pool');
  const pool = pools.find(({ name }) => name === value?.name);
  return (
    <div className={value && fieldStyles.two}>
      <Combo
        label={t('pool.label')}
        name="pool.name"
        value={value?.name ?? ''}
        placeholder={mixed ? t('mixed') : t('none')}
        note={pool && t('pool.used', { used: pool.used, most: pool.most })}
        help={t('pool.note')}
        suggestions={pools.map(({ name, used, most }) => ({ value: name, detail: t('pool.used', { used, most }) }))}
        onChange={(name) => {
          // Several tasks keep their own slots.
          set('pool', ({ pool }) => ({ pool: name === '' ? undefined : { ...pool, name } }));
        }}
      />
      {value && (
        <NumberField
          label={t('pool.slots')}
          name="pool.slots"
          integer
          min={1}
          max={MAX.slots}
          value={value.slots}
          placeholder="1"
          onChange={(n) => {
            const slots = typeof n === 'number' && n > 1 ? n : undefined;
            set('pool.slots', { pool: withoutUnset({ ...value, slots }) });
          }}
        />
      )}
    </div>
  );
}
