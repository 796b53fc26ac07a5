import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type CronForm,
  CYCLES,
  type Cycle,
  cronWords,
  defaultForm,
  steps,
  type TriggerGroup,
  writeCrons,
} from '@/cron';
import { useClock } from '@/ui';
import { Field } from '../inspector/fields/Field';
import { Icon } from '../inspector/fields/Icons';
import fieldStyles from '../inspector/fields/Field.module.css';
import { Choose, Input } from '../inspector/fields/Text';
import { More } from '../inspector/More';
import { NextTicks, type Triggers } from '../inspector/NextTicks';
import { some } from '../inspector/useEdit';
import { CycleForm } from './CycleForm';
import styles from './Settings.module.css';
import { hasDaylightSaving } from './zones';

interface Props {
  card: TriggerGroup;
  triggers: Triggers;
  zone?: string;
  onChange: (triggers: Triggers) => void;
}

/** One trigger as a form that writes its cron, or as the cron itself where no form does. */
export function TriggerCard({ card, triggers, zone, onChange }: Props) {
  const { t, i18n } = useTranslation('inspector');
  const { t: inWords } = useTranslation('cron');
  const now = useClock();
  const [typed, setTyped] = useState<CronForm>();
  const [asCron, setAsCron] = useState(false);
  const crons = triggers.map((trigger) => trigger.cron);
  const [{ dst } = { dst: undefined }] = triggers;
  // What the form holds beyond its crons is kept as long as they are its own.
  const form =
    typed && complete(typed) && String(writeCrons(typed)) === String(crons)
      ? typed
      : typed && !complete(typed)
        ? typed
        : card.form;
  const raw = asCron || !form;
  const write = (next: CronForm) => {
    setTyped(next);
    if (complete(next)) onChange(writeCrons(next).map((cron) => ({ ...triggers[0], cron })));
  };
  const cycle = (picked: string) => {
    setAsCron(picked === 'cron');
    if (picked !== 'cron') write(inCycle(form ?? defaultForm(), picked as Cycle));
  };
  const words = crons.map((cron) => cronWords(cron, inWords, i18n.language));
  const and = inWords('and');
  const fixed = form !== undefined && !raw && ['day', 'week', 'month', 'quarter', 'year'].includes(form.cycle);
  const saving = dst !== undefined || ((fixed || raw) && hasDaylightSaving(zone ?? 'UTC', now - (now % 86_400_000)));
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <div>
          {words.every(Boolean) ? (
            <b>{words.join(and)}</b>
          ) : (
            crons.map((cron, i) => <b key={i}>{words[i] ?? <code>{cron}</code>} </b>)
          )}
        </div>
        <button
          type="button"
          className={fieldStyles.quiet}
          aria-label={t('trigger.remove')}
          onClick={() => {
            onChange([]);
          }}
        >
          <Icon name="trash" />
        </button>
      </div>
      {Array.from({ length: card.count }, (_, i) => `triggers[${String(card.first + i)}]`).map((place, i) => (
        <Field
          key={place}
          label={i === 0 ? t('trigger.cycle') : t('trigger.also', { cron: crons[i] })}
          name={place}
          group
        >
          {() =>
            i === 0 && (
              <div className={styles.sentence}>
                {!raw && <span>{t('trigger.every')}</span>}
                {!raw && steps(form.cycle).length > 1 && (
                  <Choose
                    aria-label={t('trigger.howMany')}
                    value={String(form.every)}
                    options={steps(form.cycle).map((n) => ({ value: String(n), label: String(n) }))}
                    onPick={(n) => {
                      write(inStep(form, Number(n)));
                    }}
                  />
                )}
                <Choose
                  aria-label={t('trigger.unit')}
                  value={raw ? 'cron' : form.cycle}
                  options={[
                    ...CYCLES.map((one) => ({ value: one, label: t(`cycle.${one}`) })),
                    { value: 'cron', label: t('cycle.cron') },
                  ]}
                  onPick={cycle}
                />
                {raw ? (
                  crons.map((cron, at) => (
                    <Input
                      key={at}
                      aria-label={t('trigger.cron')}
                      mono
                      value={cron}
                      onChange={(event) => {
                        onChange(triggers.with(at, { ...triggers[at], cron: event.currentTarget.value }));
                      }}
                    />
                  ))
                ) : (
                  <CycleForm form={form} onChange={write} />
                )}
              </div>
            )
          }
        </Field>
      ))}
      {saving && (
        <More title={t('dst.about')} count={dst === undefined ? 0 : 1}>
          <div className={styles.row}>
            <Field label={t('dst.gap')} name={`triggers[${String(card.first)}].dst.gap`}>
              {(control) => (
                <Choose
                  {...control}
                  quiet={dst?.gap === undefined}
                  value={dst?.gap ?? 'run-after'}
                  options={(['run-after', 'skip'] as const).map((one) => ({ value: one, label: t(`dst.gaps.${one}`) }))}
                  onPick={(gap) => {
                    put({ gap: gap === 'run-after' ? undefined : gap });
                  }}
                />
              )}
            </Field>
            <Field label={t('dst.repeat')} name={`triggers[${String(card.first)}].dst.repeat`}>
              {(control) => (
                <Choose
                  {...control}
                  quiet={dst?.repeat === undefined}
                  value={dst?.repeat ?? 'first'}
                  options={(['first', 'last', 'both'] as const).map((one) => ({
                    value: one,
                    label: t(`dst.repeats.${one}`),
                  }))}
                  onPick={(repeat) => {
                    put({ repeat: repeat === 'first' ? undefined : repeat });
                  }}
                />
              )}
            </Field>
          </div>
        </More>
      )}
      <NextTicks triggers={triggers} zone={zone} count={3} />
    </div>
  );

  function put(fields: NonNullable<Triggers[number]['dst']>) {
    const next = some({ ...dst, ...fields });
    onChange(triggers.map((trigger) => some({ ...trigger, dst: next }) ?? trigger));
  }
}

/** Whether a form says enough to write a cron. */
function complete(form: CronForm): boolean {
  switch (form.cycle) {
    case 'second':
    case 'minute':
      return form.starts.length > 0;
    case 'period':
      return form.period >= 1;
    case 'week':
      return form.times.length > 0 && form.weekdays.length > 0;
    case 'month':
    case 'quarter':
    case 'year':
      return form.times.length > 0 && form.days.length > 0 && form.months.length > 0;
    default:
      return form.times.length > 0;
  }
}

/** A form with another cycle: what does not fit into it begins anew. */
function inCycle(form: CronForm, cycle: Cycle): CronForm {
  const short = (one: Cycle) => one === 'second' || one === 'minute';
  const every = short(cycle) && !short(form.cycle) ? 10 : steps(cycle).includes(form.every) ? form.every : 1;
  const months = cycle === 'quarter' || cycle === 'month' ? [1] : form.months;
  return inStep({ ...form, cycle, months }, every);
}

function inStep(form: CronForm, every: number): CronForm {
  const times =
    form.cycle === 'hour' ? form.times.map((time) => ({ ...time, hour: time.hour % every, second: 0 })) : form.times;
  const unique = [
    ...new Map(
      times.map((time) => [`${String(time.hour)} ${String(time.minute)} ${String(time.second)}`, time]),
    ).values(),
  ];
  const months =
    form.cycle === 'month' ? form.months.slice(0, 1).map((month) => ((month - 1) % every) + 1) : form.months;
  return { ...form, every, starts: [...new Set(form.starts.map((start) => start % every))], times: unique, months };
}
