import { useTranslation } from 'react-i18next';
import { Field } from '../inspector/fields/Field';
import { Input } from '../inspector/fields/Text';
import { type Triggers } from '../inspector/NextTicks';
import { More } from '../inspector/Panel';
import { withoutUnset } from '../inspector/useEdit';
import styles from './Settings.module.css';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/;

interface MomentFieldProps {
  label: string;
  /** The field of the trigger in the document, such as `triggers[0].at`. */
  name: string;
  value: string;
  onChange: (text: string) => void;
}

/** The one moment of a trigger. A text that the browser's own field cannot show is edited as text. */
export function MomentField({ label, name, value, onChange }: MomentFieldProps) {
  return (
    <Field label={label} name={name}>
      {(control) => (
        <Input
          {...control}
          type={value === '' || MOMENT.test(value) ? 'datetime-local' : 'text'}
          value={value.replace(' ', 'T')}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

/** A start or an end: a date, or any other text that was written as text. */
function DateField({ label, name, value, onChange }: MomentFieldProps) {
  return (
    <Field label={label} name={name}>
      {(control) => (
        <Input
          {...control}
          type={value === '' || DATE.test(value) ? 'date' : 'text'}
          value={value}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

interface BoundsProps {
  /** The index of the first trigger. */
  first: number;
  triggers: Triggers;
  onChange: (triggers: Triggers) => void;
}

/** The start and the end of a group of triggers, which all have the same. */
export function Bounds({ first, triggers, onChange }: BoundsProps) {
  const { t } = useTranslation('inspector');
  const { start = '', end = '' } = triggers[0] ?? {};
  const put = (field: 'start' | 'end', text: string) => {
    onChange(triggers.map((one) => withoutUnset({ ...one, [field]: text === '' ? undefined : text }) ?? one));
  };
  return (
    <More title={t('bounds.about')} count={Number(start !== '') + Number(end !== '')}>
      <div className={styles.row}>
        <DateField
          label={t('bounds.start')}
          name={`triggers[${String(first)}].start`}
          value={start}
          onChange={(text) => {
            put('start', text);
          }}
        />
        <DateField
          label={t('bounds.end')}
          name={`triggers[${String(first)}].end`}
          value={end}
          onChange={(text) => {
            put('end', text);
          }}
        />
      </div>
    </More>
  );
}
