import { useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { hasFaultAt, PanelFaults } from '../inspector/faults';
import { type Control, Field } from '../inspector/fields/Field';
import { Input } from '../inspector/fields/Text';
import { DurationField } from '../inspector/fields/Typed';
import { type Triggers } from '../inspector/NextTicks';
import { More } from '../inspector/Panel';
import { unsetIfEmpty, withoutUnset } from '../inspector/useEdit';
import styles from './Settings.module.css';

/** The browser's own fields for times, with the latest time that each accepts: it keeps a year at four digits. */
const LATEST = { date: '9999-12-31', 'datetime-local': '9999-12-31T23:59:59' } as const;
type Kind = keyof typeof LATEST;

const FORMS: Readonly<Record<Kind, RegExp>> = {
  date: /^\d{4}-\d{2}-\d{2}$/,
  'datetime-local': /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?$/,
};

/** Whether the browser's own field can show a text. It shows nothing for another text, such as 31 February. */
function canShow(kind: Kind, text: string): boolean {
  if (text === '') return true;
  const time = Date.parse(kind === 'date' ? text : `${text.replace(' ', 'T')}Z`);
  return FORMS[kind].test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10));
}

interface TimeInputProps {
  control: Control;
  kind: Kind;
  value: string;
  onChange: (text: string) => void;
}

/** The browser's own field for a time, or a text field for a text that it cannot show, such as one with an offset. */
function TimeInput({ control, kind, value, onChange }: TimeInputProps) {
  // While a person types, the field stays what it is, although the text becomes a date that the other one could show.
  const [typing, setTyping] = useState<Kind | 'text'>();
  const type = typing ?? (canShow(kind, value) ? kind : 'text');
  return (
    <Input
      {...control}
      type={type}
      max={type === 'text' ? undefined : LATEST[type]}
      value={type === 'text' ? value : value.replace(' ', 'T')}
      onFocus={() => {
        setTyping(type);
      }}
      onBlur={() => {
        setTyping(undefined);
      }}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}

interface MomentProps {
  label: string;
  /** The field in the document, such as `triggers[0].at`. */
  name: string;
  /** The time zone of the schedule. */
  zone: string;
  value: string;
  onChange: (text: string) => void;
}

const OFFSET = /(Z|[+-]\d{2}:\d{2})$/i;

/** The one moment of a trigger, in the zone of the schedule unless it has an offset of its own. */
export function MomentField({ label, name, zone, value, onChange }: MomentProps) {
  return (
    <Field label={label} name={name} aside={OFFSET.test(value) ? undefined : zone}>
      {(control) => <TimeInput control={control} kind="datetime-local" value={value} onChange={onChange} />}
    </Field>
  );
}

interface BoundsProps {
  /** The first trigger in the document, such as `triggers[0]`. */
  name: string;
  triggers: Triggers;
  /** The time zone of the schedule. */
  zone: string;
  onChange: (triggers: Triggers) => void;
}

/** The start and the end of a group of triggers, which all have the same: dates, or times that were written as text. */
export function Bounds({ name, triggers, zone, onChange }: BoundsProps) {
  const { t } = useTranslation('inspector');
  const faults = useContext(PanelFaults);
  const { start = '', end = '' } = triggers[0] ?? {};
  const put = (bounds: Pick<Triggers[number], 'start' | 'end'>) => {
    onChange(triggers.map((one) => withoutUnset({ ...one, ...bounds }) ?? one));
  };
  return (
    <More
      title={t('bounds.about')}
      count={Number(start !== '') + Number(end !== '')}
      wrong={hasFaultAt(faults, [`${name}.start`, `${name}.end`])}
    >
      <div className={styles.row}>
        <Field label={t('bounds.start')} name={`${name}.start`} aside={zone}>
          {(control) => (
            <TimeInput
              control={control}
              kind="date"
              value={start}
              onChange={(text) => {
                put({ start: unsetIfEmpty(text) });
              }}
            />
          )}
        </Field>
        <Field
          label={t('bounds.end')}
          name={`${name}.end`}
          note={end !== '' && canShow('date', end) ? t('bounds.endDay') : undefined}
        >
          {(control) => (
            <TimeInput
              control={control}
              kind="date"
              value={end}
              onChange={(text) => {
                put({ end: unsetIfEmpty(text) });
              }}
            />
          )}
        </Field>
      </div>
    </More>
  );
}

/** The time of a trigger that counts from the end of the last batch. */
export function Delay({ name, triggers, onChange }: Omit<BoundsProps, 'zone'>) {
  const { t } = useTranslation('inspector');
  return (
    <DurationField
      label={t('delay.label')}
      name={`${name}.every`}
      help={t('delay.about')}
      value={triggers[0]?.every}
      onChange={(every = '') => {
        onChange(triggers.map((one) => ({ ...one, every })));
      }}
    />
  );
}

/** The jitter of a group of triggers, which all have the same. */
export function Jitter({ name, triggers, onChange }: Omit<BoundsProps, 'zone'>) {
  const { t } = useTranslation('inspector');
  const faults = useContext(PanelFaults);
  const jitter = triggers[0]?.jitter;
  return (
    <More title={t('jitter.label')} count={jitter === undefined ? 0 : 1} wrong={hasFaultAt(faults, [`${name}.jitter`])}>
      <DurationField
        label={t('jitter.upTo')}
        name={`${name}.jitter`}
        help={t('jitter.about')}
        value={jitter}
        placeholder={t('none')}
        onChange={(next) => {
          onChange(triggers.map((one) => withoutUnset({ ...one, jitter: next }) ?? one));
        }}
      />
    </More>
  );
}
