import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type CronForm,
  describeTrigger,
  type Cycle,
  CYCLES,
  defaultForm,
  groupTriggers,
  isComplete,
  steps,
  type TriggerGroup,
  withCycle,
  withStep,
  writeCrons,
} from '@/cron';
import { exact, useClock } from '@/ui';
import { Field } from '../inspector/fields/Field';
import { Choose, Icon, Input } from '../inspector/fields/Text';
import fieldStyles from '../inspector/fields/Field.module.css';
import { type Triggers as List, NextTicks } from '../inspector/NextTicks';
import { withoutUnset } from '../inspector/useEdit';
import { After, follows } from './After';
import { CalendarFields } from './CalendarFields';
import { CycleForm } from './CycleForm';
import { DaylightSaving } from './DaylightSaving';
import { Bounds, Delay, Jitter, MomentField } from './Moments';
import styles from './Settings.module.css';
import { WebhookFields } from './WebhookFields';

interface Props {
  /** The name of the schedule. */
  schedule: string;
  triggers: List;
  zone?: string;
  /** Called with all triggers; `field` names the gesture for undo. */
  onChange: (field: string, triggers: List) => void;
}

/** The triggers of a schedule. Triggers that one form writes are one card. */
export function Triggers({ schedule, triggers, zone, onChange }: Props) {
  const { t } = useTranslation('inspector');
  return (
    <>
      {triggers.length === 0 && <p>{t('ticks.byHand')}</p>}
      {groupTriggers(triggers).map((group, n) => (
        <TriggerCard
          key={n}
          group={group}
          schedule={schedule}
          zone={zone}
          triggers={triggers.slice(group.first, group.first + group.count)}
          onChange={(next) => {
            onChange(`triggers ${String(n)}`, [
              ...triggers.slice(0, group.first),
              ...next,
              ...triggers.slice(group.first + group.count),
            ]);
          }}
        />
      ))}
      <div>
        <Button
          onClick={() => {
            onChange('triggers add', [...triggers, ...writeCrons(defaultForm()).map((cron) => ({ cron }))]);
          }}
        >
          {t('trigger.add')}
        </Button>
      </div>
    </>
  );
}

interface CardProps {
  group: TriggerGroup;
  schedule: string;
  triggers: List;
  zone?: string;
  onChange: (triggers: List) => void;
}

/** A moment for a new trigger that is due once: 18:00 of the next day in a zone. */
const tomorrow = (now: number, zone: string) => `${exact(now + 86_400_000, { zone }).slice(0, 10)}T18:00`;

/** Whether a trigger has one moment, which may be empty while it is edited. */
const isOnce = (trigger?: List[number]) => trigger?.at !== undefined && (trigger.at !== '' || !trigger.cron);

/** Whether a trigger counts from the end of the last batch. Its time may be empty while it is edited. */
const isDelay = (trigger?: List[number]) => trigger?.every !== undefined || trigger?.from !== undefined;

/** What gives the moments of a trigger. */
type Source = 'cron' | 'once' | 'after' | 'delay' | 'webhook';

/** The name of a webhook may be empty while it is edited. */
const sourceOf = (trigger?: List[number]): Source => {
  if (trigger?.webhook !== undefined) return 'webhook';
  return isDelay(trigger) ? 'delay' : isOnce(trigger) ? 'once' : follows(trigger) ? 'after' : 'cron';
};

const FIELDS: Record<Source, readonly string[]> = {
  cron: ['start', 'end', 'dst.gap', 'dst.repeat', 'jitter'],
  once: ['at', 'jitter'],
  after: [],
  delay: ['every', 'start', 'end'],
  webhook: ['webhook'],
};

/** The fields of a card that show their own faults. */
const fieldsInside = (name: string, source: Source, { after = [], accept = {} }: List[number] = {}) =>
  [
    ...FIELDS[source],
    ...Object.keys(accept).map((param) => `accept.${param}`),
    ...after.flatMap((_, i) => ['schedule', 'policy', 'window'].map((field) => `after[${String(i)}].${field}`)),
  ].map((field) => `${name}.${field}`);

/** One group of triggers: a form that writes its crons, or the crons themselves if no form can write them. */
function TriggerCard({ group, schedule, triggers, zone, onChange }: CardProps) {
  const { t } = useTranslation('inspector');
  const source = sourceOf(triggers[0]);
  const name = `triggers[${String(group.first)}]`;
  const state = useTriggerForm(group, triggers, zone ?? 'UTC', onChange);
  return (
    <div className={styles.card}>
      <div className={styles.cardHead}>
        <TriggerWords triggers={triggers} />
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
      {triggers.map(({ cron }, i) => (
        // Each trigger has a field, which shows its faults; the first field contains the form of all.
        <Field
          key={group.first + i}
          label={i === 0 ? t('trigger.cycle') : t('trigger.also', { cron: cron ?? '' })}
          name={`triggers[${String(group.first + i)}]`}
          inside={i === 0 ? fieldsInside(name, source, triggers[0]) : undefined}
          group
        >
          {() => i === 0 && <Sentence {...state} triggers={triggers} onChange={onChange} />}
        </Field>
      ))}
      <SourceFields
        group={group}
        schedule={schedule}
        triggers={triggers}
        zone={zone}
        onChange={onChange}
        form={state.form}
      />
    </div>
  );
}

/** The fields that go with what gives the moments of a group of triggers. */
function SourceFields({
  group: { first },
  schedule,
  triggers,
  zone = 'UTC',
  onChange,
  form,
}: CardProps & Pick<TriggerForm, 'form'>) {
  const { t } = useTranslation('inspector');
  const name = `triggers[${String(first)}]`;
  const shared = { name, triggers, onChange };
  const after = <After schedule={schedule} first={first} triggers={triggers} onChange={onChange} />;
  const jitter = <Jitter {...shared} />;
  const ticks = <NextTicks schedule={schedule} triggers={triggers} zone={zone} count={3} />;
  switch (sourceOf(triggers[0])) {
    case 'once':
      return (
        <>
          <MomentField
            label={t('trigger.moment')}
            name={`${name}.at`}
            zone={zone}
            value={triggers[0]?.at ?? ''}
            onChange={(at) => {
              onChange([withoutUnset({ at, jitter: triggers[0]?.jitter }) ?? { at }]);
            }}
          />
          {jitter}
          {ticks}
        </>
      );
    case 'after':
      return after;
    case 'webhook':
      return (
        <WebhookFields
          name={name}
          trigger={triggers[0] ?? {}}
          onChange={(next) => {
            onChange([next]);
          }}
        />
      );
    case 'delay':
      return (
        <>
          <Delay {...shared} />
          <Bounds {...shared} zone={zone} />
        </>
      );
    case 'cron':
      return (
        <>
          <DaylightSaving
            {...shared}
            zone={zone}
            byClock={!form || !['second', 'minute', 'hour', 'period'].includes(form.cycle)}
          />
          <CalendarFields first={first} triggers={triggers} onChange={onChange} />
          <Bounds {...shared} zone={zone} />
          {after}
          {jitter}
          {ticks}
        </>
      );
  }
}

interface TriggerForm {
  /** Undefined while the crons themselves are edited. */
  form: CronForm | undefined;
  /** Sets the form; its crons replace the triggers once the form is complete. */
  write: (form: CronForm) => void;
  /**
   * Changes the form to a cycle, shows the crons for `cron`, makes a trigger with one moment for `once`, one that
   * follows other schedules for `after`, one that counts from the end of the last batch for `delay`, and one that
   * programs call for `webhook`.
   */
  pickCycle: (cycle: Picked) => void;
}

type Picked = Cycle | Source;

/** The state of a group's form. An incomplete form, which writes no crons, stays until the crons change. */
function useTriggerForm(
  group: TriggerGroup,
  triggers: List,
  zone: string,
  onChange: (triggers: List) => void,
): TriggerForm {
  const [typed, setTyped] = useState<CronForm>();
  const [asCron, setAsCron] = useState(false);
  const now = useClock();
  const source = sourceOf(triggers[0]);
  const crons = triggers.map((trigger) => trigger.cron);
  const typedHolds = typed && (!isComplete(typed) || String(writeCrons(typed)) === String(crons));
  const form = typedHolds ? typed : group.form;
  const write = (next: CronForm) => {
    setTyped(next);
    if (isComplete(next))
      onChange(
        writeCrons(next).map((cron) => ({ ...(source === 'once' || source === 'delay' ? {} : triggers[0]), cron })),
      );
  };
  return {
    form: asCron ? undefined : form,
    write,
    pickCycle: (cycle) => {
      setAsCron(cycle === 'cron');
      if (cycle === 'once') {
        setTyped(undefined);
        onChange([{ at: tomorrow(now, zone) }]);
      } else if (cycle === 'after') {
        setTyped(undefined);
        onChange([{ after: [{ schedule: triggers[0]?.after?.[0]?.schedule ?? '' }] }]);
      } else if (cycle === 'delay') {
        setTyped(undefined);
        onChange([{ every: '10m', from: 'end' }]);
      } else if (cycle === 'webhook') {
        setTyped(undefined);
        onChange([{ webhook: triggers[0]?.webhook ?? '' }]);
      } else if (cycle !== 'cron' || source !== 'cron')
        write(withCycle(form ?? defaultForm(), cycle === 'cron' ? 'day' : cycle));
    },
  };
}

/** When triggers are due, as text; a cron without a description is shown itself. */
function TriggerWords({ triggers }: { triggers: List }) {
  const { t, i18n } = useTranslation('cron');
  const texts = triggers.map((trigger) => describeTrigger(trigger, t, i18n.language));
  return (
    <div>
      {texts.every(({ described }) => described) ? (
        <b>{texts.map(({ text }) => text).join(t('and'))}</b>
      ) : (
        texts.map(({ text, described }, i) => <b key={i}>{described ? text : <code>{text}</code>} </b>)
      )}
    </div>
  );
}

/** The form as a sentence: every 2 hours at … */
function Sentence({
  form,
  write,
  pickCycle,
  triggers,
  onChange,
}: TriggerForm & Pick<CardProps, 'triggers' | 'onChange'>) {
  const { t } = useTranslation('inspector');
  const source = sourceOf(triggers[0]);
  return (
    <div className={styles.sentence}>
      {form && <span>{t('trigger.every')}</span>}
      {form && steps(form.cycle).length > 1 && (
        <Choose
          aria-label={t('trigger.howMany')}
          value={String(form.every)}
          options={steps(form.cycle).map((n) => ({ value: String(n), label: String(n) }))}
          onPick={(n) => {
            write(withStep(form, Number(n)));
          }}
        />
      )}
      <Choose
        aria-label={t('trigger.unit')}
        value={source === 'cron' ? (form?.cycle ?? 'cron') : source}
        options={[
          ...CYCLES.map((one) => ({ value: one, label: t(`cycle.${one}`) })),
          { value: 'once', label: t('cycle.once') },
          { value: 'after', label: t('cycle.after') },
          { value: 'delay', label: t('cycle.delay') },
          { value: 'webhook', label: t('cycle.webhook') },
          { value: 'cron', label: t('cycle.cron') },
        ]}
        onPick={(picked) => {
          pickCycle(picked as Picked);
        }}
      />
      {form && <CycleForm form={form} onChange={write} />}
      {!form &&
        triggers
          .filter((trigger) => sourceOf(trigger) === 'cron')
          .map(({ cron = '' }, index) => (
            <Input
              key={index}
              aria-label={t('trigger.cron')}
              mono
              value={cron}
              onChange={(event) => {
                onChange(triggers.with(index, { ...triggers[index], cron: event.currentTarget.value }));
              }}
            />
          ))}
    </div>
  );
}
