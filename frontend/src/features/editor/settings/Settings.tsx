import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoc, useEditor } from '../context';
import { beside, PanelFaults, useHeadFaults } from '../inspector/faults';
import { Faults } from '../inspector/Faults';
import { TextField } from '../inspector/fields/Text';
import { textOr, useHeadEdit } from '../inspector/useEdit';
import { useFieldFocus } from '../inspector/useFieldFocus';
import { NameField } from './NameField';
import { ParamsTable } from './ParamsTable';
import { Flow, Policy } from './Policy';
import styles from './Settings.module.css';
import { Triggers } from './Triggers';
import { ZoneField } from './ZoneField';

const FIELDS = ['name', 'title', 'description', 'timezone', 'triggers', 'flow', 'policy', 'params'];

/** All of a schedule but its jobs. */
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
        <Faults
          faults={beside(
            faults.filter((fault) => fault.code !== 'no_jobs'),
            FIELDS,
          )}
        />
        <Section title={t('settings.about')}>
          <TextField
            label={t('title')}
            name="title"
            value={doc.title ?? ''}
            placeholder={doc.name}
            onChange={(text) => {
              set('title', { title: textOr(text) });
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
              set('description', { description: textOr(text) });
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
      </div>
    </PanelFaults>
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
