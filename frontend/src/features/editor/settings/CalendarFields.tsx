import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type DefinitionTrigger } from '@/api/definition';
import { calendarsQuery } from '@/api/queries';
import { Field } from '../inspector/fields/Field';
import { Choose } from '../inspector/fields/Text';
import { type Triggers } from '../inspector/NextTicks';
import { More } from '../inspector/Panel';
import { withoutUnset } from '../inspector/useEdit';
import styles from './Settings.module.css';

type Calendar = NonNullable<DefinitionTrigger['calendar']>;

/** The rules of the form, with the fields that each of them writes. */
const RULES: Record<string, Omit<Calendar, 'name'>> = {
  skip: {},
  next: { otherwise: 'next' },
  previous: { otherwise: 'previous' },
  holidays: { on: 'holidays' },
  first: { workday: 1 },
  last: { workday: -1 },
};

/** The rule of a calendar in the form; undefined if the form has none for it. */
function ruleOf({ on = 'workdays', otherwise = 'skip', workday = 0 }: Calendar): string | undefined {
  return Object.keys(RULES).find((rule) => {
    const fields = RULES[rule] ?? {};
    return (
      (fields.on ?? 'workdays') === on &&
      (fields.otherwise ?? 'skip') === otherwise &&
      (fields.workday ?? 0) === workday
    );
  });
}

interface CalendarFieldsProps {
  /** The index of the first trigger. */
  first: number;
  triggers: Triggers;
  onChange: (triggers: Triggers) => void;
}

/** The calendar that a group of triggers follows, and on which of its days the triggers are due. */
export function CalendarFields({ first, triggers, onChange }: CalendarFieldsProps) {
  const { t } = useTranslation('inspector');
  const { data } = useQuery(calendarsQuery);
  const calendar = triggers[0]?.calendar;
  const names = (data?.items ?? []).map(({ name }) => name);
  if (calendar && !names.includes(calendar.name)) names.push(calendar.name);
  if (names.length === 0) return null;
  const put = (next: Calendar | undefined) => {
    onChange(triggers.map((trigger) => withoutUnset({ ...trigger, calendar: next }) ?? trigger));
  };
  const rule = calendar && ruleOf(calendar);
  const own = calendar && rule === undefined ? [{ value: 'own', label: t('calendar.own') }] : [];
  return (
    <More title={t('calendar.about')} count={calendar ? 1 : 0}>
      <div className={styles.row}>
        <Field label={t('calendar.name')} name={`triggers[${String(first)}].calendar.name`}>
          {(control) => (
            <Choose
              {...control}
              quiet={!calendar}
              value={calendar?.name ?? ''}
              options={[
                { value: '', label: t('calendar.none') },
                ...names.map((name) => ({ value: name, label: name })),
              ]}
              onPick={(name) => {
                put(name === '' ? undefined : { ...calendar, name });
              }}
            />
          )}
        </Field>
        {calendar && (
          <Field label={t('calendar.rule')} name={`triggers[${String(first)}].calendar`}>
            {(control) => (
              <Choose
                {...control}
                value={rule ?? 'own'}
                options={[
                  ...Object.keys(RULES).map((one) => ({
                    value: one,
                    label: t(`calendar.rules.${one}` as never) as string,
                  })),
                  ...own,
                ]}
                onPick={(picked) => {
                  const fields = RULES[picked];
                  if (fields) put({ name: calendar.name, ...fields });
                }}
              />
            )}
          </Field>
        )}
      </div>
    </More>
  );
}
