import { useTranslation } from 'react-i18next';
import type { Task } from '@/document';
import fieldStyles from '../fields/Field.module.css';
import { ChooseField } from '../fields/Text';
import { NumberField } from '../fields/Typed';
import { withoutUnset } from '../useEdit';
import { useInherited } from './inherited';

type Value = NonNullable<Task['onLost']>;

interface Props {
  value?: Value;
  /** What stands before its names in faults: `defaults.`. */
  prefix?: string;
  /** What the job gives if the task has no value. */
  inherited?: Value;
  onChange: (value: Value | undefined) => void;
}

/** What happens to a task whose attempt is lost with its executor, and how often it runs again. */
export function OnLostFields({ value, prefix = '', inherited, onChange }: Props) {
  const { t } = useTranslation('inspector');
  const inWords = useInherited();
  const lost = value ?? {};
  const given = value === undefined ? inherited : undefined;
  const put = (fields: Value) => {
    onChange(withoutUnset({ ...lost, ...fields }));
  };
  return (
    <div className={fieldStyles.two}>
      <ChooseField
        label={t('onLost.label')}
        name={`${prefix}onLost.do`}
        quiet={lost.do === undefined}
        value={lost.do ?? ''}
        options={[
          { value: '', label: (given?.do && inWords(t(`onLost.${given.do}`))) ?? t('onLost.auto') },
          ...(['retry', 'hold', 'fail'] as const).map((one) => ({ value: one, label: t(`onLost.${one}`) })),
        ]}
        onPick={(picked) => {
          put({ do: picked === '' ? undefined : (picked as 'retry') });
        }}
      />
      <NumberField
        label={t('onLost.max')}
        name={`${prefix}onLost.max`}
        integer
        min={0}
        max={100}
        value={lost.max}
        placeholder={given?.max === undefined ? '2' : inWords(String(given.max))}
        onChange={(n) => {
          put({ max: typeof n === 'number' ? n : undefined });
        }}
      />
    </div>
  );
}
