import { useTranslation } from 'react-i18next';
import type { DocFault, Task } from '@/document';
import { anyAt } from '../faults';
import { Check } from '../fields/Check';
import { MapField } from '../fields/Lists';
import { ChooseField, TextField } from '../fields/Text';
import { DurationField, NumberField } from '../fields/Typed';
import styles from '../fields/Field.module.css';
import { More } from '../More';
import { some, textOr } from '../useEdit';
import { ExecutorField } from './fields';

const FIELDS = [
  'description',
  'executor',
  'labels',
  'priority',
  'killGrace',
  'onLost',
  'allowFailure',
  'disabled',
] as const;

interface Props {
  task: Task;
  faults: readonly DocFault[];
  set: (field: string, fields: Partial<Omit<Task, 'key'>>) => void;
}

/** The fields that most tasks leave at their defaults, folded. */
export function Rare({ task, faults, set }: Props) {
  const { t } = useTranslation('inspector');
  const lost = task.onLost ?? {};
  return (
    <More count={FIELDS.filter((name) => task[name] !== undefined).length} wrong={anyAt(faults, FIELDS)}>
      <TextField
        label={t('description')}
        name="description"
        multiline
        value={task.description ?? ''}
        onChange={(text) => {
          set('description', { description: textOr(text) });
        }}
      />
      <NumberField
        label={t('priority.label')}
        name="priority"
        integer
        min={1}
        max={10}
        value={task.priority}
        placeholder="5"
        help={t('priority.note')}
        onChange={(n) => {
          set('priority', { priority: typeof n === 'number' && n !== 5 ? n : undefined });
        }}
      />
      <Check
        label={t('allowFailure.label')}
        name="allowFailure"
        note={t('allowFailure.note')}
        checked={task.allowFailure === true}
        onChange={(on) => {
          set('allowFailure', { allowFailure: on || undefined });
        }}
      />
      <Check
        label={t('disabled.label')}
        name="disabled"
        note={t('disabled.note')}
        checked={task.disabled === true}
        onChange={(on) => {
          set('disabled', { disabled: on || undefined });
        }}
      />
      <ExecutorField value={task.executor} set={set} />
      <MapField
        label={t('labels.label')}
        name="labels"
        help={t('labels.note')}
        names={[]}
        value={task.labels ?? {}}
        onChange={(labels) => {
          set('labels', { labels });
        }}
      />
      <DurationField
        label={t('killGrace.label')}
        name="killGrace"
        value={task.killGrace}
        placeholder={t('unit.s', { count: 10 })}
        help={t('killGrace.note')}
        onChange={(killGrace) => {
          set('killGrace', { killGrace });
        }}
      />
      <div className={styles.two}>
        <ChooseField
          label={t('onLost.label')}
          name="onLost.do"
          quiet={lost.do === undefined}
          value={lost.do ?? ''}
          options={[
            { value: '', label: t('onLost.auto') },
            ...(['retry', 'hold', 'fail'] as const).map((one) => ({ value: one, label: t(`onLost.${one}`) })),
          ]}
          onPick={(picked) => {
            set('onLost', { onLost: some({ ...lost, do: picked === '' ? undefined : (picked as 'retry') }) });
          }}
        />
        <NumberField
          label={t('onLost.max')}
          name="onLost.max"
          integer
          min={0}
          max={100}
          value={lost.max}
          placeholder="2"
          onChange={(n) => {
            set('onLost', { onLost: some({ ...lost, max: typeof n === 'number' ? n : undefined }) });
          }}
        />
      </div>
    </More>
  );
}

/** The fields of a task that the folded part of the form holds. */
export const RARE: readonly string[] = FIELDS;
