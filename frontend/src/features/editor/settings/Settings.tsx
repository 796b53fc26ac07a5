import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isName } from '@/document';
import { useClock } from '@/ui';
import { useDoc, useEditor } from '../context';
import { faultsElsewhere, PanelFaults, useHeadFaults } from '../inspector/faults';
import { Faults } from '../inspector/Panel';
import { Combo } from '../inspector/fields/Suggest';
import { Field } from '../inspector/fields/Field';
import { Input, TextField } from '../inspector/fields/Text';
import { HooksField } from '../inspector/hooks/HooksField';
import { HOOK_LISTS } from '../inspector/hooks/lists';
import { unsetIfEmpty, useHeadEdit } from '../inspector/useEdit';
import { useFieldFocus } from '../inspector/useFieldFocus';
import { ParamsTable } from './ParamsTable';
import { Flow, Policy } from './Policy';
import styles from './Settings.module.css';
import { Triggers } from './Triggers';
import { WordsField } from './Words';
import { isZone, timeIn, zones } from './zones';

const FIELDS = [
  'name',
  'title',
  'description',
  'tags',
  'owners',
  'timezone',
  'triggers',
  'flow',
  'policy',
  'params',
  ...HOOK_LISTS,
];

/** The fields of a schedule, without its jobs. */
export function Settings() {
  const { t } = useTranslation('inspector');
  const { base } = useEditor();
  const doc = useDoc((s) => s.doc);
  const faults = useHeadFaults();
  const set = useHeadEdit();
  useFieldFocus('');
  return (
    <PanelFaults value={faults}>
      <div className={styles.page} data-settings>
        <Faults faults={faultsElsewhere(faults, FIELDS).filter((fault) => fault.code !== 'no_jobs')} />
        <Section title={t('settings.about')}>
          <TextField
            label={t('title')}
            name="title"
            value={doc.title ?? ''}
            placeholder={doc.name}
            onChange={(text) => {
              set('title', { title: unsetIfEmpty(text) });
            }}
          />
          <NameField
            value={doc.name}
            isNew={base === undefined}
            onChange={(name) => {
              set('name', { name });
            }}
          />
          <TextField
            label={t('description')}
            name="description"
            multiline
            value={doc.description ?? ''}
            onChange={(text) => {
              set('description', { description: unsetIfEmpty(text) });
            }}
          />
          <WordsField
            label={t('tags.label')}
            name="tags"
            note={t('tags.note')}
            value={doc.tags ?? []}
            onChange={(tags) => {
              set('tags', { tags });
            }}
          />
          <WordsField
            label={t('owners.label')}
            name="owners"
            note={t('owners.note')}
            value={doc.owners ?? []}
            onChange={(owners) => {
              set('owners', { owners });
            }}
          />
        </Section>
        <Section title={t('settings.when')} about={t('settings.whenAbout')}>
          <ZoneField
            value={doc.timezone}
            onChange={(timezone) => {
              set('timezone', { timezone });
            }}
          />
          <Triggers
            schedule={doc.name}
            triggers={doc.triggers ?? []}
            zone={doc.timezone}
            onChange={(field, triggers) => {
              set(field, { triggers: triggers.length > 0 ? triggers : undefined });
            }}
          />
        </Section>
        <Section title={t('settings.flow')} about={t('settings.flowAbout')}>
          <Flow
            value={doc.flow}
            onChange={(flow) => {
              set('flow', { flow });
            }}
          />
        </Section>
        <Section title={t('settings.policy')} about={t('settings.policyAbout')}>
          <Policy
            value={doc.policy ?? {}}
            onChange={(field, policy) => {
              set(field, { policy });
            }}
          />
        </Section>
        <Section title={t('settings.params')} about={t('settings.paramsAbout')}>
          <ParamsTable params={doc.params ?? {}} />
        </Section>
        <HooksSection />
      </div>
    </PanelFaults>
  );
}

/** What is called after the end of a batch. */
function HooksSection() {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const faults = useHeadFaults();
  const set = useHeadEdit();
  return (
    <Section title={t('hooks.title')} about={t('hooks.about.schedule')}>
      <HooksField
        of="schedule"
        value={doc}
        faults={faults}
        onChange={(list, index, hooks) => {
          set(`${list}[${String(index)}]`, { [list]: hooks });
        }}
      />
    </Section>
  );
}

function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <div className={styles.title}>
        <h2>{title}</h2>
        {about && <p>{about}</p>}
      </div>
      <div className={styles.fields}>{children}</div>
    </section>
  );
}

/** The name of a schedule. It is fixed once the schedule is published, as batches, links and files refer to it. */
function NameField({ value, isNew, onChange }: { value: string; isNew: boolean; onChange: (name: string) => void }) {
  const { t } = useTranslation('inspector');
  const [typed, setTyped] = useState<string>();
  const refusal = typed !== undefined && typed !== value && !isName(typed) ? t('name.form') : undefined;
  const commit = () => {
    if (typed !== undefined && typed !== value && !refusal) onChange(typed);
    setTyped(undefined);
  };
  return (
    <Field label={t('name.label')} name="name" note={isNew ? undefined : t('name.stays')} refusal={refusal}>
      {(control) => (
        <Input
          {...control}
          mono
          value={typed ?? value}
          readOnly={!isNew}
          maxLength={63}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !refusal) commit();
            if (event.key === 'Escape') setTyped(undefined);
          }}
        />
      )}
    </Field>
  );
}

/** The time zone of crons and dates, with the present time there. */
function ZoneField({ value, onChange }: { value?: string; onChange: (zone: string | undefined) => void }) {
  const { t } = useTranslation('inspector');
  const now = useClock();
  const offers = useMemo(() => zones().map((zone) => ({ value: zone })), []);
  const zone = value ?? 'UTC';
  return (
    <Combo
      label={t('zone.label')}
      name="timezone"
      commitOnBlur
      value={value ?? ''}
      placeholder="UTC"
      suggestions={offers}
      detail={(one) => timeIn(one, now)}
      note={isZone(zone) ? t('zone.now', { time: timeIn(zone, now) }) : undefined}
      onChange={(picked) => {
        onChange(picked === '' || picked === 'UTC' ? undefined : picked);
      }}
    />
  );
}
