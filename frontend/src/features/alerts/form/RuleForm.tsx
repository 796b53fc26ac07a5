import { Autocomplete, Button, Checkbox, Radio } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { channelsQuery } from '../calls';
import {
  EVENT_GROUPS,
  EVENTS,
  isForAll,
  isUsed,
  patch,
  type Quiet,
  type RuleDoc,
  type Unused,
  WEEKDAYS,
  withEvent,
} from './document';
import { EXAMPLES } from './examples';
import { Choices, DurationField, ListField, TextField } from './fields';
import type { Form } from './useDocument';
import styles from './Form.module.css';

/** The paths whose faults are shown beside a field. */
export const RULE_FIELDS = [
  ...['name', 'on', 'schedules', 'tags', 'channels', 'timezone', 'deadline', 'wait', 'skips', 'group', 'repeat'],
  ...['quiet', 'escalate.after', 'escalate.to'],
];

interface Props {
  form: Form<RuleDoc>;
  /** The rule exists, so it keeps its name. */
  exists: boolean;
}

/** The events of some schedules or of all that are reported, where, and when. */
export function RuleForm({ form, exists }: Props) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const channels = useQuery(channelsQuery).data?.map(({ name }) => name) ?? [];
  return (
    <>
      <TextField
        form={form}
        path="name"
        first
        required
        disabled={exists}
        label={t('form.name')}
        description={exists ? t('form.nameStays') : t('form.nameDetail')}
        placeholder={EXAMPLES.rule}
        value={doc.name}
        onChange={(name) => {
          change({ ...doc, name }, 'name');
        }}
      />
      <Scope form={form} />
      <Events form={form} />
      <Choices
        form={form}
        path="channels"
        required
        label={t('form.channels')}
        all={channels}
        chosen={doc.channels}
        inline
        empty={<p className={styles.note}>{t('rules.noChannel')}</p>}
        onChange={(chosen) => {
          change({ ...doc, channels: chosen }, 'channels');
        }}
      />
      <div className={styles.pair}>
        <DurationField
          form={form}
          path="group"
          label={t('form.group')}
          description={t('form.groupDetail')}
          placeholder={EXAMPLES.group}
          value={doc.group}
          onChange={(group) => {
            change(patch(doc, { group }), 'group');
          }}
        />
        <DurationField
          form={form}
          path="repeat"
          label={t('form.repeat')}
          description={t('form.repeatDetail')}
          placeholder={EXAMPLES.repeat}
          value={doc.repeat}
          onChange={(repeat) => {
            change(patch(doc, { repeat }), 'repeat');
          }}
        />
      </div>
      <QuietHours form={form} />
      {(doc.deadline !== undefined || doc.quiet !== undefined) && <Zone form={form} />}
      <Escalation form={form} channels={channels} />
    </>
  );
}

/** For all schedules, or for those with tags or names. */
function Scope({ form }: { form: Form<RuleDoc> }) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const some = useRef<Pick<RuleDoc, 'schedules' | 'tags'>>({ schedules: [], tags: [] });
  const all = isForAll(doc);
  const scopeFault = form.faultOf('scope');
  return (
    <fieldset className={styles.choices}>
      <legend>{t('form.scope')}</legend>
      <Radio
        size="sm"
        name="scope"
        label={t('form.all')}
        checked={all}
        onChange={() => {
          some.current = { schedules: doc.schedules ?? [], tags: doc.tags ?? [] };
          change(patch(doc, { schedules: undefined, tags: undefined }), 'scope');
        }}
      />
      <Radio
        size="sm"
        name="scope"
        label={t('form.some')}
        checked={!all}
        onChange={() => {
          change({ ...doc, ...some.current }, 'scope');
        }}
      />
      {!all && (
        <div className={styles.inner}>
          <ListField
            form={form}
            path="tags"
            label={t('form.tags')}
            placeholder={EXAMPLES.tags}
            value={doc.tags}
            onChange={(tags) => {
              change({ ...doc, tags }, 'tags');
            }}
          />
          <ListField
            form={form}
            path="schedules"
            label={t('form.schedules')}
            placeholder={EXAMPLES.schedules}
            value={doc.schedules}
            onChange={(schedules) => {
              change({ ...doc, schedules }, 'schedules');
            }}
          />
          {scopeFault && (
            <p className={styles.fault} role="alert">
              {scopeFault}
            </p>
          )}
        </div>
      )}
    </fieldset>
  );
}

/** The events, with the fields that some of them use. */
function Events({ form }: { form: Form<RuleDoc> }) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const unused = useRef<Unused>({});
  const scoped = !isForAll(doc);
  return (
    <>
      {EVENT_GROUPS.map((group) => {
        const all = EVENTS[group] as readonly RuleDoc['on'][number][];
        return (
          <div key={group} className={styles.group}>
            <Choices
              form={group === 'schedules' ? form : QUIET}
              path="on"
              label={t(`form.events.${group}`)}
              all={all}
              chosen={doc.on.filter((kind) => all.includes(kind))}
              text={(kind) => t(`kind.${kind}`)}
              detail={(kind) => t(`form.event.${kind}`)}
              disabled={() => group === 'servers' && scoped}
              onChange={(_, kind, on) => {
                change(withEvent(doc, kind, on, unused.current), 'on');
              }}
            />
            {group === 'servers' && scoped && <p className={styles.note}>{t('form.serversForAll')}</p>}
            {group === 'schedules' && <EventFields form={form} />}
          </div>
        );
      })}
    </>
  );
}

/** The faults of the events are shown once. */
const QUIET = { faultOf: () => undefined, warningOf: () => undefined };

function EventFields({ form }: { form: Form<RuleDoc> }) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const uses = { deadline: isUsed(doc, 'deadline'), skips: isUsed(doc, 'skips'), wait: isUsed(doc, 'wait') };
  return (
    <div className={styles.pair}>
      {uses.deadline && (
        <TextField
          form={form}
          path="deadline"
          label={t('form.deadline')}
          description={t('form.deadlineDetail')}
          placeholder={EXAMPLES.deadline}
          value={doc.deadline}
          onChange={(text) => {
            change(zoned(patch(doc, { deadline: text || undefined })), 'deadline');
          }}
        />
      )}
      {uses.skips && (
        <TextField
          form={form}
          path="skips"
          label={t('form.skips')}
          description={t('form.skipsDetail')}
          placeholder={EXAMPLES.skips}
          value={doc.skips === undefined ? '' : String(doc.skips)}
          onChange={(text) => {
            const digits = text.replaceAll(/\D/g, '').slice(0, 6);
            change(patch(doc, { skips: digits ? Number(digits) : undefined }), 'skips');
          }}
        />
      )}
      {uses.wait && (
        <DurationField
          form={form}
          path="wait"
          label={t('form.wait')}
          description={t('form.waitDetail')}
          placeholder={EXAMPLES.wait}
          value={doc.wait}
          onChange={(wait) => {
            change(patch(doc, { wait }), 'wait');
          }}
        />
      )}
    </div>
  );
}

/** A rule with a zone, which its times of day need: at first that of the browser. */
function zoned(doc: RuleDoc): RuleDoc {
  const times = doc.deadline !== undefined || doc.quiet !== undefined;
  if (!times || doc.timezone !== undefined) return doc;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return patch(doc, { timezone: timeZone === 'UTC' ? undefined : timeZone });
}

function Zone({ form }: { form: Form<RuleDoc> }) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  return (
    <Autocomplete
      label={t('form.timezone')}
      description={t('form.timezoneDetail')}
      placeholder="UTC"
      limit={20}
      data={['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]}
      value={doc.timezone ?? ''}
      error={form.faultOf('timezone')}
      onChange={(zone) => {
        change(patch(doc, { timezone: zone || undefined }), 'timezone');
      }}
    />
  );
}

function QuietHours({ form }: { form: Form<RuleDoc> }) {
  const { t, i18n } = useTranslation('alerts');
  const { doc, change } = form;
  const quiet = doc.quiet ?? [];
  const put = (next: readonly Quiet[]) => {
    change(zoned(patch(doc, { quiet: next.length > 0 ? [...next] : undefined })), 'quiet');
  };
  const day = new Intl.DateTimeFormat(i18n.language, { weekday: 'short', timeZone: 'UTC' });
  const dayName = (name: string) => day.format(Date.UTC(2024, 0, 1 + (WEEKDAYS as readonly string[]).indexOf(name)));
  return (
    <fieldset className={styles.choices}>
      <legend>{t('form.quiet')}</legend>
      <p className={styles.note}>{t('form.quietDetail')}</p>
      {quiet.map((one, i) => {
        const set = (members: { [K in keyof Quiet]?: Quiet[K] | undefined }) => {
          put(quiet.map((other, k) => (k === i ? patch(other, members) : other)));
        };
        return (
          <div key={i} className={styles.quiet} role="group" aria-label={t('form.quietSpan', { number: i + 1 })}>
            <div className={styles.span}>
              <TextField
                form={form}
                path={`quiet[${String(i)}].from`}
                label={t('form.quietFrom')}
                placeholder={EXAMPLES.quietFrom}
                value={one.from}
                onChange={(from) => {
                  set({ from });
                }}
              />
              <TextField
                form={form}
                path={`quiet[${String(i)}].to`}
                label={t('form.quietTo')}
                placeholder={EXAMPLES.quietTo}
                value={one.to}
                onChange={(to) => {
                  set({ to });
                }}
              />
              <Button
                onClick={() => {
                  put(quiet.filter((_, k) => k !== i));
                }}
              >
                {t('form.quietRemove')}
              </Button>
            </div>
            <Choices
              form={form}
              path={`quiet[${String(i)}].days`}
              label={t('form.quietDays')}
              all={WEEKDAYS}
              chosen={(one.days ?? []) as (typeof WEEKDAYS)[number][]}
              text={dayName}
              inline
              onChange={(days) => {
                set({ days: days.length > 0 ? days : undefined });
              }}
            />
          </div>
        );
      })}
      <Button
        className={styles.add}
        onClick={() => {
          put([...quiet, { from: '22:00', to: '07:00' }]);
        }}
      >
        {t('form.quietAdd')}
      </Button>
    </fieldset>
  );
}

function Escalation({ form, channels }: { form: Form<RuleDoc>; channels: readonly string[] }) {
  const { t } = useTranslation('alerts');
  const { doc, change } = form;
  const last = useRef<NonNullable<RuleDoc['escalate']>>({ after: '15m', to: [] });
  const { escalate } = doc;
  return (
    <div className={styles.group}>
      <Checkbox
        size="sm"
        label={t('form.escalate')}
        description={t('form.escalateDetail')}
        checked={escalate !== undefined}
        onChange={(event) => {
          if (escalate) last.current = escalate;
          change(patch(doc, { escalate: event.currentTarget.checked ? last.current : undefined }), 'escalation');
        }}
      />
      {escalate && (
        <div className={styles.inner}>
          <DurationField
            form={form}
            path="escalate.after"
            required
            label={t('form.escalateAfter')}
            placeholder={EXAMPLES.escalate}
            value={escalate.after}
            onChange={(after) => {
              change({ ...doc, escalate: { ...escalate, after: after ?? '' } }, 'escalate.after');
            }}
          />
          <Choices
            form={form}
            path="escalate.to"
            required
            label={t('form.escalateTo')}
            all={channels}
            chosen={escalate.to}
            inline
            onChange={(to) => {
              change({ ...doc, escalate: { ...escalate, to } }, 'escalate.to');
            }}
          />
        </div>
      )}
    </div>
  );
}
